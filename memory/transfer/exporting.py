"""What leaves the memory: everything as JSON, the facts as CSV or Markdown for people, a database of their own."""

from __future__ import annotations

import csv
import os
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from sqlalchemy import Connection, Table, select

from ..database import tables as t
from ..database.derived import facts_of
from ..database.disk_full import NO_ROOM, is_full
from ..database.driver import connect, errors
from ..database.key import Key
from ..database.rows import DERIVED, is_derived, loads, memory_of_image
from ..errors import InputError, StoreFull, WrongUsage
from ..repair.placing import put_in_place
from ..values import Memory, Turn
from . import json_file, sealed
from .csv_file import guarded
from .json_file import Row
from .target import landing

if TYPE_CHECKING:
    from ..store.store import Store

CSV_COLUMNS = ("subject", "topic", "fact", "happened_on", "said_at", "pinned", "created_by", "evidence")
FORMS = {".json": "json", ".csv": "csv", ".md": "markdown", ".db": "db"}
"""What each suffix of an export file means."""
_PAGE = 500


def form_of(path: Path, form: str | None = None) -> str:
    """The form of an export: the one that was asked for, else what the file's suffix says."""
    found = form or FORMS.get(path.suffix.lower())
    if found is None or found not in FORMS.values():
        raise WrongUsage(f"{path.name} does not say what to write: end it in {', '.join(FORMS)}, or name the form.")
    return found


def place_of(store: Store, path: Path, *, plain: bool = False) -> Path:
    """Where `export_file` writes: an encrypted memory's export is sealed and its name says so, unless it is `plain`.

    Raises InputError where no file can be: a device, a pipe, a folder.
    """
    place = sealed.place(path, None if plain else store.db.key)
    landing(place, "leave FILE out to write to stdout")
    return place


def export_file(store: Store, user_id: int, path: Path, form: str | None = None, *, plain: bool = False) -> int:
    """Write an export to `place_of` this path and return how many records it holds.

    The file appears whole or not at all, and only its owner can read it; the store keeps in mind where it is. A link
    stays one, what it leads to is written. Raises InputError when it can't be written.
    """
    found = form_of(sealed.inner(path), form)
    path, key = landing(place_of(store, path, plain=plain)), None if plain else store.db.key
    if path == store.db.path.resolve():
        raise InputError(f"{path} is the memory itself: export to another file.")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        try:
            count = _fill(store, user_id, Path(name), found, key)
            put_in_place(Path(name), path)
        finally:
            Path(name).unlink(missing_ok=True)
        store.forget.wrote(user_id, path)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StoreFull(f"the disk is full: {path} was not written; free some space.") from error
        raise InputError(f"{path} can't be written ({error.strerror}): choose another place.") from error
    return count


def _fill(store: Store, user_id: int, path: Path, form: str, key: Key | None) -> int:
    try:
        if form == "db":
            return write_database(store, user_id, path, key)
        if key is not None:
            with sealed.writing(path, key) as out:
                return export_text(store, user_id, out, form)
    except errors() as error:
        if not is_full(path):
            raise
        raise StoreFull(f"the disk is full: {path.name} was not written; free some space.") from error
    with path.open("w", encoding="utf-8", newline="" if form == "csv" else "\n") as out:
        return export_text(store, user_id, out, form)


def export_text(store: Store, user_id: int, out: TextIO, form: str, *, only: Collection[int] | None = None) -> int:
    """Write an export as text: `json`, `csv` or `markdown`. `only`: of these memories alone, where they are a list."""
    lists = {"csv": write_csv, "markdown": write_markdown}
    if form not in ("json", *lists):
        raise WrongUsage(f"{form!r} can't be written as text: choose {', '.join(('json', *lists))}.")
    if form in lists:
        return lists[form](store, user_id, out, only)
    if only is not None:
        raise WrongUsage("JSON is complete or nothing: choose csv or markdown for some of the memories.")
    return write_json(store, user_id, out)


def write_json(store: Store, user_id: int, out: TextIO) -> int:
    """Everything about one user, in the form that `import` takes: see `json_file`."""
    user = store.users.by_id(user_id)
    with store.db.read() as db:
        return json_file.write(out, {"name": user.name, "called": user.called}, dict(_sections(db, user_id)))


def _sections(db: Connection, user_id: int) -> Iterator[tuple[str, Iterator[Row]]]:
    ids = Numbers(db, user_id)
    yield "sessions", (ids.session(row) for row in _paged(db, t.sessions, user_id))
    yield "turns", (ids.turn(row) for row in _paged(db, t.turns, user_id))
    yield "memories", _memories(db, user_id, ids)
    yield "journal", _journal(db, user_id, ids)


def _paged(db: Connection, table: Table, user_id: int) -> Iterator[Row]:
    """All rows of a user by id."""
    for page in _pages(db, table, table.c.user_id == user_id):
        yield from page


