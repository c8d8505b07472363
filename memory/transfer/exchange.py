"""Export and import. An import shows first what it would do (`preview`), then is one batch that can be undone.

Forms: JSON holds all that there is about a user and can be imported again; CSV holds the current facts and can be
imported as well; Markdown and a database of their own are for people and their tools.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select, update

from ..database import tables as t
from ..database.key import Secret
from ..errors import InputError, NotFound
from ..store.writing import Writing, new_batch, record
from ..values import Author
from . import csv_file, json_file, sealed
from .exporting import FORMS, export_file, export_text, place_of
from .importing import CHUNK, Intake, give_out, is_blank, write_rows
from .json_file import Row

if TYPE_CHECKING:
    from ..store.store import Store

__all__ = [
    "FORMS",
    "BadRecord",
    "Imported",
    "Preview",
    "export_file",
    "export_text",
    "import_file",
    "place_of",
    "preview",
]

SHOWN = 20
"""How many bad records a preview names; all are counted."""
IMPORT = Author("import")


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that can't be taken: where it stands (`line 12`) and why."""

    place: str
    problem: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What an import would do. Counts by section: sessions, turns, memories, journal.

    `restores`: the user has nothing yet, so that all of the file comes back as it was. `left`: history and journal
    that stay in the file, since the user has a history of their own. `ignored`: columns of a table that mean nothing.
    `pinned` and `by_hand`: how many of the new facts will be pinned, and how many the file says a person wrote; both
    weigh more than what an agent wrote, so that a file from somebody else must not bring them unseen.
    """

    restores: bool
    new: Mapping[str, int]
    duplicates: Mapping[str, int]
    left: Mapping[str, int]
    bad: tuple[BadRecord, ...] = ()
    bad_count: int = 0
    ignored: tuple[str, ...] = ()
    pinned: int = 0
    by_hand: int = 0


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. `batch` is what `undo_batch` takes back; None when there was nothing new."""

    preview: Preview
    batch: str | None


def preview(store: Store, user_id: int, path: Path) -> Preview:
    """Read a file and say what importing it would do, changing nothing.

    Raises NotFound when there is no such file, InputError when it can't be used as a whole.
    """
    with store.db.read() as db:
        reading = _Reading(db, path, store.db.secret, Writing(user_id, "", store.now(), IMPORT, ""))
        for _ in reading.rows():
            pass
        return reading.preview()


def import_file(store: Store, user_id: int, path: Path) -> Imported:
    """Import what is new in a file: all good records or, on an error, none. Errors as `preview`."""
    writing = Writing(user_id, new_batch(), store.now(), IMPORT, f"-- import {path.name}")
    with store.db.write() as db:
        reading = _Reading(db, path, store.db.secret, writing)
        before = _called(db, user_id)
        for section, rows in _chunks(reading.rows()):
            write_rows(db, reading.intake, section, rows)
        done = reading.preview()
        if not sum(done.new.values()):
            return Imported(done, None)
        if reading.intake.called:
            db.execute(update(t.users).where(t.users.c.id == user_id).values(called=reading.intake.called))
        give_out(db, reading.intake)
        if extent := _extent(reading.intake):
            record(db, writing, "import", before={"called": before}, after=extent)
    return Imported(done, writing.batch)


def _called(db: Connection, user_id: int) -> str | None:
    row = db.execute(select(t.users.c.called).where(t.users.c.id == user_id)).one_or_none()
    if row is None:
        raise NotFound(f"there is no user {user_id}: name one with --user.")
    called: str | None = row.called
    return called


def _extent(intake: Intake) -> Row:
    """First and last id of all that came in: one transaction wrote them, so they lie side by side."""
    count = dict(intake.new)
    if intake.restores:
        count["memories"] = intake.largest_memory
    else:
        count.pop("memories", None)  # each has an entry of its own
    spans = {name: [intake.base[name] + 1, intake.base[name] + many] for name, many in count.items() if many}
    return spans | ({"called": intake.called} if intake.called else {})


class _Reading:
    """One pass over a file: hands out the rows to write and counts the rest."""

    def __init__(self, db: Connection, path: Path, secret: Secret | None, writing: Writing) -> None:
        if not path.is_file():
            raise NotFound(f"there is no file {path}: check the name.")
        table = csv_file.is_one(sealed.inner(path))
        opened = sealed.reading(path, secret) if path.suffix.lower() == sealed.ENDING else None
        self._records = csv_file.read(path, self._ignore, opened) if table else json_file.read(path, opened)
        self.intake = Intake(db, writing, restores=not table and is_blank(db, writing.user_id))
        self.ignored: tuple[str, ...] = ()
        self._bad: list[BadRecord] = []
        self._bad_count = 0

    def _ignore(self, columns: tuple[str, ...]) -> None:
        self.ignored = columns

    def rows(self) -> Iterator[tuple[str, Row]]:
        for one in self._records:
            try:
                row = self.intake.take(one)
            except InputError as error:
                self._bad_count += 1
                if len(self._bad) < SHOWN:
                    self._bad.append(BadRecord(one.place, str(error)))
                continue
            if row is not None:
                yield one.section, row

    def preview(self) -> Preview:
        intake = self.intake
        counts = dict(intake.new), dict(intake.duplicates), dict(intake.left)
        marked = intake.marked["pinned"], intake.marked["by_hand"]
        return Preview(intake.restores, *counts, tuple(self._bad), self._bad_count, self.ignored, *marked)


def _chunks(rows: Iterator[tuple[str, Row]]) -> Iterator[tuple[str, list[Row]]]:
    section, waiting = "", list[Row]()
    for name, row in rows:
        if waiting and (name != section or len(waiting) == CHUNK):
            yield section, waiting
            waiting = []
        section = name
        waiting.append(row)
    if waiting:
        yield section, waiting
