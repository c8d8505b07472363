"""What tidying does to real facts: LoCoMo's observations before and after, and what is still found of them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.tidy.run import RunLimits
from ...memory.tidy.toolbox import MemoryTools
from ...models.editor.agent import Budget, Decider, EditorAgent
from ...models.editor.join import consolidate
from ..datasets.locomo import LocomoTalk
from ..ingestion.locomo_memory import fill, lines_of, observations
from ..measures import ranking
from ..measures.intervals import Estimate, bootstrap, bootstrap_ratio
from ..measures.text import contained

if TYPE_CHECKING:
    from ...memory.search.vectors import Embedder
    from ...memory.store.store import Store
    from ...memory.values import User

CUT = 10


@dataclass(frozen=True, slots=True)
class Before:
    """One conversation: rows before and after, and for each question recall@10 of its lines and the words found."""

    talk: str
    rows: tuple[int, int]
    recall: tuple[tuple[float, float], ...]
    words: tuple[tuple[float, float], ...]
    seconds: float
    changes: tuple[Mapping[str, Any], ...]


def measure(
    talks: Sequence[LocomoTalk], items: Mapping[str, Mapping[str, Any]], decider: Decider, embedder: Embedder, *,
    ops: int | None = None, join: bool = False, tell: Callable[[int], None] = lambda done: None,
) -> list[Before]:  # fmt: skip
    """One run on each conversation, in a store of its own. `join`: rows that tell of one matter become one, too."""
    from ...memory.store.store import Store

    done = []
    for number, talk in enumerate(talks, 1):
        with (
            tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
            Store.open(Path(folder) / "memory.db", embedder=embedder) as store,
        ):
            done.append(_measured(store, talk, items[talk.id], decider, ops, join))
        tell(number)
    return done


def _measured(
    store: Store, talk: LocomoTalk, item: Mapping[str, Any], decider: Decider, ops: int | None, join: bool
) -> Before:  # fmt: skip
    lines = lines_of(talk)
    user, turns = fill(store, talk.id, lines, observations(item, lines))
    while store.vectors.embed_pending(user.id):
        pass
    rows, before = len(store.facts.all(user.id)), _asked(store, user, talk, turns)
    tools = MemoryTools(store, user, limits=RunLimits(share=1.0))
    began = time.monotonic()
    steps = [step for step in EditorAgent(decider, tools).tidy(Budget(ops=ops)) if step.changed]
    steps += [step for step in consolidate(tools, Budget(ops=ops)) if step.changed] if join else []
    seconds = time.monotonic() - began
    tools.close()
    after = _asked(store, user, talk, turns)
    recall, words = (tuple((b[i], a[i]) for b, a in zip(before, after, strict=True)) for i in (0, 1))
    told = tuple({"act": s.decision.act, "rows": [r.fact for r in s.rows], "result": _facts(s.call)} for s in steps)
    return Before(talk.id, (rows, len(store.facts.all(user.id))), recall, words, seconds, told)


def _facts(call: Any) -> list[str]:
    return [row["fact"] for row in call.result.get("memories", ())] if call else []


def _asked(store: Store, user: User, talk: LocomoTalk, turns: Mapping[str, int]) -> list[tuple[float, float]]:
    """For each question: the share of its evidence in the best ten lines, and of the answer's words in ten facts."""
    found = []
    for one in talk.questions:
        wanted = [turns[line] for line in one.evidence if line in turns]
        if not wanted or one.category == 5:
            continue
        items = store.search(user.id, one.question, limit=2 * CUT).items
        ranked = ranking.unique(turn.id for item in items for turn in item.turns)
        facts = " ".join(item.memory.fact for item in items[:CUT] if item.memory)
        found.append((ranking.recall_at(ranked, wanted, CUT), contained(one.answer, facts)))
    return found


def measures(done: Sequence[Before]) -> dict[str, Estimate]:
    """Rows left, recall@10 before and after, and the paired differences over questions."""
    table = {"rows left": bootstrap_ratio([float(one.rows[1]) for one in done], [float(one.rows[0]) for one in done])}
    for name, pairs in (
        ("evidence recall@10", [pair for one in done for pair in one.recall]),
        ("answer's words in ten facts", [pair for one in done for pair in one.words]),
    ):
        table[f"{name}, before"] = bootstrap([before for before, _ in pairs])
        table[f"{name}, after"] = bootstrap([after for _, after in pairs])
        table[f"{name}, difference"] = bootstrap([after - before for before, after in pairs])
    return table