def _pages(db: Connection, table: Table, *which: Any) -> Iterator[list[Row]]:
    """These rows of a table by id, some at a time, so that the memory stays flat.

    Their ids are found at once: a query for each page would find, and sort, all of them anew.
    """
    ids = db.scalars(select(table.c.id).where(*which).order_by(table.c.id)).all()
    for start in range(0, len(ids), _PAGE):
        page = select(table).where(table.c.id.in_(ids[start : start + _PAGE])).order_by(table.c.id)
        yield [dict(row) for row in db.execute(page).mappings()]


def _ties(db: Connection, table: Table, owner: str, ids: list[int]) -> dict[int, list[int]]:
    """The turns tied to each memory or journal entry."""
    column = table.c[owner]
    query = select(column, table.c.turn_id).where(column.between(ids[0], ids[-1])).order_by(column, table.c.turn_id)
    found: dict[int, list[int]] = {}
    for one, turn_id in db.execute(query):
        found.setdefault(one, []).append(turn_id)
    return found


def _memories(db: Connection, user_id: int, ids: Numbers) -> Iterator[Row]:
    for page in _pages(db, t.memories, t.memories.c.user_id == user_id):
        evidence = _ties(db, t.memory_evidence, "memory_id", [row["id"] for row in page])
        for row in page:
            yield ids.memory(row | {"evidence": evidence.get(row["id"], [])})


def exported_entries(user_id: int) -> Any:
    """The journal but for the entries that say that a file was imported (or that this was undone).

    They tell of this database, and hold its ids; the rows that came with a file are in the export themselves.
    """
    imports = select(t.journal.c.id).where(t.journal.c.user_id == user_id, t.journal.c.kind == "import")
    undoes = t.journal.c.undoes
    return (t.journal.c.kind != "import") & (undoes.is_(None) | undoes.not_in(imports))


def _journal(db: Connection, user_id: int, ids: Numbers) -> Iterator[Row]:
    for page in _pages(db, t.journal, t.journal.c.user_id == user_id, exported_entries(user_id)):
        turns = _ties(db, t.journal_turns, "journal_id", [row["id"] for row in page])
        for row in page:
            yield ids.entry(row, turns.get(row["id"], []))


class Numbers:
    """Running numbers in place of the ids of one user's rows."""

    def __init__(self, db: Connection, user_id: int) -> None:
        journal = t.journal.c
        own = journal.user_id == user_id
        self._session = self._number(db, select(t.sessions.c.id).where(t.sessions.c.user_id == user_id))
        self._turn = self._number(db, select(t.turns.c.id).where(t.turns.c.user_id == user_id))
        # A row that was undone lives on in the journal alone, and keeps its place in the count.
        rows = select(t.memories.c.id).where(t.memories.c.user_id == user_id)
        told = (select(column).where(own, column.is_not(None)) for column in (journal.memory_id, journal.before_id))
        self._memory = self._number(db, rows.union(*told))
        self._entry = self._number(db, select(journal.id).where(own, exported_entries(user_id)))

    @staticmethod
    def _number(db: Connection, query: Any) -> dict[int, int]:
        return {one: number for number, one in enumerate(sorted(db.scalars(query)), 1)}

    def session(self, row: Mapping[str, Any]) -> Row:
        names = ("title", "started_at", "ended_at")
        return {"id": self._session[row["id"]]} | {name: row[name] for name in names}

    def turn(self, row: Mapping[str, Any]) -> Row:
        names = ("speaker", "text", "said_at", "status", "storage")
        own = {"id": self._turn[row["id"]], "session": self._session[row["session_id"]]}
        return own | {name: row[name] for name in names}

    def memory(self, row: Mapping[str, Any]) -> Row:
        numbered: Row = {"id": self._memory.get(row["id"]), "replaces": self._memory.get(row["replaces"])}
        numbered["evidence"] = [self._turn[one] for one in row["evidence"] if one in self._turn]
        numbered["pinned"] = bool(row["pinned"])
        told = [name for name in json_file.FIELDS["memories"] if name not in DERIVED]
        own = {name: numbered[name] if name in numbered else row[name] for name in told}
        return own | self._derived(row) if is_derived(row) else own

    def _derived(self, row: Mapping[str, Any]) -> Row:
        rests = facts_of(row["rests_on"]) if isinstance(row["rests_on"], str) else row["rests_on"]
        numbers = (self._memory.get(one) for one in rests)
        return {"certainty": row["certainty"], "rests_on": [one for one in numbers if one is not None]}

    def entry(self, row: Mapping[str, Any], turns: list[int]) -> Row:
        numbered = {
            "id": self._entry[row["id"]],
            "memory": self._memory.get(row["memory_id"]),
            "turn": self._turn.get(row["turn_id"]),
            "session": self._session.get(row["session_id"]),
            "turns": [self._turn[one] for one in turns if one in self._turn],
            "undoes": self._entry.get(row["undoes"]),
            "undone": bool(row["undone"]),
            "before": self._image(row["before"]),
            "after": self._image(row["after"]),
        }
        return {name: numbered[name] if name in numbered else row[name] for name in json_file.FIELDS["journal"]}

    def _image(self, text: str | None) -> Row | None:
        image = loads(text)
        return self.memory(image) if image and "id" in image else image


