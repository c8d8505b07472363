"""The export file: valid JSON with one record a line, so that it streams, diffs, and names the line of a bad record.

    {"chatmem": 1,
    "user": {"name": "me", "called": "Ana"},
    "sessions": [
    {"id": 1, "title": "", ...},
    ...
    ],
    "turns": [...], "memories": [...], "journal": [...]}

Ids are running numbers inside the file and say nothing about any database. A file that another program laid out
anew is read as well, whole instead of line by line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TextIO

from ..database.moments import is_moment
from ..database.rows import DERIVED
from ..errors import InputError

FORMAT = 1
LARGEST_ID = 10_000_000
SECTIONS = ("sessions", "turns", "memories", "journal")
Row = dict[str, Any]

_HEAD = re.compile(r'^\{"chatmem": (\d+),$')
_OPENS = re.compile(r'^"(\w+)": \[(\],?\}?)?$')
_NAMES = {"sessions": "session", "turns": "turn", "memories": "memory", "journal": "journal entry"}
_DAY = re.compile(r"^\d{4}(-\d{2}(-\d{2})?)?$")


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a file. `place` is `line 12` (or `memory 3` in a file laid out anew); `problem` why it is bad."""

    section: str
    place: str
    data: Row
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """What a value of a record must be: a kind of `_KINDS`, possibly absent, possibly one of some words."""

    kind: str
    optional: bool = False
    words: tuple[str, ...] = ()


_TEXT, _MAYBE_TEXT, _ID, _MAYBE_ID = Field("text"), Field("text", True), Field("id"), Field("id", True)
_WHEN, _MAYBE_WHEN, _FLAG, _IDS = Field("moment"), Field("moment", True), Field("flag", True), Field("ids", True)
_IMAGE = Field("image", True)

FIELDS: Mapping[str, Mapping[str, Field]] = {
    "sessions": {"id": _ID, "title": _MAYBE_TEXT, "started_at": _WHEN, "ended_at": _MAYBE_WHEN},
    "turns": {
        "id": _ID,
        "session": _ID,
        "speaker": Field("words"),
        "text": _TEXT,
        "said_at": _WHEN,
        "status": Field("text", True, ("complete", "stopped", "failed")),
        "storage": Field("text", True, ("pending", "done", "failed", "skipped", "forgotten", "quoted", "kept")),
    },
    "memories": {
        "id": _ID,
        "subject": Field("words"),
        "topic": _MAYBE_TEXT,
        "fact": Field("words"),
        "happened_on": Field("day", True),
        "said_at": _WHEN,
        "valid_from": _WHEN,
        "valid_to": _MAYBE_WHEN,
        "pinned": _FLAG,
        "created_by": _MAYBE_TEXT,
        "replaces": _MAYBE_ID,
        "evidence": _IDS,
        "certainty": Field("share", True),
        "rests_on": _IDS,
    },
    "journal": {
        "id": _ID,
        "batch": _TEXT,
        "at": _WHEN,
        "kind": Field("text", False, ("insert", "update", "delete", "pin", "call", "refused", "undo", "redo")),
        "actor": _TEXT,
        "model": _MAYBE_TEXT,
        "adapter": _MAYBE_TEXT,
        "sql": _TEXT,
        "memory": _MAYBE_ID,
        "turn": _MAYBE_ID,
        "session": _MAYBE_ID,
        "turns": _IDS,
        "before": _IMAGE,
        "after": _IMAGE,
        "reason": _MAYBE_TEXT,
        "undone": _FLAG,
        "undoes": _MAYBE_ID,
    },
}
"""The records of each section, field by field."""


