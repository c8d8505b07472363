"""The editor agent: goes through what might be tidied, lets a model decide, and acts through the six tools."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ...memory.errors import PromptTooLong
from ...memory.tidy.grouping import matters
from ...memory.tidy.proposals import Proposal, pair, pairs, single_offers, singles
from ...memory.tidy.run import Call
from ...memory.tidy.tool_reads import vectors_of
from ...memory.tidy.toolbox import MemoryTools
from ...memory.values import OWN_NAME, Memory, Turn
from ..lm import LM
from ..prompts.tuned import Prompt
from .prompts import WHOLE, Decision, editor_messages, editor_options, read_decision

if TYPE_CHECKING:
    import numpy as np

    from ...memory.store.store import Store

OPS = 30
ROWS = 5_000
"""Newest rows that one run looks at."""
Lines = Mapping[int, Sequence[str]]
Found = tuple[list[Proposal], Mapping[int, Sequence[str]]]
"""What might be tidied, and what was said, by row id."""
REASONS = {
    "same": "said twice", "changed": "the newer replaces the older", "drop": "no lasting fact",
    "split": "several facts in one", "say": "told better by its line", "topic": "belongs under that topic",
    "join": "tell of one matter",
}  # fmt: skip


class Decider(Protocol):
    """Says what to do with a proposal. `name` and `adapter` go into the journal."""

    name: str
    adapter: str | None

    def decide(self, proposal: Proposal, lines: Lines) -> Decision: ...


class LMDecider:
    """Asks a model, in the text protocol; without an adapter it is told the rules first."""

    def __init__(self, lm: LM, prompt: Prompt | None = None, asked: str = "") -> None:
        """`prompt`: one tuned to a model without an adapter; None: the hand-written rules. `asked`: a question that
        the memory is to answer, shown with every proposal."""
        self.asked = asked
        self.lm, self.name, self.adapter = lm, lm.name, lm.adapter
        self.prompt = prompt if lm.adapter is None else None

    def decide(self, proposal: Proposal, lines: Lines) -> Decision:
        """Raises ModelError."""
        messages = editor_messages(proposal, lines, guide=self.adapter is None, asked=self.asked)
        messages = self.prompt.before(messages) if self.prompt else messages
        text = ""
        try:
            for chunk in self.lm.generate(messages, editor_options(proposal)):
                text += chunk.text
                if text in WHOLE:
                    break  # what follows could only end the reply, at the price of one more step
        except PromptTooLong:
            return Decision("keep")
        return read_decision(text, proposal)


@dataclass(frozen=True, slots=True)
class Budget:
    """A run ends after `ops` calls that change something, after `seconds`, or when `stop` says so."""

    ops: int | None = OPS
    seconds: float | None = None
    stop: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Step:
    """One proposal, decided: `done` of `of`, and the call where something was to be done."""

    done: int
    of: int
    rows: tuple[Memory, ...]
    decision: Decision
    call: Call | None = None

    @property
    def changed(self) -> bool:
        return self.call is not None and bool(self.call.wrote)

    @property
    def reason(self) -> str:
        return REASONS.get(self.decision.act, "")


class EditorAgent:
    """Tidies through `tools`; every step is committed before it is told, so a run can be cut off anywhere."""

    def __init__(self, decider: Decider, tools: MemoryTools) -> None:
        self.decider, self.tools = decider, tools
        tools.author = replace(tools.author, model=decider.name, adapter=decider.adapter)
        self._became: dict[int, int | None] = {}
        self._asked: set[tuple[tuple[int, ...], bool]] = set()

    def tidy(self, budget: Budget = Budget(), found: Found | None = None) -> Iterator[Step]:
        """Steps in the order of what they promise. `found`: what to look at, where that is known already.

        Raises ModelError and StoreError; what was done is kept.
        """
        began, ops = time.monotonic(), 0
        proposals, lines = found or find_proposals(self.tools)
        lines = dict(lines)
        for number, proposal in enumerate(proposals, 1):
            late = budget.seconds is not None and time.monotonic() - began > budget.seconds
            if budget.stop() or late or (budget.ops is not None and ops >= budget.ops):
                return
            step = self._step(proposal, lines, number, len(proposals))
            ops += step.call is not None
            yield step

    def _step(self, proposal: Proposal, lines: dict[int, Sequence[str]], number: int, of: int) -> Step:
        fresh = self._renewed(proposal, lines)
        if fresh is None:
            return Step(number, of, proposal.rows, Decision("keep"))
        decision = self.decider.decide(fresh, lines)
        call = self.act(fresh, decision)
        if call is not None and call.wrote:
            self._follow(call, lines)
        return Step(number, of, fresh.rows, decision, call)

    def _renewed(self, proposal: Proposal, lines: Lines) -> Proposal | None:
        """The proposal about the rows as they are now; None when they are gone, one, or were looked at already."""
        ids = [self._now(memory.id) for memory in proposal.rows]
        if None in ids or len(set(ids)) < len(ids):
            return None
        key = tuple(sorted(one for one in ids if one is not None))
        asked = (key, "join" in proposal.offers)
        if asked in self._asked:
            return None
        self._asked.add(asked)
        if all(one == memory.id for one, memory in zip(ids, proposal.rows, strict=True)):
            return proposal
        by_id = self.tools.store.facts.by_id(key)
        rows = [by_id[one] for one in key if one in by_id and by_id[one].valid_to is None]
        if len(rows) < len(key) or "join" in proposal.offers:
            return None  # what became of a row may tell of another matter by now
        if len(rows) == 2:
            return pair(rows[0], rows[1], proposal.score)
        offers = single_offers(rows[0], lines.get(rows[0].id, ()), ())
        return Proposal((rows[0],), offers, proposal.score) if offers else None

    def _now(self, memory_id: int) -> int | None:
        """What became of a row in this run: itself, its successor, or nothing."""
        found: int | None = memory_id
        while found is not None and found in self._became:
            found = self._became[found]
        return found

    def _follow(self, call: Call, lines: dict[int, Sequence[str]]) -> None:
        closed = [entry.before["id"] for entry in call.wrote if entry.before]
        opened = [entry.after["id"] for entry in call.wrote if entry.after]
        for memory_id in closed:
            self._became[memory_id] = opened[0] if len(opened) == 1 else None
        lines.update(texts_of(self.tools.store, opened))

    def act(self, proposal: Proposal, decision: Decision) -> Call | None:
        """Carries a decision out; None when it was to keep. What is refused comes back as a failed call."""
        rows, call, reason = proposal.rows, self.tools.call, REASONS.get(decision.act)
        ids = [memory.id for memory in rows]
        if decision.act == "same":
            done = call("merge_memory", {"memory_ids": ids, "strategy": "summarize"}, reason)
            again = {"memory_ids": ids, "strategy": "concatenate"}
            return done if done.wrote else call("merge_memory", again, reason)
        if decision.act == "changed":
            return call("merge_memory", {"memory_ids": ids, "strategy": "newest"}, reason)
        if decision.act == "join":
            return call("merge_memory", {"memory_ids": ids, "strategy": "concatenate"}, reason)
        if decision.act == "drop":
            return call("delete_memory", {"memory_id": ids[0], "reason": reason}, reason)
        if decision.act == "split":
            return call("split_memory", {"memory_id": ids[0], "split_criteria": "thematic"}, reason)
        if decision.act == "say":
            return call("manage_memory", {"operation": "update", "memory_id": ids[0], "content": decision.text}, reason)
        if decision.act == "topic":
            told = {"operation": "update", "memory_id": ids[0], "content": rows[0].fact}
            return call("manage_memory", {**told, "metadata": {"topic": decision.text}}, reason)
        return None


def find_proposals(tools: MemoryTools, join: bool = False) -> Found:
    """What might be tidied (the nearest pairs, single rows, pairs that are less near), and what was said.

    `join`: rows that tell of one matter are offered to be joined, too.
    """
    memories = tidiable(tools)
    lines = texts_of(tools.store, [memory.id for memory in memories])
    if not memories:
        return [], lines
    vectors = vectors_of(tools, memories)
    proposals = [*pairs(memories, vectors), *singles(memories, vectors, lines)]
    proposals += joinable(tools, memories, vectors) if join else []
    return sorted(proposals, key=lambda proposal: -proposal.score), lines


def tidiable(tools: MemoryTools) -> list[Memory]:
    """The rows that may be tidied, the oldest first. Pinned ones are left alone, and so is the name that the user told:
    no model is asked whether that is worth keeping."""
    found = tools.store.facts.all(tools.user.id, subject=tools.limits.subject, limit=ROWS, newest=True, derived=False)
    return [memory for memory in found[::-1] if not memory.pinned and not memory.fact.startswith(OWN_NAME)]


def joinable(tools: MemoryTools, memories: Sequence[Memory], vectors: np.ndarray) -> list[Proposal]:
    """Groups of two and three rows that tell of one matter; the score is the cosine of the two that are least near."""
    place = {memory.id: at for at, memory in enumerate(memories)}
    found = []
    for group in matters(memories, vectors, evidence_of(tools.store, list(place))):
        rows = tuple(sorted(group, key=lambda memory: (memory.said_at, memory.id)))
        at = [place[memory.id] for memory in rows]
        cosine = min(float(vectors[one] @ vectors[other]) for one in at for other in at if one != other)
        found.append(Proposal(rows, ("join",), cosine))
    return found


def texts_of(store: Store, memory_ids: Sequence[int]) -> dict[int, Sequence[str]]:
    """What was said, by memory id."""
    told = evidence_of(store, memory_ids)
    return {key: [turn.text for turn in turns] for key, turns in told.items()}


def evidence_of(store: Store, memory_ids: Sequence[int]) -> dict[int, Sequence[Turn]]:
    """The lines that each row came from, by its id."""
    found: dict[int, Sequence[Turn]] = {}
    for start in range(0, len(memory_ids), 500):
        found |= store.facts.evidence(memory_ids[start : start + 500])
    return found
