"""The editor's six tools at work on one user's memory: search, manage, delete, sample, merge, split.

Every call acts for real, in one transaction, in the journal under the agent's name. A call is a batch of its own, so
it can be undone alone, and the batches of a run share its name, so the run can be undone as a whole. What goes wrong
comes back as data: `{"error": sentence}`. Pinned rows are never touched, and a run may only touch a share of the rows.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from . import tool_reads, tool_writes
from .errors import InputError, NotFound
from .rows import clean, evidence_ids, find_memory, image_of
from .search import Searcher
from .toolspec import Arguments, checked
from .values import Author, JournalEntry, Memory, User
from .vectors import put
from .writing import Writing, new_run

if TYPE_CHECKING:
    from .store import Store

EDITOR = Author("agent:editor")
FOUND_AMONG = 10
"""What was merged must be among so many facts that a search with its old words brings."""
Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Limits:
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
class MemoryTools:
    """The tools for one run; `calls` are those done so far. `seed` draws the random samples."""

    store: Store
    user: User
    author: Author = EDITOR
    run: str = field(default_factory=new_run)
    limits: Limits = Limits()
    seed: int = 0
    calls: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        rows = self.store.memories(self.user.id)
        self.first_rows = {memory.id for memory in rows}
        self.touched: set[int] = set()
        self.rng = random.Random(self.seed)
        self._probe = Searcher()

    def close(self) -> None:
        """Lets go of the searcher that checks merges."""
        self._probe.close()

    def call(self, name: str, arguments: Arguments, reason: str | None = None) -> Call:
        """Does one call. `reason` goes into the journal. Raises only what the store itself raises (StoreError)."""
        batch = f"{self.run}.{len(self.calls) + 1}"
        wrote: list[JournalEntry] = []
        try:
            spec, given = checked(name, arguments)
            if spec.writes:
                result = self._write(WRITES[name], name, given, batch, reason, wrote)
            else:
                result = READS[name](self, given)
        except (InputError, NotFound) as error:
            wrote.clear()
            result = {"error": str(error)}
        done = Call(name, dict(arguments), result, batch, tuple(wrote))
        self.calls.append(done)
        return done

    def _write(
        self, act: Callable[..., Result], name: str, given: Arguments, batch: str, reason: str | None,
        wrote: list[JournalEntry],
    ) -> Result:  # fmt: skip
        said = f"-- {name} {json.dumps(given, ensure_ascii=False)}"
        writing = Writing(self.user.id, batch, self.store.now(), self.author, clean(said)[:4000])
        try:
            with self.store.db.write() as db:
                result = act(self, db, writing, given, clean(reason)[:300] if reason else None)
                wrote += result.pop("entries")
        except BaseException:
            self._probe.close()  # what it keeps may hold rows that were rolled back
            self._probe = Searcher()
            raise
        self.touched |= {one.before["id"] for one in wrote if one.before and one.before["id"] in self.first_rows}
        self.store.embed_pending(self.user.id, limit=16)
        return result

    def editable(self, db: Connection, memory_id: int) -> Memory:
        """The current row, if this run may touch it. Raises NotFound, InputError."""
        memory = find_memory(db, memory_id)
        if memory is None or memory.user_id != self.user.id:
            raise NotFound(f"there is no memory {memory_id}: search shows the ids.")
        if memory.valid_to is not None:
            raise InputError(f"memory {memory_id} was replaced or deleted: search shows what is current.")
        if memory.pinned:
            raise InputError(f"memory {memory_id} is pinned: leave it as it is.")
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
        if store.embedder is not None:
            put(db, self.user.id, "memory", [memory_id], store.embedder.embed([fact]), store.embedder.name)
        for text in dict.fromkeys(texts):
            found = self._probe.search(
                store.db, store.embedder, self.user.id, text, now=store.now(), limit=FOUND_AMONG, use_turns=False
            )
            if memory_id not in {memory.id for memory in found.memories}:
                raise InputError(f"a search for {text[:60]!r} would not find it any more: keep them apart.")


READS: dict[str, Callable[[MemoryTools, Arguments], Result]] = {
    "search_memory": tool_reads.search, "sample_memory": tool_reads.sample,
}  # fmt: skip
WRITES: dict[str, Callable[..., Result]] = {
    "manage_memory": tool_writes.manage, "delete_memory": tool_writes.delete, "merge_memory": tool_writes.merge,
    "split_memory": tool_writes.split,
}  # fmt: skip
