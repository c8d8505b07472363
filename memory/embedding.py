"""Vectors for what is stored: made outside the write lock, and caught up later where they are missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, select

from . import tables as t
from . import vectors
from .base import Base
from .database import raw
from .errors import StoreFull, StoreLocked

RECENT = 64
"""Newest rows that are looked at again each time, since a reply's text grows while it is being written."""

Pending = tuple[str, int, int, str]
"""Kind (`memory` or `turn`), id, user id, text."""


_SOURCES = {"memory": ("memories", "fact", "+s.valid_to IS NULL"), "turn": ("turns", "text", "1")}
"""Table, column of the text, and which rows are searched."""


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
        if done == len(pending) < limit:  # nothing older is left; what comes has higher ids
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
        try:
            # Not durable: a vector that a power cut takes is made again.
            with self.db.write(durable=False) as db:
                for (kind, ref_id, user_id, _), vector in zip(pending, matrix, strict=True):
                    if _exists(db, kind, ref_id):
                        vectors.put(db, user_id, kind, [ref_id], vector[None, :], self.embedder.name)
        except (StoreFull, StoreLocked):  # what the vector is of is kept, and found by its words until there is room
            return 0
        return len(pending)


def _newest(db: Connection) -> dict[str, int]:
    return {
        kind: raw(db).execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0
        for kind, (table, *_) in _SOURCES.items()
    }


def _pending(
    db: Connection, model: str, user_id: int | None, limit: int, known: Mapping[tuple[str, int | None], int]
) -> list[Pending]:  # fmt: skip
    """Rows without a vector above the ids that are known to have theirs, so that a full look happens once."""
    found: list[Pending] = []
    for kind, (table, words, current) in _SOURCES.items():
        # Goes by id, not by user, since what is new are few ids (the conditions on other columns use no index).
        query = (
            f"SELECT s.id, s.user_id, s.{words} FROM {table} s "
            "LEFT JOIN vectors v ON v.kind = :kind AND v.ref_id = s.id AND v.model = :model "
            f"WHERE s.id > :above AND v.id IS NULL AND s.{words} != '' AND {current} "
            "AND (:user_id IS NULL OR s.user_id = :user_id) ORDER BY s.id DESC LIMIT :some"
        )
        above, some = known.get((kind, user_id), 0), limit - len(found)
        values = {"kind": kind, "model": model, "above": above, "user_id": user_id, "some": some}
        found += [(kind, *row) for row in raw(db).execute(query, values)]
    return found


def _exists(db: Connection, kind: str, ref_id: int) -> bool:
    """Whether the thing is still there: it may have been forgotten while its vector was being made."""
    if kind == "turn":
        return db.scalar(select(1).where(t.turns.c.id == ref_id)) is not None
    return db.scalar(select(1).where(t.memories.c.id == ref_id, t.memories.c.valid_to.is_(None))) is not None
