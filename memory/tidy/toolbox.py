"""The editor's six tools at work on one user's memory: search, manage, delete, sample, merge, split.

Every call acts for real, in one transaction, in the journal under the agent's name. A call is a batch of its own, so
it can be undone alone, and the batches of a run share its name, so the run can be undone as a whole. What goes wrong
comes back as data: `{"error": sentence}`. Pinned rows are never touched, and a run may only touch a share of the rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from ..database.rows import clean
from ..errors import InputError, NotFound
from ..search.search import Searcher
from ..store.writing import Writing
from ..values import JournalEntry
from . import tool_reads, tool_writes
from .run import Call, Result, ToolRun
from .schemas import Arguments, checked


class MemoryTools(ToolRun):
    """The tools for one run."""

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
            self.probe.close()  # what it keeps may hold rows that were rolled back
            self.probe = Searcher()
            raise
        self.touched |= {one.before["id"] for one in wrote if one.before and one.before["id"] in self.first_rows}
        self.store.vectors.embed_pending(self.user.id, limit=16)
        return result


READS: dict[str, Callable[[ToolRun, Arguments], Result]] = {
    "search_memory": tool_reads.search, "sample_memory": tool_reads.sample,
}  # fmt: skip
WRITES: dict[str, Callable[..., Result]] = {
    "manage_memory": tool_writes.manage, "delete_memory": tool_writes.delete, "merge_memory": tool_writes.merge,
    "split_memory": tool_writes.split,
}  # fmt: skip
