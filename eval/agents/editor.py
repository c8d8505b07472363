"""`chatmem eval editor`: what a run of the editor does to memories that were spoiled on purpose."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.tidy.proposals import Proposal
from ...memory.tidy.run import Call, RunLimits
from ...memory.tidy.toolbox import MemoryTools
from ...memory.values import Memory
from ...models.editor.agent import Budget, Decider, EditorAgent, Lines, LMDecider
from ...models.editor.prompts import Decision
from ..datasets.spoiled import Spoiled, SpoiledRow, fill
from ..measures.intervals import Estimate, bootstrap_ratio
from ..measures.text import contained

if TYPE_CHECKING:
    from ...memory.search.vectors import Embedder
    from ...memory.store.store import Store

RULE = "rule"
RULE_COSINE = 0.9
MEASURES = (
    "duplicates removed", "junk removed", "duplicates and junk removed", "contradictions resolved",
    "sound rows damaged", "rows left",
)  # fmt: skip


class RuleDecider:
    """The baseline: of two rows with a cosine above .9 the newest is kept."""

    name = RULE
    adapter: str | None = None

    def decide(self, proposal: Proposal, lines: Lines) -> Decision:
        """Pairs alone; the rule knows no junk."""
        near = len(proposal.rows) == 2 and proposal.score > RULE_COSINE
        return Decision("changed") if near else Decision("keep")


@dataclass(frozen=True, slots=True)
class Tidying:
    """What became of one memory: (hits, cases) by measure, and the steps, for reading."""

    counts: Mapping[str, tuple[int, int]]
    calls: int
    failed: int
    seconds: float
    steps: tuple[Mapping[str, Any], ...]


def decider_of(spec: str, threads: int | None = None) -> Decider:
    """The rule, or the model of a spec. Raises SettingsError, ModelError."""
    if spec == RULE:
        return RuleDecider()
    from ...models import registry

    local = spec.startswith(("embedded", "gguf:")) and threads
    return LMDecider(registry.load_reader(spec, **({"threads": threads} if local else {})))


def measure(
    memories: Sequence[Spoiled], decider: Decider, embedder: Embedder, tell: Callable[[int], None] = lambda done: None
) -> list[Tidying]:
    """One run on each memory, in a store of its own."""
    from ...memory.store.store import Store

    done = []
    for number, memory in enumerate(memories, 1):
        with (
            tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
            Store.open(Path(folder) / "memory.db", embedder=embedder) as store,
        ):
            done.append(tidied(store, memory, decider))
        tell(number)
    return done


def tidied(store: Store, memory: Spoiled, decider: Decider) -> Tidying:
    """Fills the store, tidies it without a limit of operations, and looks what is left."""
    import time

    user, ids = fill(store, "measured", memory)
    tools = MemoryTools(store, user, limits=RunLimits(share=1.0))
    began = time.monotonic()
    steps = []
    for step in EditorAgent(decider, tools).tidy(Budget(ops=None)):
        if step.call is not None or step.decision.act != "keep":
            steps.append({
                "rows": [row.fact for row in step.rows], "act": step.decision.act, "text": step.decision.text,
                "result": step.call.result if step.call else None,
            })  # fmt: skip
    seconds = time.monotonic() - began
    tools.close()
    left = store.facts.all(user.id)
    failed = sum(call.failed for call in tools.calls)
    return Tidying(score(memory, ids, left, tools.calls), len(tools.calls), failed, seconds, tuple(steps))


def score(
    memory: Spoiled, ids: Sequence[int], left: Sequence[Memory], calls: Sequence[Call]
) -> dict[str, tuple[int, int]]:  # fmt: skip
    """(hits, cases) of each measure.

    A duplicate is removed when its row and the one that it repeats are one now, which holds the fact's words. A
    contradiction is resolved when the old row is gone or is the new one's history, and the new one holds its words. A
    sound row is damaged when no row holds its words any more.
    """
    became = lineage(ids, left, calls)
    rows = memory.rows
    overtaken = {row.of for row in rows if row.role == "newer"}
    hits: dict[str, list[bool]] = {name: [] for name in MEASURES}
    for place, row in enumerate(rows):
        now, before = became[ids[place]], None if row.of is None else became[ids[row.of]]
        if row.role == "junk":
            hits["junk removed"].append(now is None)
        elif row.role == "duplicate":
            hits["duplicates removed"].append(
                (now is None or before in (None, now)) and _holds(row, left, before or now)
            )
        elif row.role == "newer":
            hits["contradictions resolved"].append(before in (None, now) and _holds(row, left, now))
        elif place not in overtaken:
            hits["sound rows damaged"].append(not _holds(row, left, now))
    hits["duplicates and junk removed"] = hits["duplicates removed"] + hits["junk removed"]
    counts = {name: (sum(found), len(found)) for name, found in hits.items()}
    return counts | {"rows left": (len(left), len(rows))}


def lineage(ids: Sequence[int], left: Sequence[Memory], calls: Sequence[Call]) -> dict[int, int | None]:
    """What became of each row: its own id, that of the row it went into (the first part of a split), or nothing."""
    there = {row.id for row in left}
    became: dict[int, int | None] = {}
    for call in calls:
        opened = [entry.after["id"] for entry in call.wrote if entry.after]
        for entry in call.wrote:
            if entry.before:
                became[entry.before["id"]] = opened[0] if opened else None
    found: dict[int, int | None] = {}
    for one in ids:
        now: int | None = one
        while now is not None and now not in there:
            now = became.get(now)
        found[one] = now
    return found


def _holds(row: SpoiledRow, left: Sequence[Memory], now: int | None) -> bool:
    """Whether one row holds the words that tell this fact; a fact without such words must have a row it went into."""
    if not row.keys:
        return now is not None
    return any(all(contained(key, one.fact) == 1 for key in row.keys) for one in left)


def measures(done: Sequence[Tidying]) -> dict[str, Estimate]:
    """Shares over all rows; the intervals draw whole memories again."""
    return {
        name: bootstrap_ratio([run.counts[name][0] for run in done], [run.counts[name][1] for run in done])
        for name in MEASURES
    }
