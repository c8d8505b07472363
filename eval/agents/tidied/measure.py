"""Answers before and after a tidy, of the same questions: `chatmem eval editor --episodes DIR`."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ....memory.store.store import Store
from ....memory.tidy.run import RunLimits
from ....memory.tidy.toolbox import MemoryTools
from ....models.editor.agent import Budget, Decider, EditorAgent, find_proposals
from ....models.editor.prompts import Decision
from ...measures.intervals import Estimate, bootstrap, bootstrap_ratio
from .episodes import Ask, ToldTalk, starting
from .rag import Answered, Rag

if TYPE_CHECKING:
    from ....memory.search.vectors import Embedder
    from ....memory.tidy.proposals import Proposal
    from ....models.editor.agent import Lines

JOINS = "joins"


class JoinsDecider:
    """The baseline that `tidy --consolidate` is: whatever tells of one matter is joined, nothing else is touched."""

    name = JOINS
    adapter: str | None = None

    def decide(self, proposal: Proposal, lines: Lines) -> Decision:
        """No model is asked."""
        return Decision("join" if "join" in proposal.offers else "keep")


@dataclass(frozen=True, slots=True)
class TalkTidied:
    """One conversation after one editor: rows before and after, what was done, each question's answers."""

    talk: str
    rows: tuple[int, int]
    acts: Mapping[str, int]
    refused: int
    asks: tuple[Ask, ...]
    before: tuple[Answered, ...]
    after: tuple[Answered, ...]


def drawn(talk: ToldTalk, count: int, seed: int = 0) -> list[Ask]:
    """So many of a conversation's questions (0: all), drawn by the seed."""
    asks = list(talk.asks)
    if count and count < len(asks):
        asks = random.Random(f"{talk.name} {seed}").sample(asks, count)
    return asks


def tidied(
    talk: ToldTalk, decider: Decider, rag: Rag, embedder: Embedder, asks: Sequence[Ask], starts: Path
) -> TalkTidied:  # fmt: skip
    """One run of the editor over a copy of the conversation's starting memory (kept in the folder `starts`), to its
    end.

    Raises ModelError, StoreError.
    """
    with TemporaryDirectory(prefix="chatmem-eval-") as folder:
        base, user = starting(starts / f"{talk.name}.db", talk, embedder)
        base.copy_to(Path(folder) / "copy.db")
        before = tuple(rag.answer(base, user, ask, talk.now) for ask in asks)
        rows = len(base.facts.all(user.id))
        base.close()
        with Store.open(Path(folder) / "copy.db", embedder=embedder) as store:
            tools = MemoryTools(store, user, limits=RunLimits(share=1.0))
            acts: dict[str, int] = {}
            for step in EditorAgent(decider, tools).tidy(Budget(ops=None), find_proposals(tools, join=True)):
                if step.changed:
                    acts[step.decision.act] = acts.get(step.decision.act, 0) + 1
            tools.close()
            after = tuple(rag.answer(store, user, ask, talk.now) for ask in asks)
            left, refused = len(store.facts.all(user.id)), sum(call.failed for call in tools.calls)
    return TalkTidied(talk.name, (rows, left), acts, refused, tuple(asks), before, after)


def over(
    told: Sequence[ToldTalk], decider: Decider, rag: Rag, kept: Path, asks: int, tell: Callable[[int], None]
) -> list[TalkTidied]:  # fmt: skip
    """Every conversation tidied by one editor; `kept`: the folder of starting memories. Raises ModelError."""
    from ....models.embedder.minilm import load_embedder

    embedder, done = load_embedder(), []
    for number, talk in enumerate(told, 1):
        done.append(tidied(talk, decider, rag, embedder, drawn(talk, asks), kept / "starting"))
        tell(number)
    embedder.close()
    return done


def measures(done: Sequence[TalkTidied]) -> dict[str, Estimate]:
    """P before and after, the paired difference over questions, rows left."""
    before = [one.score for run in done for one in run.before]
    after = [one.score for run in done for one in run.after]
    return {
        "rows left": bootstrap_ratio([float(run.rows[1]) for run in done], [float(run.rows[0]) for run in done]),
        "answers before": bootstrap(before), "answers after": bootstrap(after),
        "difference": bootstrap([new - old for new, old in zip(after, before, strict=True)]),
    }  # fmt: skip


def between(one: Sequence[TalkTidied], other: Sequence[TalkTidied]) -> Estimate:
    """By how much the answers after one editor are better than after the other, question by question."""
    pairs = zip((a.score for run in one for a in run.after), (a.score for run in other for a in run.after), strict=True)
    return bootstrap([now - then for now, then in pairs])


def records(spec: str, done: Sequence[TalkTidied]) -> list[dict[str, Any]]:
    """A line for each question, and one for each conversation."""
    found: list[dict[str, Any]] = []
    for run in done:
        found.append({"model": spec, "talk": run.talk, "rows": run.rows, "acts": run.acts, "refused": run.refused})
        for ask, old, new in zip(run.asks, run.before, run.after, strict=True):
            found.append(
                {
                    "model": spec, "talk": run.talk, "question": ask.question, "gold": ask.gold,
                    "category": ask.category, "before": old.score, "after": new.score,
                    "replies": [old.reply, new.reply],
                }
            )  # fmt: skip
    return found
