"""`chatmem eval locomo`: questions about long conversations, and whether what holds their answers is found.

Each conversation goes into a store of its own user, each turn with its session's date. Systems rank turns for every
question; all are asked in one run. With answers, the answer model reads the best words of chatmem's own recall.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import ranking
from .baselines import make_rankers
from .loaders import LocomoQuestion, LocomoTalk
from .locomo_score import CATEGORIES, says_unknown, score
from .metrics import Estimate, bootstrap
from .records import Records

if TYPE_CHECKING:
    from ..memory.store import Store
    from ..memory.values import User
    from ..models.lm import LM

SYSTEMS = ("bm25", "vectors", "rrf", "chatmem")
DEPTH = 50
"""Turns that each system ranks."""
CUTS = (1, 5, 10, 20)
NOW = "2024-06-12T12:00:00Z"


@dataclass(frozen=True, slots=True)
class LocomoOptions:
    """`answer`: spec of the model that answers (None: retrieval alone). `facts`: `none`, or what the `agent` writes."""

    systems: tuple[str, ...] = SYSTEMS
    answer: str | None = None
    facts: str = "none"
    storage: str = "embedded+storage"
    words: int = 200
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One question with the key of its record."""

    key: str
    talk: LocomoTalk
    asked: LocomoQuestion


def cases(talks: Sequence[LocomoTalk], categories: Sequence[int]) -> list[Case]:
    """The questions of these categories; those without evidence that exists can't be measured and are left out."""
    return [
        Case(f"{talk.id}/{number}", talk, asked)
        for talk in talks
        for number, asked in enumerate(talk.questions)
        if asked.category in categories and (asked.evidence or asked.category == 5)
    ]


def predict(
    chosen: Sequence[Case], options: LocomoOptions, records: Records, *, tell: Callable[[int], None] = lambda done: None
) -> None:
    """Adds a record for each case that has none yet. Raises ModelError; what is done by then is kept."""
    from ..memory.store import Store
    from ..models.embedder import load_embedder
    from .loading import load

    done = records.done
    left = [case for case in chosen if case.key not in done]
    lms = {
        role: load(spec, options.threads)
        for role, spec in (("answer", options.answer), ("storage", options.storage if options.facts == "agent" else ""))
        if spec and left
    }
    try:
        with (
            tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
            Store.open(Path(folder) / "eval.db", embedder=load_embedder()) as store,
        ):
            for talk in dict.fromkeys(case.talk for case in left):
                told = _Told(store, talk, options, lms.get("storage"))
                for case in left:
                    if case.talk is talk:
                        records.add(_record(told, case, options, lms.get("answer")))
                        tell(len(records.rows))
    finally:
        for lm in lms.values():
            lm.close()


class _Told:
    """A conversation in the store, with the rankers over its turns."""

    def __init__(self, store: Store, talk: LocomoTalk, options: LocomoOptions, storage: LM | None) -> None:
        from .msc import ingest

        self.store = store
        self.user: User = store.user(talk.id)
        ingest(store, self.user, talk, options.facts, storage)
        kept = [turn for session in store.sessions(self.user.id) for turn in store.turns(session.id)]
        said = [turn for session in talk.sessions for turn in session.turns if turn.text.strip()]
        self.ids = {turn.id: one.id for turn, one in zip(sorted(kept, key=lambda t: t.id), said, strict=True)}
        texts = {one.id: f"{one.speaker}: {one.text}" for one in said}
        assert store.embedder is not None
        self.rankers = make_rankers(options.systems, texts, store.embedder)

    def chatmem(self, question: str) -> list[str]:
        found = self.store.search(self.user.id, question, limit=DEPTH, now=NOW)
        return ranking.unique(self.ids[turn.id] for item in found.items for turn in item.turns)[:DEPTH]


def _record(told: _Told, case: Case, options: LocomoOptions, lm: LM | None) -> dict[str, Any]:
    asked = case.asked
    ranked, seconds = {}, {}
    for name in options.systems:
        begin = time.perf_counter()
        ranked[name] = told.chatmem(asked.question) if name == "chatmem" else told.rankers[name](asked.question)[:DEPTH]
        seconds[name] = round(time.perf_counter() - begin, 5)
    row = {
        "key": case.key, "category": asked.category, "question": asked.question, "gold": asked.answer,
        "evidence": asked.evidence, "ranked": ranked, "seconds": seconds,
    }  # fmt: skip
    return row | (_answered(told, asked.question, options, lm) if lm else {})


