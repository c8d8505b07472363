"""Taking back many inserts at once, as after the import of a table: a handful of statements instead of ten a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlalchemy import Connection, func, insert, select, text, update

from . import tables as t
from .base import reindex
from .rows import IMAGE_FIELDS, delete_memories, dumps
from .values import Author, JournalEntry, Moment

CHUNK = 500
"""Rows that one statement names; SQLite takes 32,766 values."""


def inserts_back(
    db: Connection, entries: Sequence[JournalEntry], author: Author, batch: str, at: Moment
) -> list[JournalEntry] | None:
    """Takes back entries that are all inserts of one user, in the order given; returns what the journal says of it.

    None, with nothing done, when they are something else or a row is not as its insert left it: then one goes after
    the other, and the one in the way is named.
    """
    plain = all(one.kind == "insert" and not one.undone and one.after and not one.before for one in entries)
    if not plain or len({one.user_id for one in entries}) > 1 or not _all_unchanged(db, entries):
        return None
    ids = [one.after["id"] for one in entries if one.after]
    for some in _chunks(ids):
        reindex(db, closed=some)
        delete_memories(db, some)
    for some in _chunks([one.id for one in entries]):
        db.execute(update(t.journal).where(t.journal.c.id.in_(some)).values(undone=True))
    return _record(db, entries, author, batch, at)


def _all_unchanged(db: Connection, entries: Sequence[JournalEntry]) -> bool:
    images = {one.after["id"]: one.after for one in entries if one.after}
    same = 0
    for some in _chunks(list(images)):
        for row in db.execute(select(t.memories).where(t.memories.c.id.in_(some))).mappings():
            same += all(row[name] == images[row["id"]][name] for name in IMAGE_FIELDS)
    return same == len(entries)


def _record(
    db: Connection, entries: Sequence[JournalEntry], author: Author, batch: str, at: Moment
) -> list[JournalEntry]:
    given = db.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = 'journal'")) or 0
    first = max(given, db.scalar(select(func.max(t.journal.c.id))) or 0) + 1
    written = [
        replace(
            one, id=first + place, batch=batch, at=at, kind="undo", author=author, sql=f"-- undo {one.id}",
            turn_id=None, before=one.after, after=None, reason=None, undone=False, undoes=one.id,
        )
        for place, one in enumerate(entries)
    ]  # fmt: skip
    rows = [
        {
            "id": one.id, "user_id": one.user_id, "batch": batch, "at": at, "kind": "undo", "actor": author.actor,
            "model": author.model, "adapter": author.adapter, "sql": one.sql, "session_id": one.session_id,
            "memory_id": one.memory_id, "before_id": one.memory_id, "before": dumps(one.before), "undoes": one.undoes,
        }
        for one in written
    ]  # fmt: skip
    db.execute(insert(t.journal), rows)
    return written


def _chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]
