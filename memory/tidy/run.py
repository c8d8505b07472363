"""One run of the editor's tools over one memory: what it may touch, what it has done, what every tool asks of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from ..database.rows import evidence_ids, find_memory, image_of
from ..errors import InputError, NotFound
from ..search.search import Searcher
from ..search.vectors import foreign, put
from ..store.store import Store
from ..store.writing import new_run
from ..values import Author, JournalEntry, Memory, User
from .schemas import Arguments

EDITOR = Author("agent:editor")
FOUND_AMONG = 10
"""What was merged must be among so many facts that a search with its old words brings."""
Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What one run may do: `share` of the rows that it found may be closed (never fewer than `least`), and with
    `subject` only rows about that one."""

    share: float = 0.6
    least: int = 20
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One finished call; `wrote` are its entries in the journal, `batch` undoes it alone."""

    name: str
    arguments: Arguments
    result: Result
    batch: str
    wrote: tuple[JournalEntry, ...] = ()

    @property
    def failed(self) -> bool:
        return "error" in self.result


@dataclass
class ToolRun:
    """One run; `calls` are those done so far. `seed` draws the random samples."""

    store: Store
    user: User
    author: Author = EDITOR
    run: str = field(default_factory=new_run)
    limits: RunLimits = RunLimits()
    seed: int = 0
    calls: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        rows = self.store.facts.all(self.user.id, derived=False)
        self.first_rows = {memory.id for memory in rows}
        self.touched: set[int] = set()
        self.rng = random.Random(self.seed)
        self.probe = Searcher()

    def close(self) -> None:
        """Lets go of the searcher that checks merges."""
        self.probe.close()

    def editable(self, db: Connection, memory_id: int) -> Memory:
        """The current row, if this run may touch it. Raises NotFound, InputError."""
        memory = find_memory(db, memory_id)
        if memory is None or memory.user_id != self.user.id:
            raise NotFound(f"there is no memory {memory_id}: search shows the ids.")
        if memory.valid_to is not None:
            raise InputError(f"memory {memory_id} was replaced or deleted: search shows what is current.")
        if memory.pinned:
            raise InputError(f"memory {memory_id} is pinned: leave it as it is.")
        if memory.derived:
            raise InputError(f"memory {memory_id} was concluded from others: tidy those.")
        if self.limits.subject not in (None, memory.subject):
            raise InputError(f"memory {memory_id} is about {memory.subject}: this run is about {self.limits.subject}.")
        return memory

    def spend(self, ids: Sequence[int]) -> None:
        """Counts rows that are about to be closed. Raises InputError when the run has touched its share."""
        touched = self.touched | {one for one in ids if one in self.first_rows}
        most = max(self.limits.least, int(self.limits.share * len(self.first_rows)))
        if len(touched) > most:
            raise InputError(f"this run has touched {len(self.touched)} of {len(self.first_rows)} memories: stop here.")

    def image(self, db: Connection, memory: Memory) -> dict[str, Any]:
        """The row with its evidence, as the journal keeps it."""
        return image_of(memory, evidence_ids(db, memory.id))

    def check_found(self, db: Connection, memory_id: int, fact: str, texts: Sequence[str]) -> None:
        """Raises InputError unless a search with each of `texts` finds the row, as it stands in this transaction."""
        store = self.store
        # Another encoder may be slow or far away, and the write lock is held: then it is found by its words or not.
        embedder = None if store.embedder is None or foreign(store.embedder) else store.embedder
        if embedder is not None:
            put(db, self.user.id, "memory", [memory_id], embedder.embed([fact]), embedder.name)
        for text in dict.fromkeys(texts):
            found = self.probe.search(
                store.db, embedder, self.user.id, text, now=store.now(), limit=FOUND_AMONG, use_turns=False
            )
            if memory_id not in {memory.id for memory in found.memories}:
                raise InputError(f"a search for {text[:60]!r} would not find it any more: keep them apart.")
