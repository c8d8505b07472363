"""The editor's reward: is a question better answered from the memory as it is now than from the memory as it was?

    R = d * e where d >= 0, d / e where d < 0, plus 0.02 * rows saved where d >= 0, minus 0.2 * mixed
    d = P(new snapshot) - P(old snapshot)
    e = clip(size * density * change, 0.1, 1.5)

The form is MemUpdate's with its known mistakes mended: old and new are two stores (a rollout acts on a copy of its
own, all rollouts of a group start from one identical store); a loss is divided by a low efficiency, not multiplied,
so it can't be made small by making a mess; density is capped at 1, so longer rows earn nothing; and what is no decision
at all, or a call that is refused, earns less than any decision. Questions alone can't see a duplicate that does no
harm, hence the term for rows saved. They can't see a wrong source either, hence the term for rows whose lines tell of
different facts. And of a fact that was overtaken nobody may find the old words beside the new ones: that halves what
the answer is worth.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ...eval.datasets.spoiled import Spoiled, SpoiledRow, fill, load_spoiled
from ...eval.measures.text import contained, token_f1
from ...memory.errors import InputError
from ...memory.language.language import english
from ...memory.language.words import tokens
from ...memory.store.store import Store
from ...memory.tidy.proposals import Proposal
from ...memory.tidy.run import RunLimits
from ...memory.tidy.toolbox import MemoryTools
from ...memory.values import User
from ...models.editor.agent import EditorAgent
from ...models.editor.prompts import Decision, keep_word, options_of, read_decision
from ...models.lm import LM, Options
from ..policy.rows import MEMORIES

SMALL = 100
"""Rows up to which a memory is not too large (MemUpdate's M)."""
SAVED, MIXED, STALE = 0.02, 0.2, 0.5
REFUSED, NO_DECISION = -1.1, -1.2
"""Below every decision that was carried out, whose reward is cut at -1."""
ASKED = 24
"""Most questions that a whole episode is measured by."""
AMONG, OTHERS = 3, 3
"""Facts that a question may be answered from, and questions about other rows that join those about the rows at hand."""


class FactQuestion(NamedTuple):
    """A question, the words of its answer, the lines that hold it, and the words of what it overtook."""

    question: str
    keys: tuple[str, ...]
    lines: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


Evaluator = Callable[[Store, User, FactQuestion], float]
Tells = Mapping[str, frozenset[int]]
"""The facts (places of the rows that told them first) that a line tells of."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the reward asks of a memory: rows, mean words of a row, and P, the mean score of the questions.

    `mixed`: rows whose lines tell of different facts.
    """

    rows: int
    words: float
    score: float
    mixed: int = 0


def words_score(store: Store, user: User, ask: FactQuestion) -> float:
    """1 when the best fact holds the answer's words, 0.6 when one of the best three does, 0.2 when any does.

    Half of that where one of the best three holds the words of what was overtaken.
    """
    found = store.search(user.id, ask.question, limit=AMONG, use_turns=False).memories
    right = [_holds(memory.fact, ask.keys) for memory in found]
    if not any(right):
        return 0.2 * any(_holds(memory.fact, ask.keys) for memory in store.facts.all(user.id))
    stale = bool(ask.stale) and any(_holds(memory.fact, ask.stale) for memory in found)
    return (1.0 if right[0] else 0.6) * (STALE if stale else 1.0)


def _holds(fact: str, keys: Sequence[str]) -> bool:
    return all(contained(key, fact) == 1 for key in keys)


def f1_score(store: Store, user: User, ask: FactQuestion) -> float:
    """The best token F1 of the answer's words with one of the best three facts."""
    found = store.search(user.id, ask.question, limit=AMONG, use_turns=False).memories
    return max((token_f1(memory.fact, " ".join(ask.keys)) for memory in found), default=0.0)


def evidence_score(store: Store, user: User, ask: FactQuestion) -> float:
    """The share of the answer's lines among the best ten items."""
    items = store.search(user.id, ask.question, limit=10).items
    texts = {turn.text for item in items for turn in item.turns}
    return sum(line in texts for line in ask.lines) / max(1, len(ask.lines))


def judge_score(lm: LM) -> Evaluator:
    """1 when a model calls the best three facts a right answer, by the lenient prompt of `eval judge`."""
    from ...eval.judge.judge import Item, judge_one

    def judged(store: Store, user: User, ask: FactQuestion) -> float:
        found = store.search(user.id, ask.question, limit=AMONG, use_turns=False).memories
        item = Item("", ask.question, ", ".join(ask.keys), " ".join(memory.fact for memory in found))
        return float(judge_one(lm, "lenient", item, 1, 0)[0].verdict is True)

    return judged


EVALUATORS: Mapping[str, Evaluator] = {"words": words_score, "f1": f1_score, "evidence": evidence_score}


def snapshot(
    store: Store, user: User, asks: Sequence[FactQuestion], evaluate: Evaluator, tells: Tells | None = None
) -> Snapshot:  # fmt: skip
    """The memory as it is now; `tells`: which facts each line tells of (without it no row counts as mixed)."""
    rows = store.facts.all(user.id)
    lengths = [len(memory.fact.split()) for memory in rows]
    score = sum(evaluate(store, user, ask) for ask in asks) / max(1, len(asks))
    mixed = 0
    if tells:
        lines = store.facts.evidence([memory.id for memory in rows]).values()
        mixed = sum(not _of_one([tells[turn.text] for turn in turns if turn.text in tells]) for turns in lines)
    return Snapshot(len(rows), sum(lengths) / max(1, len(lengths)), score, mixed)


def _of_one(facts: Sequence[frozenset[int]]) -> bool:
    """Whether there is a fact that all lines of a row tell of."""
    return not facts or bool(frozenset.intersection(*facts))


def reward(old: Snapshot, new: Snapshot, most: int = SMALL, paid: float = SAVED) -> dict[str, float]:
    """The reward and each of its terms. `most`: rows up to which a memory isn't too large; `paid` for a row saved."""
    delta = new.score - old.score
    size = 1.0 if new.rows <= most else max(0.1, 1 - (new.rows - most) / most)
    density = 1.0 if not old.rows else min(1.0, new.words / max(old.words, 1.0))
    change = max(0.8, 1 - 0.5 * abs(new.rows - old.rows) / max(old.rows, 1))
    efficiency = min(1.5, max(0.1, size * density * change))
    saved = paid * (old.rows - new.rows) if delta >= 0 else 0.0
    mixed = MIXED * (new.mixed - old.mixed)
    total = (delta * efficiency if delta >= 0 else delta / efficiency) + saved - mixed
    return {
        "reward": max(-1.0, total), "qa change": delta, "qa new": new.score, "efficiency": efficiency, "size": size,
        "density": density, "change": change, "saved": saved, "mixed": mixed, "rows": float(new.rows), "valid": 1.0,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Situation:
    """What a decision is tried on: a store that is only copied, the proposal, the questions, and how it stands."""

    store: Store
    user: User
    proposal: Proposal
    asks: Sequence[FactQuestion]
    old: Snapshot
    tells: Tells


class EditorTask:
    """Rewards for rows with a "case": {"memory", "rows", "offers", "topics"} of the memories in the run's folder.

    Each rollout's trajectory (the question, the decision, the calls, the terms) is a line of `trajectories.jsonl`.
    """

    measure = "reward"

    def __init__(self, folder: Path, evaluator: str = "words", judge: LM | None = None) -> None:
        self.memories: list[Spoiled] = load_spoiled(folder / MEMORIES)
        self._set_up(folder, EVALUATORS[evaluator] if judge is None else judge_score(judge), judge)

    def _set_up(self, folder: Path, evaluate: Evaluator, judge: LM | None) -> None:
        from ...models.embedder.minilm import load_embedder

        self.evaluate, self.embedder, self._judge = evaluate, load_embedder(), judge
        self.log = folder / "trajectories.jsonl"
        self.played: list[dict[str, float]] = []  # the terms of whole episodes, until a step has logged them
        self.at_end: list[Callable[[], None]] = []
        self._scratch = TemporaryDirectory(prefix="chatmem-editor-")
        self._bases: dict[int, tuple[Store, User, list[int]]] = {}
        self._old: dict[str, Snapshot] = {}

    def accepts(self, row: dict[str, Any]) -> bool:
        """Whether the row says which memory it is about."""
        return "memory" in row.get("case", {})

    def options(self, row: dict[str, Any]) -> Options:
        """As the agent itself asks; the question holds all that the grammar needs."""
        return options_of(row["messages"][-1][1])

    def score(self, row: dict[str, Any], text: str) -> dict[str, float]:
        """Carries the decision out on a copy of the memory and compares the two snapshots.

        Where a search has tried all decisions already (`search.py`), its rewards are read.
        """
        case = row["case"]
        if "rewards" in case:
            known = case["rewards"].get(text.strip())
            terms = {"reward": NO_DECISION, "valid": 0.0} if known is None else {"reward": known, "valid": 1.0}
            return self._told(row, text, terms, [])
        proposal = self._proposal(case)
        word = text.strip().partition(" ")[0].strip(".,:!").lower()
        if word not in (keep_word(proposal), *proposal.offers):
            return self._told(row, text, {"reward": NO_DECISION, "valid": 0.0, "calls": 0.0}, [])
        base, user, _ = self.base(case["memory"])
        asks = self.asks(case)
        key = json.dumps(case, sort_keys=True)
        if key not in self._old:
            self._old[key] = snapshot(base, user, asks, self.evaluate, self.tells(case["memory"]))
        given = Situation(base, user, proposal, asks, self._old[key], self.tells(case["memory"]))
        return self._told(row, text, *self.tried(given, read_decision(text, proposal)))

    def tried(self, given: Situation, decision: Decision) -> tuple[dict[str, float], list[Any]]:
        """The reward and its terms of a decision on a copy of that store, and the calls that it took."""
        path = Path(self._scratch.name) / "rollout.db"
        for stale in path.parent.glob("rollout.db*"):
            stale.unlink()
        given.store.copy_to(path)
        with Store.open(path, embedder=self.embedder) as store:
            tools = MemoryTools(store, given.user, limits=RunLimits(share=1.0))
            call = EditorAgent(_Policy(), tools).act(given.proposal, decision)
            tools.close()
            calls = [{"name": one.name, "arguments": one.arguments, "result": one.result} for one in tools.calls]
            used = {"calls": float(len(calls)), **{f"calls of {one.name}": 1.0 for one in tools.calls}}
            if call is not None and call.failed:
                return {"reward": REFUSED, "valid": 0.0} | used, calls
            new = snapshot(store, given.user, given.asks, self.evaluate, given.tells) if call else given.old
        return self.worth(given.old, new) | used, calls

    def worth(self, old: Snapshot, new: Snapshot) -> dict[str, float]:
        """The reward and its terms for what lies between two snapshots."""
        return reward(old, new)

    def asks(self, case: Mapping[str, Any]) -> list[FactQuestion]:
        """Questions about the rows at hand (of an overtaken fact, about what overtook it), and about some others."""
        memory = self.memories[case["memory"]]
        fair = fair_asks(memory)
        roots = {memory.rows[place].of if memory.rows[place].role == "duplicate" else place for place in case["rows"]}
        roots |= {place for place in fair if memory.rows[place].of in roots}
        near = sorted(place for place in roots if place in fair)
        chosen = random.Random(f"{case['memory']} {sorted(case['rows'])}")
        others = chosen.sample(sorted(set(fair) - set(near)), min(OTHERS, len(set(fair) - set(near))))
        return [fair[place] for place in (*near, *others) if place is not None]

    def asked_in(self, number: int) -> list[FactQuestion]:
        """The questions that a whole episode is measured by."""
        return self.all_asks(number)[:ASKED]

    def numbers(self) -> Sequence[int]:
        """The episodes that can be played: one for each memory."""
        return range(len(self.memories))

    def shown(self, number: int) -> str:
        """The question that the editor is shown in an episode; here none."""
        return ""

    def enough(self, store: Store, user: User, number: int) -> bool:
        """Whether an episode may stop because its questions are answered; here they never are enough."""
        return False

    def all_asks(self, number: int) -> list[FactQuestion]:
        """Every fair question about a memory, in the order in which its facts were told."""
        return list(fair_asks(self.memories[number]).values())

    def tells(self, number: int) -> Tells:
        """Which facts the lines of a memory tell of."""
        memory = self.memories[number]
        found: dict[str, frozenset[int]] = {}
        for place, row in enumerate(memory.rows):
            text = memory.lines[row.line][1]
            found[text] = found.get(text, frozenset()) | {place if row.of is None else row.of}
        return found

    def _proposal(self, case: Mapping[str, Any]) -> Proposal:
        store, _, ids = self.base(case["memory"])
        rows = tuple(store.facts.get(ids[place]) for place in case["rows"])
        return Proposal(rows, tuple(case["offers"]), 1.0, tuple(case.get("topics", ())))

    def base(self, number: int) -> tuple[Store, User, list[int]]:
        """The one store that all rollouts about a memory are copies of; made when first asked for."""
        if number not in self._bases:
            if not 0 <= number < len(self.memories):
                raise InputError(f"{MEMORIES} holds no memory {number}; build the rows anew, without --rows.")
            store = Store.open(Path(self._scratch.name) / f"{number}.db", embedder=self.embedder)
            user, ids = fill(store, "episode", self.memories[number])
            store.vectors.embed_pending(user.id, limit=10_000)
            self._bases[number] = store, user, ids
        return self._bases[number]

    def _told(
        self, row: Mapping[str, Any], text: str, terms: dict[str, float], calls: Sequence[Any]
    ) -> dict[str, float]:
        told = {"asked": row["messages"][-1][1], "decided": text, "calls": calls, "terms": terms}
        with self.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(told, ensure_ascii=False) + "\n")
        return terms | {"length": float(len(text.split()))}

    def summary(self, scores: Sequence[dict[str, float]]) -> dict[str, float]:
        """Means over the rows that have the term; calls are counted per decision."""
        names = dict.fromkeys([self.measure, *(name for terms in scores for name in terms)])
        held = {
            name: [terms.get(name, 0.0) for terms in scores if name in terms or name.startswith("calls")]
            for name in names
        }
        return {name: sum(values) / len(values) for name, values in held.items() if values}

    def close(self) -> None:
        """Lets go of the stores, those of environments included."""
        for end in self.at_end:
            end()
        for store, _, _ in self._bases.values():
            store.close()
        self.embedder.close()
        if self._judge is not None:
            self._judge.close()
        self._scratch.cleanup()


def fair_asks(memory: Spoiled) -> dict[int, FactQuestion]:
    """The questions that the memory can answer, by the place of the row that does: of what was overtaken none."""
    overtaken = {row.of for row in memory.rows if row.role == "newer"}
    return {
        place: FactQuestion(row.ask, keys, (memory.lines[row.line][1],), _stale(memory, row))
        for place, row in enumerate(memory.rows)
        if row.ask
        and row.role in ("sound", "newer")
        and place not in overtaken
        and (keys := row.keys or _telling(memory, place))
    }


def _telling(memory: Spoiled, place: int) -> tuple[str, ...]:
    """The longest words that all tellings of a fact have, where no words were noted that tell it from others."""
    row = memory.rows[place]
    others = [one.fact for one in memory.rows if one.of == place and one.role == "duplicate"]
    own = {word for word in tokens(row.fact) if word not in english().stop} - set(tokens(row.subject))
    common = [word for word in own if all(contained(word, other) == 1 for other in others)]
    return tuple(sorted(common, key=lambda word: (-len(word), word))[:2])


def _stale(memory: Spoiled, row: SpoiledRow) -> tuple[str, ...]:
    """The words of the fact that a row overtook, those left out that its own fact holds, too."""
    if row.role != "newer" or row.of is None:
        return ()
    return tuple(key for key in memory.rows[row.of].keys if contained(key, row.fact) < 1)


class _Policy:
    """Stands where the agent's model would: the decision is the policy's."""

    name = "policy"
    adapter: str | None = None

    def decide(self, proposal: Proposal, lines: Mapping[int, Sequence[str]]) -> Decision:
        return Decision("keep")
