"""What belongs together: the journal's entries of a row, rows that replaced each other, lines they came from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, or_, select

from ..values import JournalEntry
from . import tables as t
from .rows import entry_of, is_derived

RUN = "run:"
"""Batches of one run of an agent begin with `run:` and the run's name; each call is a batch of its own."""
PER_QUERY = 10_000
"""Ids that one query names twice; SQLite takes no more than 32,766 values."""


def entries_of(db: Connection, memory_ids: Collection[int]) -> list[JournalEntry]:
    """The entries that touch any of these rows, in order."""
    return [entry_of(row) for row in _touching(db, memory_ids)]


def _touching(db: Connection, memory_ids: Collection[int]) -> list[Row[Any]]:
    journal, found = t.journal.c, dict[int, Row[Any]]()
    for some in pieces(memory_ids):
        touched = or_(journal.memory_id.in_(some), journal.before_id.in_(some))
        found |= {row.id: row for row in db.execute(select(t.journal).where(touched).order_by(journal.id))}
    return [found[key] for key in sorted(found)]


def pieces(ids: Iterable[int]) -> Iterator[list[int]]:
    """The ids, as many at a time as one query takes."""
    wanted = list(ids)
    yield from (wanted[start : start + PER_QUERY] for start in range(0, len(wanted), PER_QUERY))


def chain(db: Connection, memory_ids: Collection[int]) -> set[int]:
    """These rows with all that they replaced and that replaced them, also where that was undone since."""
    return _chained(db, memory_ids, partial(entries_of, db))


def _chained(
    db: Connection, memory_ids: Collection[int], entries: Callable[[Collection[int]], Iterable[JournalEntry]]
) -> set[int]:  # fmt: skip
    known: set[int] = set()
    fresh = set(memory_ids)
    while fresh:
        known |= fresh
        found: set[int] = set()
        for entry in entries(fresh):
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


class Ties:
    """What `chain` and the evidence tell of each of many rows, read at once: a query for each takes longer than what it
    is asked for."""

    def __init__(self, db: Connection, memory_ids: Collection[int]) -> None:
        self._db = db
        self._entries: defaultdict[int, list[JournalEntry]] = defaultdict(list)
        self._lines: defaultdict[int, set[int]] = defaultdict(set)
        known = chain(db, memory_ids)
        for row in _touching(db, known):
            entry = entry_of(row)
            for key in {row.memory_id, row.before_id} - {None}:
                self._entries[key].append(entry)
        evidence = t.memory_evidence.c
        for some in pieces(known):
            for tie in db.execute(select(evidence.memory_id, evidence.turn_id).where(evidence.memory_id.in_(some))):
                self._lines[tie.memory_id].add(tie.turn_id)

    def chain(self, memory_id: int) -> set[int]:
        """As `chain` of one of the rows."""
        return _chained(self._db, [memory_id], self._of)

    def lines(self, memory_ids: Collection[int]) -> set[int]:
        """The turns that these rows came from, as `evidence_of` tells them, those too that are no more."""
        found = set[int]().union(*(self._lines[key] for key in memory_ids))
        images = (image for one in self._of(memory_ids) for image in (one.before, one.after))
        return found.union(*(image.get("evidence", ()) for image in images if image))

    def _of(self, memory_ids: Collection[int]) -> Iterator[JournalEntry]:
        return (entry for key in memory_ids for entry in self._entries[key])
