"""Vectors for what is stored: made outside the write lock, and caught up later where they are missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, and_, func, select

from . import tables as t
from . import vectors
from .base import Base

RECENT = 64
"""Newest rows that are looked at again each time, since a reply's text grows while it is being written."""

Pending = tuple[str, int, int, str]
"""Kind (`memory` or `turn`), id, user id, text."""


class Embedding(Base):
    """The part of the store that gives memories and turns their vectors. Without an embedder it does nothing."""

    def embed_pending(self, user_id: int | None = None, limit: int = 256) -> int:
        """Embeds up to `limit` memories and turns without a vector, newest first; returns how many it did."""
        if self.embedder is None or self.db.read_only:
            return 0
        with self.db.read() as db:
            newest = _newest(db)
            pending = _pending(db, self.embedder.name, user_id, limit, self.embedded_to)
        done = self._embed(pending)
        if len(pending) < limit:  # nothing older is left; what comes has higher ids
            self.embedded_to |= {(kind, user_id): newest_id - RECENT for kind, newest_id in newest.items()}
        return done

    def _embed_memories(self, memory_ids: Iterable[int | None]) -> None:
        ids = [memory_id for memory_id in memory_ids if memory_id is not None]
        if self.embedder is None or not ids:
            return
        current = (t.memories.c.id.in_(ids), t.memories.c.valid_to.is_(None))
        query = select(t.memories.c.id, t.memories.c.user_id, t.memories.c.fact).where(*current)
        with self.db.read() as db:
            pending: list[Pending] = [("memory", row.id, row.user_id, row.fact) for row in db.execute(query)]
        self._embed(pending)

    def _embed(self, pending: Sequence[Pending]) -> int:
        if self.embedder is None or not pending:
            return 0
        matrix = self.embedder.embed([text for *_, text in pending])
        # Not durable: a vector that a power cut takes is made again.
        with self.db.write(durable=False) as db:
            for (kind, ref_id, user_id, _), vector in zip(pending, matrix, strict=True):
                if _exists(db, kind, ref_id):
                    vectors.put(db, user_id, kind, [ref_id], vector[None, :], self.embedder.name)
        return len(pending)


def _newest(db: Connection) -> dict[str, int]:
    tables = {"memory": t.memories, "turn": t.turns}
    return {kind: db.scalar(select(func.coalesce(func.max(table.c.id), 0))) or 0 for kind, table in tables.items()}


def _pending(
    db: Connection, model: str, user_id: int | None, limit: int, known: Mapping[tuple[str, int | None], int]
) -> list[Pending]:  # fmt: skip
    """Rows without a vector above the ids that are known to have theirs, so that a full look happens once."""
    found: list[Pending] = []
    for kind, table, text in (("memory", t.memories, t.memories.c.fact), ("turn", t.turns, t.turns.c.text)):
        mine = and_(t.vectors.c.kind == kind, t.vectors.c.ref_id == table.c.id, t.vectors.c.model == model)
        query = select(table.c.id, table.c.user_id, text.label("words")).join(t.vectors, mine, isouter=True)
        query = query.where(t.vectors.c.ref_id.is_(None), text != "", table.c.id > known.get((kind, user_id), 0))
        if kind == "memory":
            query = query.where(t.memories.c.valid_to.is_(None))
        if user_id is not None:
            query = query.where(table.c.user_id == user_id)
        rows = db.execute(query.order_by(table.c.id.desc()).limit(limit - len(found)))
        found += [(kind, row.id, row.user_id, row.words) for row in rows]
    return found


def _exists(db: Connection, kind: str, ref_id: int) -> bool:
    """Whether the thing is still there: it may have been forgotten while its vector was being made."""
    if kind == "turn":
        return db.scalar(select(1).where(t.turns.c.id == ref_id)) is not None
    return db.scalar(select(1).where(t.memories.c.id == ref_id, t.memories.c.valid_to.is_(None))) is not None
