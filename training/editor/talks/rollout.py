"""One rollout: the editor goes through some of what might be tidied in a copy of a memory, its decisions drawn from a
policy; and what each decision is credited with.

An episode's reward says little of one decision among forty. But a question is answered from five rows, so most
decisions have nothing to do with it: a decision is credited with the questions that recall, before or after any of the
group's rollouts, a row that its rows are in, and with the rows that it saved itself (`--credit decisions`). The mean
over the group is the baseline, as with whole episodes (`--credit episode`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ....memory.store.store import Store
from ....memory.tidy.proposals import Proposal
from ....memory.tidy.run import Call, RunLimits
from ....memory.tidy.toolbox import MemoryTools
from ....models.editor.agent import Budget, EditorAgent, Found, Lines, find_proposals
from ....models.editor.prompts import Decision, editor_messages, read_decision
from ....models.lm import Message
from ..env import FAILED, OPERATIONS
from ..search import actions
from .task import LocomoTask, Standing, paid

Roots = frozenset[int]
"""Rows of the starting memory that a row came of."""
Likely = Callable[[Sequence[Message], Sequence[str]], Sequence[float]]
"""The policy: from a question and the replies that are allowed to how likely each of them is."""


@dataclass(slots=True)
class Made:
    """A decision: the question's words and the allowed replies, which one it was, the starting rows that it is about,
    and by how many the memory became smaller."""

    asked: str
    texts: tuple[str, ...]
    chosen: int
    rows: tuple[int, ...]
    roots: Roots = frozenset()
    saved: int = 0

    @property
    def state(self) -> tuple[str, tuple[str, ...]]:
        return self.asked, self.texts


@dataclass(slots=True)
class Rollout:
    """What was decided, how the memory stands after it, the reward's terms, and each question's recalled roots."""

    made: list[Made]
    after: Standing
    terms: dict[str, float]
    recalled: tuple[Roots, ...] = ()
    calls: Sequence[Call] = field(default_factory=list)


class Sampler:
    """Stands where the agent's model would: draws a reply from the policy (`rng` None: takes the likeliest)."""

    name = "policy"
    adapter: str | None = None

    def __init__(self, likely: Likely, rng: random.Random | None, asked: str = "") -> None:
        self.likely, self.rng, self.asked = likely, rng, asked
        self.made: list[Made] = []

    def decide(self, proposal: Proposal, lines: Lines) -> Decision:
        """ "say", whose words no list holds, isn't offered."""
        proposal = plain(proposal)
        texts = tuple(actions(proposal))
        if len(texts) < 2:
            return Decision("keep")
        messages = editor_messages(proposal, lines, asked=self.asked)
        chances = self.likely(messages, texts)
        at = max(range(len(texts)), key=lambda place: chances[place])
        if self.rng is not None:
            at = self.rng.choices(range(len(texts)), weights=chances)[0]
        self.made.append(Made(messages[-1].content, texts, at, tuple(row.id for row in proposal.rows)))
        return read_decision(texts[at], proposal)


def plain(proposal: Proposal) -> Proposal:
    """The proposal without "say"."""
    return replace(proposal, offers=tuple(offer for offer in proposal.offers if offer != "say"))