def _answered(told: _Told, question: str, options: LocomoOptions, lm: LM) -> dict[str, Any]:
    from ..models.answer import AnswerAgent

    begin = time.perf_counter()
    recall = told.store.search(told.user.id, question, limit=40, now=NOW, word_budget=options.words)
    agent = AnswerAgent(lm, words=options.words)
    prompt = agent.prompt(told.user, recall, [], question, NOW)
    answer = "".join(chunk.text for chunk in agent.reply(told.user, recall, [], question, NOW)).strip()
    return {
        "answer": answer,
        "model": f"{lm.name}+{lm.adapter}" if lm.adapter else lm.name,
        "prompt_tokens": sum(lm.count_tokens(message.content) for message in prompt),
        "answer_seconds": round(time.perf_counter() - begin, 4),
    }


def measures(rows: Sequence[Mapping[str, Any]], system: str) -> dict[str, Estimate]:
    """The table of one system: means over questions with 95% bootstrap intervals, turn and session level."""
    held = [row for row in rows if row["evidence"] and row["category"] != 5]
    table = {
        f"recall@{k}, mean": bootstrap([ranking.recall_at(r["ranked"][system], r["evidence"], k) for r in held])
        for k in CUTS
    }
    for number, name in CATEGORIES.items():
        some = [row for row in held if row["category"] == number]
        if some:
            shares = [ranking.recall_at(r["ranked"][system], r["evidence"], 10) for r in some]
            table[f"recall@10, {number} {name}"] = bootstrap(shares)
    for title, measure in _MORE.items():
        table[title] = bootstrap([measure(r["ranked"][system], r["evidence"]) for r in held])
    return table | _latency(rows, system)


def _latency(rows: Sequence[Mapping[str, Any]], system: str) -> dict[str, Estimate]:
    times = sorted(1000 * row["seconds"][system] for row in rows)
    if not times:
        return {}
    return {
        f"milliseconds, p{share}": Estimate(value, value, value, len(times))
        for share in (50, 95)
        for value in [times[min(len(times) - 1, len(times) * share // 100)]]
    }


_MORE: dict[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "any hit@10": lambda ranked, wanted: ranking.any_hit_at(ranked, wanted, 10),
    "all hits@10": lambda ranked, wanted: ranking.all_hit_at(ranked, wanted, 10),
    "MRR": ranking.reciprocal_rank,
    "MAP": ranking.average_precision,
    "sessions: NDCG@1": lambda ranked, wanted: ranking.ndcg_at(*_sessions(ranked, wanted), 1),
    "sessions: NDCG@5": lambda ranked, wanted: ranking.ndcg_at(*_sessions(ranked, wanted), 5),
}


def _sessions(ranked: Sequence[str], wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """Turn ids ("D3:14") as their sessions ("D3"), each at the place of its best turn."""
    return tuple(ranking.unique(one.split(":")[0] for one in ids) for ids in (ranked, wanted))  # type: ignore[return-value]


def answer_measures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Estimate]:
    """LoCoMo's official score by category, how often "I don't know" is said, and what a question costs."""
    answered = [row for row in rows if "answer" in row]
    table = {}
    for number, name in CATEGORIES.items():
        some = [row for row in answered if row["category"] == number]
        if some:
            said = [(str(r["answer"]), str(r["gold"])) for r in some]
            table[f"official score, {number} {name}"] = bootstrap([score(text, gold, number) for text, gold in said])
            table[f"says it doesn't know, {number} {name}"] = bootstrap([float(says_unknown(text)) for text, _ in said])
    known = [row for row in answered if row["category"] != 5]
    if known:
        table["official score, 1 to 4"] = bootstrap([score(r["answer"], r["gold"], r["category"]) for r in known])
    if answered:
        table["tokens of a prompt"] = bootstrap([float(row["prompt_tokens"]) for row in answered])
        table["seconds an answer"] = bootstrap([float(row["answer_seconds"]) for row in answered])
    return table


def columns(rows: Sequence[Mapping[str, Any]], options: LocomoOptions) -> Iterator[tuple[str, dict[str, Estimate]]]:
    """A column for each system, and one for the answers when there are any."""
    for system in options.systems:
        yield system, measures(rows, system)
    if options.answer:
        yield f"answers: {options.answer}", answer_measures(rows)
