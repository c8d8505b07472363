"""What a reply is made from, so that nothing that is forgotten while it is written comes back with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from sqlalchemy import Connection, func, select, text

from ..database import tables as t
from ..values import FORGOTTEN, Recall, RecallItem


@dataclass(frozen=True, slots=True)
class Basis:
    """The turns and the memories, by id, that a model was shown when it began to write."""

    turns: frozenset[int] = frozenset()
    rows: frozenset[int] = frozenset()

    def with_recall(self, recall: Recall) -> Basis:
        """The same and what was recalled. A line of which only that it was said is left tells nothing that could be
        forgotten yet: a fact may stand without its line."""
        told = self.with_turns(*(one.id for item in recall.items for one in item.turns if one.text != FORGOTTEN))
        return Basis(told.turns, self.rows | {one.id for one in recall.memories})

    def with_turns(self, *ids: int) -> Basis:
        """The same and these turns; an id of 0 is a turn that is kept nowhere."""
        return Basis(self.turns | {one for one in ids if one}, self.rows)


def is_gone(db: Connection, basis: Basis) -> bool:
    """Whether any of it was forgotten since. A row that was undone is in the journal still; a forgotten one nowhere."""
    turns = t.turns.c
    kept = select(func.count()).where(turns.id.in_(basis.turns), turns.text != FORGOTTEN)
    if basis.turns and db.scalars(kept).one() < len(basis.turns):
        return True
    return len(_kept_rows(db, basis.rows)) < len(basis.rows)


def _kept_rows(db: Connection, rows: Collection[int]) -> set[int]:
    """Those of the rows that are there, or were undone."""
    living = set(db.scalars(select(t.memories.c.id).where(t.memories.c.id.in_(rows)))) if rows else set[int]()
    lost = {*rows} - living
    told = select(t.journal.c.memory_id).where(t.journal.c.memory_id.in_(lost)).distinct()
    return living | ({key for key in db.scalars(told) if key is not None} if lost else set())


def _given(db: Connection, table: str) -> int:
    """The last number that was given to a row of a table: a higher one was never erased."""
    return int(db.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table}) or 0)


def left_of(db: Connection, user_id: int, recall: Recall, line: int, before: Collection[int] = ()) -> Recall | None:
    """A recall without the facts and lines that were erased since; None where the `line` was that it was for. Where any
    was, or a line `before` on which the search may have leaned, no statement and no step stays that may name it."""
    told = {one.id for item in recall.items for one in item.turns if one.text != FORGOTTEN}
    told |= {one.turn_id for one in recall.left_out if one.turn_id} | {line, *before}
    kept = (t.turns.c.id.in_(told), t.turns.c.user_id == user_id, t.turns.c.text != FORGOTTEN)
    turns = told - set(db.scalars(select(t.turns.c.id).where(*kept))) - {0}
    facts = {one.id for one in recall.memories} | {one.memory_id for one in recall.left_out if one.memory_id}
    rows = facts - _kept_rows(db, facts)
    turns = {key for key in turns if key <= _given(db, "turns")}
    rows = {key for key in rows if key <= _given(db, "memories")}
    if line in turns or not (turns or rows):
        return None if line in turns else recall
    items = (_left(one, turns) for one in recall.items if not one.memory or one.memory.id not in rows)
    left_out = (one for one in recall.left_out if one.turn_id not in turns and one.memory_id not in rows)
    return replace(
        recall, items=tuple(one for one in items if one.memory or one.turns), left_out=tuple(left_out),
        overtaken=tuple(one for one in recall.overtaken if one.turn_id not in turns),
        sql=None, refused=None, hops=(), chosen="",
    )  # fmt: skip


def _left(item: RecallItem, gone: Collection[int]) -> RecallItem:
    """A thing recalled without those of its lines."""
    turns = tuple(one for one in item.turns if one.id not in gone)
    return item if turns == item.turns else replace(item, turns=turns, passage="")
