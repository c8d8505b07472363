"""Trajectories found by search: a tidy in which every allowed decision is tried before one is made.

The editor goes through a spoiled memory as it always does. At each proposal each decision that its grammar allows is
carried out on a copy of the memory as it is then, the two snapshots are compared (`reward.py`), and the decision
that earns most is made; where none earns more than `MARGIN` above keeping, the rows are kept. So nothing is sampled and
no label is read. Each question becomes a training row whose case holds the rewards of all decisions, which the
policy gradient over all actions needs (`methods/epg.py`). "say" takes words that no list holds, so it isn't tried.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...eval.agents.editor import lineage
from ...eval.datasets.spoiled import Spoiled, dump, fill
from ...memory.store.store import Store
from ...memory.tidy.proposals import Proposal
from ...memory.tidy.run import RunLimits
from ...memory.tidy.toolbox import MemoryTools
from ...memory.values import User
from ...models.editor.agent import Budget, EditorAgent, Lines
from ...models.editor.prompts import KEEP, Decision, editor_messages, keep_word, read_decision
from ..policy.rows import Rows, kept_as_made, training_row
from .reward import EditorTask, Situation, reward, snapshot

MARGIN = 0.004
"""What a decision must earn above keeping: less than a fifth of a row saved is no reason to write."""


def searched_rows(folder: Path, name: str, task: EditorTask, places: Sequence[int]) -> Rows:
    """The rows of some of the task's memories, kept in `folder` as they come: an interrupted search goes on."""
    of = hashlib.sha256("".join(dump(task.memories[place]) for place in places).encode()).hexdigest()[:8]

    def trajectories(begin: int) -> Generator[dict[str, Any], None, None]:
        for place in places[begin:]:
            yield trajectory(task, place)

    def tell(done: list[dict[str, Any]]) -> None:
        earned = sum(one["terms"]["reward"] for one in done) / len(done)
        print(
            f"searched {len(done)} of {len(places)} {name} memories, reward {earned:.3f}", file=sys.stderr, flush=True
        )

    path = folder / f"searched-{name}-{of}.jsonl"
    return [row for one in kept_as_made(path, len(places), trajectories, tell) for row in one["rows"]]


def trajectory(task: EditorTask, number: int) -> dict[str, Any]:
    """One memory tidied by search: its rows, and what the whole run was worth over all questions about the memory."""
    memory, all_asks, tells = task.memories[number], task.all_asks(number), task.tells(number)
    with (
        TemporaryDirectory(prefix="chatmem-search-") as scratch,
        Store.open(Path(scratch) / "memory.db", embedder=task.embedder) as store,
    ):
        user, ids = fill(store, "episode", memory)
        store.vectors.embed_pending(user.id, limit=10_000)
        old = snapshot(store, user, all_asks, task.evaluate, tells)
        tools = MemoryTools(store, user, limits=RunLimits(share=1.0))
        searcher = DecisionSearch(task, number, store, tools, ids)
        for _ in EditorAgent(searcher, tools).tidy(Budget(ops=None)):
            pass
        tools.close()
        terms = reward(old, snapshot(store, user, all_asks, task.evaluate, tells))
    return {"memory": number, "terms": terms, "rows": searcher.rows}


class DecisionSearch:
    """Stands where the agent's model would: tries every decision, makes the best one, and writes all down."""

    name = "search"
    adapter: str | None = None

    def __init__(self, task: EditorTask, number: int, store: Store, tools: MemoryTools, ids: Sequence[int]) -> None:
        self.task, self.number, self.store, self.tools, self.ids = task, number, store, tools, ids
        self.rows: Rows = []

    def decide(self, proposal: Proposal, lines: Lines) -> Decision:
        """The decision that earns most. Of "same" and "changed" that lead to one result, the question decides."""
        asked = replace(proposal, offers=tuple(offer for offer in proposal.offers if offer != "say"))
        keep, *others = actions(asked)
        if not others:
            return Decision("keep")
        memory, user = self.task.memories[self.number], self.tools.user
        places = self._places(asked)
        case = {"memory": self.number, "rows": sorted(place for told in places for place in told)}
        rewards = {keep: 0.0} | self._tried(user, asked, others, case)
        best = self._best(keep, rewards, case)
        more = {"rewards": rewards, "label": label(memory, places)}
        self.rows.append(training_row(editor_messages(asked, lines), best) | {"case": case | more})
        return read_decision(best, asked)

    def _best(self, keep: str, rewards: Mapping[str, float], case: Mapping[str, Any]) -> str:
        """Above keeping by the margin; of equals "changed" where a question tells that the older fact is overtaken."""
        top = max(rewards.values())
        equal = [text for text, value in rewards.items() if value > top - MARGIN]
        if keep in equal:
            return keep
        rows = [self.task.memories[self.number].rows[place] for place in case["rows"]]
        overtaken = any(row.role == "newer" and row.of in case["rows"] for row in rows)
        return equal[-1 if overtaken else 0]

    def _tried(
        self, user: User, proposal: Proposal, texts: Sequence[str], case: Mapping[str, Any]
    ) -> dict[str, float]:  # fmt: skip
        asks, tells = self.task.asks(case), self.task.tells(self.number)
        old = snapshot(self.store, user, asks, self.task.evaluate, tells)
        given = Situation(self.store, user, proposal, asks, old, tells)
        return {text: round(self.task.tried(given, read_decision(text, proposal))[0]["reward"], 6) for text in texts}

    def _places(self, proposal: Proposal) -> list[list[int]]:
        """Which rows of the memory as it was are in each row now."""
        left = self.store.facts.all(self.tools.user.id)
        became = lineage(self.ids, left, self.tools.calls)
        return [[place for place, one in enumerate(self.ids) if became[one] == row.id] for row in proposal.rows]


def actions(proposal: Proposal) -> list[str]:
    """The completions that the grammar allows, keeping first; without "say", whose words are free."""
    words = [offer for offer in proposal.offers if offer not in ("say", "topic")]
    topics = [f"topic {topic}" for topic in proposal.topics if "topic" in proposal.offers]
    return [keep_word(proposal), *words, *topics]


def label(memory: Spoiled, places: Sequence[Sequence[int]]) -> str:
    """The answer by construction: what the rows are is known because they were made so."""
    roles = {memory.rows[place].role for told in places for place in told}
    if len(places) == 1:
        return "drop" if roles == {"junk"} else KEEP[1]
    one, two = ({p if memory.rows[p].of is None else memory.rows[p].of for p in told} for told in places)
    if not one & two:
        return KEEP[2]
    newer = [any(memory.rows[place].role == "newer" for place in told) for told in places]
    return "changed" if newer[0] != newer[1] else "same"


def agreement(rows: Rows) -> list[str]:
    """How often the decision that search found is the label by construction, and the ways in which it differs."""
    pairs = Counter((row["case"]["label"], row["completion"].split()[0]) for row in rows if "label" in row["case"])
    same = sum(count for (given, found), count in pairs.items() if given == found)
    told = [f"search found the label by construction in {same} of {pairs.total()} decisions"]
    apart = [(count, given, found) for (given, found), count in pairs.items() if given != found]
    return told + [
        f"  {count}: {given} by construction, {found} by search" for count, given, found in sorted(apart)[::-1]
    ]
