"""Joins rows that tell of one matter, through the same tool and the same checks as every other change."""

from __future__ import annotations

import time
from collections.abc import Iterator

from ...memory.tidy.grouping import matters
from ...memory.tidy.tool_reads import vectors_of
from ...memory.tidy.toolbox import MemoryTools
from .agent import Budget, Step, evidence_of, tidiable
from .prompts import Decision


def consolidate(tools: MemoryTools, budget: Budget = Budget()) -> Iterator[Step]:  # noqa: B008 - frozen
    """A step for each group of rows, committed before it is told. Raises StoreError; what was done is kept."""
    began, ops = time.monotonic(), 0
    memories = tidiable(tools)
    if not memories or tools.store.embedder is None:
        return
    turns = evidence_of(tools.store, [memory.id for memory in memories])
    groups = matters(memories, vectors_of(tools, memories), turns)
    for number, group in enumerate(groups, 1):
        late = budget.seconds is not None and time.monotonic() - began > budget.seconds
        if budget.stop() or late or (budget.ops is not None and ops >= budget.ops):
            return
        joined = {"memory_ids": [memory.id for memory in group], "strategy": "concatenate"}
        call = tools.call("merge_memory", joined, "tell of one matter")
        ops += bool(call.wrote)
        yield Step(number, len(groups), group, Decision("join"), call)
