"""What a reply is made from, so that nothing that is forgotten while it is written comes back with it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from ..database import tables as t
from ..values import FORGOTTEN, Recall


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
    living = set(db.scalars(select(t.memories.c.id).where(t.memories.c.id.in_(basis.rows)))) if basis.rows else set()
    lost = basis.rows - living
    told = select(t.journal.c.memory_id).where(t.journal.c.memory_id.in_(lost)).distinct()
    return bool(lost) and len(lost) > len(set(db.scalars(told)))