def write_csv(store: Store, user_id: int, out: TextIO, only: Collection[int] | None = None) -> int:
    """The current facts with what was said, one a row, for a spreadsheet."""
    writer = csv.writer(out)
    writer.writerow(CSV_COLUMNS)
    count = 0
    for memory, said in _with_evidence(store, user_id, only=only):
        values = {name: getattr(memory, name) for name in CSV_COLUMNS[:-1]}
        lines = [f"{turn.speaker}: {turn.text}" for turn in said]
        values |= {"pinned": "yes" if memory.pinned else "", "evidence": "\n".join(lines)}
        writer.writerow(["" if values[name] is None else guarded(values[name]) for name in CSV_COLUMNS])
        count += 1
    return count


def _with_evidence(
    store: Store, user_id: int, subject: str | None = None, only: Collection[int] | None = None
) -> Iterator[tuple[Memory, Sequence[Turn]]]:
    """The current memories by id (of `only` alone), each with the turns it came from."""
    memories = t.memories.c
    current = [memories.user_id == user_id, memories.valid_to.is_(None)]
    current += [] if subject is None else [memories.subject == subject]
    with store.db.read() as db:
        for page in _pages(db, t.memories, *current):
            evidence = store.facts.evidence([row["id"] for row in page])
            wanted = [row for row in page if only is None or row["id"] in only]
            yield from ((memory_of_image(row, user_id), evidence.get(row["id"], ())) for row in wanted)


def write_markdown(store: Store, user_id: int, out: TextIO, only: Collection[int] | None = None) -> int:
    """The current facts as a page to read: a heading for each subject, what was said under each fact."""
    user = store.users.by_id(user_id)
    out.write(f"# What chatmem remembers for {_plain(user.called or user.name)}\n")
    count = 0
    for subject in store.facts.subjects(user_id):
        for at, (memory, said) in enumerate(_with_evidence(store, user_id, subject, only)):
            if not at:
                out.write(f"\n## {_plain(subject)}\n\n")
            out.write(_bullet(memory))
            for turn in said:
                out.write(f"  > {_plain(turn.speaker)}, {turn.said_at[:10]}: {_plain(turn.text)}\n\n")
            count += 1
    return count


def _bullet(memory: Memory) -> str:
    notes = [_plain(memory.topic), memory.happened_on or "", "pinned" if memory.pinned else ""]
    told = ", ".join(note for note in notes if note)
    return f"- {_plain(memory.fact)}" + (f" ({told})" if told else "") + "\n\n"


def _plain(text: str) -> str:
    """Text on one line that Markdown shows as it is."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))


TABLES: Mapping[str, tuple[Mapping[str, type], Mapping[str, str]]] = {
    "sessions": ({"id": int, "title": str, "started_at": str, "ended_at": str}, {}),
    "turns": (
        {"id": int, "session_id": int, "speaker": str, "text": str, "said_at": str, "status": str},
        {"session_id": "sessions"},
    ),
    "memories": (
        {"id": int, "subject": str, "topic": str, "fact": str, "happened_on": str, "said_at": str, "valid_from": str}
        | {"valid_to": str, "pinned": bool, "created_by": str, "replaces": int}
        | {"certainty": float, "rests_on": str},
        {},
    ),
    "evidence": ({"memory_id": int, "turn_id": int}, {"memory_id": "memories", "turn_id": "turns"}),
}
"""The tables of a database export: columns with their types, and what refers to what."""


def write_database(store: Store, user_id: int, path: Path, key: Key | None = None) -> int:
    """A SQLite database of its own: plain tables with foreign keys and full text search, for any SQL tool.

    With a key it is encrypted, for any tool with SQLCipher.
    """
    import sqlite_utils

    out = sqlite_utils.Database(connect(str(path), key))
    with store.db.read() as db:
        for name, rows in _tables(db, user_id):
            columns, refers = TABLES[name]
            primary: Any = "id" if "id" in columns else tuple(columns)
            made = out.table(name).create(
                columns, pk=primary, foreign_keys=[(own, other, "id") for own, other in refers.items()]
            )
            made.insert_all(({column: row[column] for column in columns} for row in rows), batch_size=_PAGE)
    for name, column in (("memories", "fact"), ("turns", "text")):
        out.table(name).enable_fts([column], tokenize="porter")
    count: int = out.table("memories").count
    out.close()
    return count


def _tables(db: Connection, user_id: int) -> Iterator[tuple[str, Iterator[Mapping[str, Any]]]]:
    yield "sessions", _paged(db, t.sessions, user_id)
    yield "turns", _paged(db, t.turns, user_id)
    yield "memories", _paged(db, t.memories, user_id)
    evidence, mine = t.memory_evidence.c, t.turns.c.user_id == user_id
    # Joined: of two IN (SELECT ...) SQLite looks up each turn with each memory.
    ties = select(t.memory_evidence).join(t.memories, t.memories.c.id == evidence.memory_id)
    ties = ties.join(t.turns, t.turns.c.id == evidence.turn_id).where(t.memories.c.user_id == user_id, mine)
    yield "evidence", (dict(row) for row in db.execute(ties).mappings())