def looks(task: LocomoTask, number: int, most: int, seed: str) -> Found:
    """What the rollouts of one group look at: so many proposals, half of them (where there are) to join rows; with a
    shown question those about the rows that it recalls first. All in the agent's own order."""
    store, user, _ = task.base(number)
    tools = MemoryTools(store, user)
    proposals, lines = find_proposals(tools, join=True)
    tools.close()
    mixed = [one for one in proposals if len(actions(plain(one))) > 1]
    random.Random(seed).shuffle(mixed)
    if shown := task.shown(number):
        found = store.search(user.id, shown, limit=20, use_turns=False).memories
        near = {memory.id for memory in found}
        mixed.sort(key=lambda one: not near & {row.id for row in one.rows})
    joins = [one for one in mixed if "join" in one.offers][: most // 2]
    others = [one for one in mixed if "join" not in one.offers]
    chosen = {id(one) for one in (*joins, *others[: most - len(joins)])}
    return [one for one in proposals if id(one) in chosen], lines


def play(task: LocomoTask, number: int, found: Found, sampler: Sampler) -> Rollout:
    """A rollout on a copy of its own: at most 30 operations, and none once the memory answers its questions."""
    base, user, ids = task.base(number)
    before = task.before(number)
    with TemporaryDirectory(prefix="chatmem-rollout-") as folder:
        base.copy_to(Path(folder) / "copy.db")
        with Store.open(Path(folder) / "copy.db", embedder=task.embedder) as store:
            tools = MemoryTools(store, user, limits=RunLimits(share=1.0))
            changed, done = True, False

            def enough() -> bool:
                nonlocal changed, done
                if changed:
                    changed, done = False, task.enough(store, user, number)
                return done

            for step in EditorAgent(sampler, tools).tidy(Budget(ops=OPERATIONS, stop=enough), found):
                if step.changed and step.call is not None:
                    changed = True
                    sampler.made[-1].saved = smaller_by(step.call)
            tools.close()
            after = task.standing(store, user, number)
    rollout = Rollout(sampler.made, after, _terms(task, before, after, tools.calls, done), calls=tools.calls)
    trace(rollout, ids)
    return rollout


def _terms(task: LocomoTask, before: Standing, after: Standing, calls: Sequence[Call], done: bool) -> dict[str, float]:
    """The reward and its terms; calls that are refused cost up to .1."""
    terms = task.worth(before.snapshot, after.snapshot)
    refused = sum(call.failed for call in calls) / max(1, len(calls))
    terms |= {"reward": terms["reward"] - FAILED * refused, "refused": refused, "calls": float(len(calls))}
    return terms | {"rows left": after.snapshot.rows / max(1, before.snapshot.rows), "stopped early": float(done)}


def smaller_by(call: Call) -> int:
    """Rows that a call closed beyond those that it opened."""
    return sum(entry.before is not None for entry in call.wrote) - sum(entry.after is not None for entry in call.wrote)


def trace(rollout: Rollout, ids: Sequence[int]) -> None:
    """Finds of which starting rows each decision and each answer tell."""
    roots: dict[int, Roots] = {one: frozenset({one}) for one in ids}
    for call in rollout.calls:
        closed = [entry.before["id"] for entry in call.wrote if entry.before]
        came_of = frozenset().union(*(roots.get(one, frozenset()) for one in closed))
        for entry in call.wrote:
            if entry.after:
                roots[entry.after["id"]] = came_of | roots.get(entry.after["id"], frozenset())
    for made in rollout.made:
        made.roots = frozenset().union(*(roots.get(one, frozenset()) for one in made.rows))
    rollout.recalled = tuple(
        frozenset().union(*(roots.get(row, frozenset()) for row in one.rows)) for one in rollout.after.answers
    )


def credits(before: Standing, group: Sequence[Rollout], whole: bool = False) -> list[list[float]]:
    """The advantage of every decision of every rollout: its credit less the group's mean for the same question.

    `whole`: each decision of a rollout is credited with the rollout's reward.
    """
    earned = [[_credit(before, group, one, made, whole) for made in one.made] for one in group]
    held: dict[tuple[str, tuple[str, ...]], list[float]] = {}
    for one, values in zip(group, earned, strict=True):
        for made, value in zip(one.made, values, strict=True):
            held.setdefault(made.state, []).append(value)
    mean = sum(one.terms["reward"] for one in group) / len(group)
    return [
        [
            value - (mean if whole else sum(held[made.state]) / len(held[made.state]))
            for made, value in zip(one.made, values, strict=True)
        ]
        for one, values in zip(group, earned, strict=True)
    ]


def _credit(before: Standing, group: Sequence[Rollout], one: Rollout, made: Made, whole: bool) -> float:
    if whole:
        return one.terms["reward"]
    asked = [
        place for place, answer in enumerate(before.answers)
        if made.roots & frozenset(answer.rows) or any(made.roots & other.recalled[place] for other in group)
    ]  # fmt: skip
    scores = one.after.answers
    delta = sum(scores[place].score - before.answers[place].score for place in asked) / max(1, len(scores))
    worth = delta * one.terms["efficiency"] if delta >= 0 else delta / one.terms["efficiency"]
    return worth + (paid(before.snapshot) * made.saved if delta >= 0 else 0.0)
