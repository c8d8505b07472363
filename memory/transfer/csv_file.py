"""Tables of facts that people keep: CSV with a heading, at least the columns `subject` and `fact`."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TextIO

from ..errors import InputError
from . import json_file
from .json_file import Record, Row

CELLS = ("subject", "topic", "fact", "happened_on", "said_at", "pinned")
"""The columns that are read."""
_WRITTEN = ("created_by", "evidence")
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
            heading = lines.readline()
            names, delimiter = _columns(path, heading)
            ignore(tuple(name for name in names if name not in CELLS + _WRITTEN))
            yield from _cells(csv.reader(lines, delimiter=delimiter), names)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text: save it as CSV in UTF-8.") from error
    except csv.Error as error:
        raise InputError(f"{path} is not a CSV table ({error}): save it as CSV in UTF-8.") from error
    except OSError as error:
        raise InputError(f"{path} can't be read ({error.strerror}): check its permissions.") from error


def _columns(path: Path, heading: str) -> tuple[list[str], str]:
    for delimiter in ",;\t":
        names = [name.strip().lower() for name in next(csv.reader([heading], delimiter=delimiter), [])]
        if {"subject", "fact"} <= set(names):
            return names, delimiter
    raise InputError(f"{path} has no columns named subject and fact: name them in its first line.")


def _cells(reader: Any, names: Sequence[str]) -> Iterator[Record]:
    last = 0
    for values in reader:
        place, last = f"line {last + 2}", reader.line_num
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
    if said_at and not json_file.is_moment(said_at):
        return Record("facts", place, {}, "has a said_at that is neither 2026-05-08 nor 2026-05-08T13:56:00Z")
    return Record("facts", place, data | {"said_at": said_at or None})