def _is_text(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which no database takes
        return False
    return True


def _is_date(value: Any) -> bool:
    if not isinstance(value, str) or not _DAY.match(value):
        return False
    try:
        date.fromisoformat((value + "-01-01")[:10])
    except ValueError:
        return False
    return True


def _is_id(value: Any) -> bool:
    return type(value) is int and 0 < value <= LARGEST_ID


def _is_image(value: Any) -> bool:
    """A memory row as the journal keeps it, or the name that a user went by."""
    if not isinstance(value, dict):
        return False
    if set(value) == {"called"}:
        return value["called"] is None or _is_text(value["called"])
    named = set(value) - set(DERIVED) == set(FIELDS["memories"]) - set(DERIVED)
    return named and not problem_of("memories", value)


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


_KINDS = {
    "text": (_is_text, "a text"),
    "words": (lambda value: _is_text(value) and bool(value.strip()), "a text that is not empty"),
    "id": (_is_id, "a whole number from 1 to ten million"),
    "ids": (lambda value: isinstance(value, list) and all(map(_is_id, value)), "a list of ids"),
    "moment": (is_moment, "a moment such as 2026-05-08T13:56:00Z"),
    "day": (_is_date, "a date such as 2026-05-08, 2026-05 or 2026"),
    "flag": (lambda value: isinstance(value, bool), "true or false"),
    "share": (_is_share, "a number from 0 to 1"),
    "image": (_is_image, "a row or None"),
}


def problem_of(section: str, data: Any) -> str:
    """Why a record can't be taken; empty when it can."""
    if not isinstance(data, dict):
        return "is not a record"
    known = FIELDS[section]
    for name in data:
        if name not in known:
            return f"has an unknown field {name!r}"
    for name, field in known.items():
        value = data.get(name)
        if value is None:
            if not field.optional:
                return f"has no {name}"
        elif not _KINDS[field.kind][0](value):
            return f"has a {name} that is not {_KINDS[field.kind][1]}"
        elif field.words and value not in field.words:
            return f"has a {name} that is none of {', '.join(field.words)}"
    return ""


def write(out: TextIO, user: Row, sections: Mapping[str, Iterable[Row]]) -> int:
    """Write the file, a record at a time; returns how many records it holds."""
    count = 0
    out.write(f'{{"chatmem": {FORMAT},\n"user": {_dump(user)}')
    for section in SECTIONS:
        out.write(f',\n"{section}": [')
        mark = "\n"
        for row in sections.get(section, ()):
            out.write(mark + _dump(row))
            mark, count = ",\n", count + 1
        out.write("\n]" if mark != "\n" else "]")
    out.write("}\n")
    return count


def _dump(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False)


def read(path: Path, opened: AbstractContextManager[TextIO] | None = None) -> Iterator[Record]:
    """Every record of a file, the bad ones too; the user's comes first, with section `user`. `opened` is its text where
    the file itself is none.

    Raises InputError when the file as a whole can't be used: not there, not text, not JSON, cut off, too new.
    """
    try:
        with opened or path.open(encoding="utf-8-sig") as lines:
            head = _HEAD.match(lines.readline(100).rstrip("\n"))
            if head:
                _check_format(path, int(head[1]))
                yield from _by_line(path, lines)
            else:
                lines.seek(0)
                yield from _whole(path, lines)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text; export it again, or save it as UTF-8.") from error
    except OSError as error:
        raise InputError(f"{path} can't be read ({error.strerror}); name a file that chatmem exported.") from error


def _check_format(path: Path, found: Any) -> None:
    if type(found) is not int or not 1 <= found <= FORMAT:
        raise InputError(f"{path} has the export format {found!r}; this chatmem reads {FORMAT}: upgrade chatmem.")


def _by_line(path: Path, lines: Iterable[str]) -> Iterator[Record]:
    section, done = "", False
    for number, line in enumerate(lines, 2):
        text = line.rstrip("\r\n")
        opens = _OPENS.match(text)
        if text.startswith('"user": '):
            yield _record("user", f"line {number}", text.removeprefix('"user": '))
        elif opens:
            section = opens[1]
            done = bool(opens[2]) and opens[2].endswith("}")
        elif text.startswith("]"):
            done = text.endswith("}")
        elif text.strip():
            yield _record(section, f"line {number}", text)
    if not done:
        raise InputError(f"{path} is cut off: its end is missing; export it again.")


def _record(section: str, place: str, text: str) -> Record:
    try:
        data = json.loads(text.removesuffix(","))
    except ValueError:
        return Record(section, place, {}, "is not JSON")
    return _checked(section, place, data)


def _checked(section: str, place: str, data: Any) -> Record:
    if section == "user":
        good = isinstance(data, dict) and all(value is None or _is_text(value) for value in data.values())
        return Record(section, place, data if good else {}, "" if good else "is not a user")
    if section not in FIELDS:
        return Record(section, place, {}, f"stands in an unknown part {section!r}")
    problem = problem_of(section, data)
    return Record(section, place, {} if problem else data, problem)


def _whole(path: Path, lines: TextIO) -> Iterator[Record]:
    try:
        document = json.load(lines)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a chatmem export (no JSON: {error}); export it again.") from error
    if not isinstance(document, dict) or "chatmem" not in document:
        raise InputError(f'{path} is JSON, but no chatmem export: it has no "chatmem" key.')
    _check_format(path, document["chatmem"])
    yield _checked("user", "user", document.get("user") or {})
    for section in SECTIONS:
        rows = document.get(section) or []
        if not isinstance(rows, list):
            raise InputError(f"{path} has no list in {section!r}; export it again.")
        yield from (_checked(section, f"{_NAMES[section]} {n}", row) for n, row in enumerate(rows, 1))
