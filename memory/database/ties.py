"""What belongs together: the journal's entries of a row, rows that replaced each other, lines they came from."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, or_, select

from ..values import JournalEntry
from . import tables as t
from .rows import entry_of, is_derived

RUN = "run:"
"""Batches of one run of an agent begin with `run:` and the run's name; each call is a batch of its own."""


def entries_of(db: Connection, memory_ids: Collection[int]) -> list[JournalEntry]:
    """The entries that touch any of these rows, in order."""
    journal = t.journal.c
    touched = or_(journal.memory_id.in_(memory_ids), journal.before_id.in_(memory_ids))
    return [entry_of(row) for row in db.execute(select(t.journal).where(touched).order_by(journal.id))]


def chain(db: Connection, memory_ids: Collection[int]) -> set[int]:
    """These rows with all that they replaced and that replaced them, also where that was undone since."""
    known: set[int] = set()
    fresh = set(memory_ids)
    while fresh:
        known |= fresh
        found: set[int] = set()
        for entry in entries_of(db, fresh):
            for image in (entry.before, entry.after):
                if image and "id" in image:
                    found.add(image["id"])
            if entry.batch.startswith(RUN):
                found |= _of_call(db, entry.batch, fresh)
        fresh = found - known
    return known


def _of_call(db: Connection, batch: str, ids: Collection[int]) -> set[int]:
    """What one call of an agent ties together: a row with those merged into it, a part with the row it was cut from.

    Parts are not tied to each other, so that one can be forgotten and the others stay.
    """
    rows = [entry_of(row) for row in db.execute(select(t.journal).where(t.journal.c.batch == batch))]
    opened = {one.after["id"] for one in rows if one.after}
    closed = {one.before["id"] for one in rows if one.kind == "delete" and one.before and not is_derived(one.before)}
    found: set[int] = set()
    if opened & set(ids):
        found |= closed
    if len(opened) == 1 and closed & set(ids):
        found |= opened
    return found


def evidence_of(db: Connection, user_id: int, memory_ids: Collection[int]) -> list[int]:
    """The turns that these rows came from, also where an undo has taken the row away since."""
    evidence = t.memory_evidence.c
    found = set(db.scalars(select(evidence.turn_id).where(evidence.memory_id.in_(memory_ids))))
    for entry in entries_of(db, memory_ids):
        for image in (entry.before, entry.after):
            found |= set(image.get("evidence", ()) if image else ())
    living = select(t.turns.c.id).where(t.turns.c.id.in_(found), t.turns.c.user_id == user_id)
    return list(db.scalars(living))
