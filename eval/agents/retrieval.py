"""`chatmem eval retrieval`: whether the retrieval agent's SELECT brings the evidence, beside search and both fused.

LoCoMo's conversations go into a store with their observations as memories, so that each memory has the turns that it
came from. A system ranks memories and turns for a question; what counts is the evidence turns among the first ten.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.guard.view import LINES
from ...models.prompts.tuned import NONE, Prompts
from ..datasets.cases import NOW
from ..datasets.locomo import LocomoQuestion, LocomoTalk
from ..ingestion import notes
from ..measures import ranking
from ..measures.intervals import Estimate, bootstrap, wilson
from ..runs.records import Records

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import Recall, User
    from ...models.chat.retrieval import RetrievalAgent, Selected

RetrievalCase = tuple[str, LocomoTalk, LocomoQuestion]
"""The key of its record, the conversation, the question."""
SYSTEMS = ("select", "search", "both")
THINGS = 60
"""How many facts and lines are ranked. A recall is not cut to a prompt's words here: packing orders for a prompt."""


def cases(talks: Sequence[LocomoTalk]) -> list[RetrievalCase]:
    """The questions of categories 1 to 4 whose evidence exists."""
    return [
        (f"{talk.id}/{number}", talk, asked)
        for talk in talks
        for number, asked in enumerate(talk.questions)
        if asked.category != 5 and asked.evidence
    ]


def predict(
    spec: str, chosen: Sequence[RetrievalCase], records: Records, *,
    threads: int | None = None, prompts: Prompts = NONE, tell: Callable[[int], None] = lambda done: None,
) -> list[Mapping[str, Any]]:  # fmt: skip
    """Asks the model of `spec` for every case that has no record yet; all records in the cases' order.

    Raises ModelError; what is done by then is kept.
    """
    from ...memory.store.store import Store
    from ...models.chat.retrieval import RetrievalAgent
    from ...models.embedder.minilm import load_embedder
    from ..runs.models import load

    before = records.done
    left = [case for case in chosen if _key(spec, case) not in before]
    if left:
        lm = load(spec, threads)
        try:
            with (
                tempfile.TemporaryDirectory(prefix="chatmem-eval-") as folder,
                Store.open(Path(folder) / "eval.db", embedder=load_embedder()) as store,
            ):
                prompt = prompts.of("retrieval", lm)
                agent = RetrievalAgent(lm, store, words=None, limit=THINGS, prompt=prompt)
                for talk in dict.fromkeys(talk for _, talk, _ in left):
                    user, names = _told(store, talk)
                    for case in left:
                        if case[1] is talk:
                            records.add(_record(spec, case, agent, user, names))
                            tell(len(records.rows))
        finally:
            lm.close()
    done = {row["key"]: row for row in records.rows}
    return [done[_key(spec, case)] for case in chosen]


def _key(spec: str, case: RetrievalCase) -> str:
    return f"{spec} {case[0]}"


def _told(store: Store, talk: LocomoTalk) -> tuple[User, dict[int, str]]:
    user = store.users.get(talk.id)
    ids = notes.tell(store, user, talk)
    notes.remember(store, user, talk.observed, ids)
    return user, {turn: name for name, turn in ids.items()}


def _record(
    spec: str, case: RetrievalCase, agent: RetrievalAgent, user: User, names: Mapping[int, str]
) -> dict[str, Any]:
    from ...memory.errors import Refused
    from ...models.chat.retrieval import Selected

    asked = case[2]
    begin = time.perf_counter()
    both = agent.recall(user, asked.question, now=NOW, asker=user.subject)
    seconds = time.perf_counter() - begin
    plain = type(agent)(None, agent.store, words=None, limit=THINGS)
    alone = plain.recall(user, asked.question, now=NOW, asker=user.subject)
    try:
        selected = agent.run(user, both.sql or "", user.subject, NOW) if both.sql else Selected("", ())
    except Refused:
        selected = Selected("", ())
    ranked = {
        "select": ranking.unique(names[turn] for turn in turns_of(agent.store, selected)),
        "search": _turns(agent.store, alone, names),
        "both": _turns(agent.store, both, names),
    }
    return {
        "key": _key(spec, case), "model": spec, "question": asked.question, "category": asked.category,
        "evidence": asked.evidence, "sql": both.sql, "refused": both.refused, "rows": len(selected.ids),
        "table": selected.table,
        "ranked": {system: turns[:50] for system, turns in ranked.items()}, "seconds": round(seconds, 4),
    }  # fmt: skip


def turns_of(store: Store, selected: Selected) -> list[int]:
    """The turns that a SELECT brings: its lines, or those that its facts came from."""
    if selected.table == LINES:
        return list(selected.ids)
    evidence = store.facts.evidence(selected.ids)
    return [turn.id for one in selected.ids for turn in evidence.get(one, ())]


def _turns(store: Store, recall: Recall, names: Mapping[int, str]) -> list[str]:
    """The turns that a recall brings; a fact that a SELECT brought stands without its own, and counts for them."""
    bare = store.facts.evidence([item.memory.id for item in recall.items if item.memory and not item.turns])
    return ranking.unique(
        names[turn.id]
        for item in recall.items
        for turn in item.turns or (bare.get(item.memory.id, ()) if item.memory else ())
    )


def measures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Estimate]:
    """Recall of the evidence turns at ten for each system, and what the SELECT adds, question by question. Where none
    is written, both are search alone."""
    shares = {system: [_recall(row, system) for row in rows] for system in SYSTEMS}
    table = {f"recall@10, {system}": bootstrap(shares[system]) for system in SYSTEMS}
    asked = [row for row in rows if row["sql"]]
    for system, of in (("select", asked), ("both", asked), ("both", rows)):
        told = " (where a SELECT is written)" if of is asked else ""
        if of:
            pairs = [_recall(row, system) - _recall(row, "search") for row in of]
            table[f"recall@10, {system} minus search{told}"] = bootstrap(pairs)
    for system in SYSTEMS:
        table[f"all evidence@10, {system}"] = bootstrap(
            [ranking.all_hit_at(row["ranked"][system], row["evidence"], 10) for row in rows]
        )
    return table | {
        "a SELECT is written": wilson(len(asked), len(rows)),
        "SELECT passes the guard": wilson(sum(row["refused"] is None for row in asked), len(asked)),
        "SELECT brings rows": wilson(sum(row["rows"] > 0 for row in asked), len(asked)),
        "SELECT reads lines": wilson(sum(row.get("table") == LINES for row in asked), len(asked)),
        "seconds a question": bootstrap([float(row["seconds"]) for row in rows]),
    }


def differences(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> dict[str, Estimate]:
    """Second minus first over the same questions."""
    return {
        f"recall@10, {system}": bootstrap(
            [_recall(b, system) - _recall(a, system) for a, b in zip(first, second, strict=True)]
        )
        for system in ("select", "both")
    }


def _recall(row: Mapping[str, Any], system: str) -> float:
    return ranking.recall_at(row["ranked"][system], row["evidence"], 10)
