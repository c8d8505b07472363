"""Tables of facts that people keep: CSV with a heading, at least the columns `subject` and `fact`."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TextIO

from ..database.moments import is_moment
from ..errors import InputError
from .json_file import Record, Row

LONGEST_CELL = 131_072
"""Characters of a cell, as Python's csv has it unless told otherwise."""
CELLS = ("subject", "topic", "fact", "happened_on", "said_at", "pinned")
"""The columns that are read."""
_WRITTEN = ("created_by", "evidence")
_SEPARATOR = re.compile(r'"?sep=([^\w\s"\']|\t)"?\s*', re.IGNORECASE)
"""Excel's own first line, which names what stands between the cells."""
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def guarded(value: Any) -> Any:
    """A cell as it is written: what a spreadsheet would run as a formula gets a `'` before it, and is text."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _unguarded(value: str) -> str:
    return value[1:] if value.startswith("'") and _FORMULA.match(value[1:]) else value


def is_one(path: Path) -> bool:
    """Whether a file is a table by its suffix. Raises InputError for an export that is made for reading."""
    suffix = path.suffix.lower()
    if suffix in (".md", ".db"):
        raise InputError(f"{path.name} is made for reading: import a .json or .csv export instead.")
    return suffix in (".csv", ".tsv")


def read(
    path: Path, ignore: Callable[[tuple[str, ...]], None], opened: AbstractContextManager[TextIO] | None = None
) -> Iterator[Record]:  # fmt: skip
    """The facts of a table, a record each; `ignore` is told the columns that mean nothing here, `opened` is its text
    where the file itself is none.

    Raises InputError when the file as a whole can't be used.
    """
    try:
        with opened or path.open(encoding="utf-8-sig", newline="") as lines:
            heading, first = lines.readline(), 2
            told = _SEPARATOR.fullmatch(heading)
            if told:
                heading, first = lines.readline(), 3
            names, delimiter = _columns(path, heading, told[1] if told else ",;\t")
            ignore(tuple(name for name in names if name not in CELLS + _WRITTEN))
            yield from _cells(path, csv.reader(lines, delimiter=delimiter, strict=True), names, first)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text: save it as CSV in UTF-8.") from error
    except OSError as error:
        raise InputError(f"{path} can't be read ({error.strerror}): check its permissions.") from error


def _columns(path: Path, heading: str, delimiters: str) -> tuple[list[str], str]:
    for delimiter in delimiters:
        try:
            cells = next(csv.reader([heading], delimiter=delimiter, strict=True), [])
        except csv.Error:
            continue
        names = [name.strip().lower() for name in cells]
        if {"subject", "fact"} <= set(names):
            if twice := [name for name in CELLS if names.count(name) > 1]:
                raise InputError(f"{path} has two columns named {twice[0]}: give one of them another name.")
            return names, delimiter
    raise InputError(f"{path} has no columns named subject and fact: name them in its first line.")


def _too_long(path: Path, place: str) -> InputError:
    what = f"a cell of more than {LONGEST_CELL:,} characters: shorten it"
    return InputError(f"{path} has in {place} {what}; nothing was imported.")


def _rows(path: Path, reader: Any, first: int) -> Iterator[tuple[str, list[str]]]:
    """Where each row begins, and its cells. Raises InputError at a row from which on the cells can't be told apart."""
    while True:
        place = f"line {reader.line_num + first}"
        try:
            values = next(reader, None)
        except csv.Error as error:
            if "field larger" in str(error):
                raise _too_long(path, place) from error
            what = f"a quotation mark that is not closed, or alone inside a cell ({error}): close or double it"
            raise InputError(f"{path} has in {place} {what}; nothing was imported.") from error
        if values is None:
            return
        if any(len(value) > LONGEST_CELL for value in values):  # others may have raised csv's own limit for the process
            raise _too_long(path, place)
        yield place, values


def _cells(path: Path, reader: Any, names: Sequence[str], first: int) -> Iterator[Record]:
    for place, values in _rows(path, reader, first):
        if not any(value.strip() for value in values):
            continue
        if len(values) > len(names):
            yield Record("facts", place, {}, f"has {len(values)} cells under {len(names)} headings")
            continue
        named = zip(names, map(_unguarded, values), strict=False)
        data: Row = {name: value for name, value in named if name in CELLS and value.strip()}
        yield _fact_record(place, data)


def _fact_record(place: str, data: Row) -> Record:
    for name in ("subject", "fact"):
        if name not in data:
            return Record("facts", place, {}, f"has no {name}")
    data["pinned"] = data.get("pinned", "").strip().lower() in ("yes", "true", "1", "x")
    said_at = data.get("said_at", "").strip()
    if len(said_at) == len("2026-05-08"):
        said_at += "T00:00:00Z"
    if said_at and not is_moment(said_at):
        return Record("facts", place, {}, "has a said_at that is neither 2026-05-08 nor 2026-05-08T13:56:00Z")
    return Record("facts", place, data | {"said_at": said_at or None})
