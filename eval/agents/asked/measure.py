"""What share of the needed things stands in what the chat would show its model, and how the systems compare.

A thing counts as brought when its fact or its line is among the recall's words (200, as the embedded model reads them).
The same counts for search alone and for search with a SELECT.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ....models.chat.telling import RECALL_WORDS, Talkers, shown
from ...measures.intervals import Estimate, bootstrap, wilson

if TYPE_CHECKING:
    from ....memory.values import Recall
    from ....models.chat.retrieval import RetrievalAgent
    from .memory import Asked, AskedMemory, Places

SYSTEMS = ("search", "select", "both")


def brought(recall: Recall, places: Places, asked: Asked, words: int = RECALL_WORDS) -> float:
    """Share of what the question needs that the recall's first `words` words hold."""
    told = shown(recall, Talkers(other=places.user.subject), words)
    memories, turns = {memory for _, memory, _ in told}, {turn for _, _, turn in told}
    units = places.units(asked)
    return sum(turn in turns or (memory is not None and memory in memories) for turn, memory in units) / len(units)


def precise(ids: Sequence[int], table: str, places: Places, asked: Asked) -> float:
    """Share of a SELECT's rows that the question needs."""
    units = places.units(asked)
    wanted = {turn for turn, _ in units} if table == "lines" else {memory for _, memory in units}
    return sum(one in wanted for one in ids) / len(ids) if ids else 0.0


def record(
    agent: RetrievalAgent, memory: AskedMemory, places: Places, number: int, *, writes: bool | None = None
) -> dict[str, Any]:
    """One question asked of search alone and with the agent's SELECT, if it writes one (`writes`: whether or not it
    would by itself)."""
    asked, user = memory.asked[number], places.user
    found = agent.found(user, asked.text, now=memory.now, asker=user.subject)
    alone = brought(found, places, asked)
    row: dict[str, Any] = {
        "key": f"{memory.name}/{number}", "kind": asked.kind, "question": asked.text, "needs": len(asked.needs),
        "fires": agent.helps(asked.text, memory.now), "search": alone, "both": alone, "select": 0.0, "precise": 0.0,
        "sql": None, "rows": 0, "refused": None,
    }  # fmt: skip
    if not (row["fires"] if writes is None else writes):
        return row
    sql = agent.propose(user, found, now=memory.now, asker=user.subject)
    return row | tried(agent, memory, places, number, sql, found) | {"sql": sql}


def tried(
    agent: RetrievalAgent, memory: AskedMemory, places: Places, number: int, sql: str, found: Recall
) -> dict[str, Any]:  # fmt: skip
    """What a SELECT brings by itself and fused with what search found."""
    from dataclasses import replace

    from ....memory.errors import Refused

    asked, user = memory.asked[number], places.user
    try:
        selected = agent.run(user, sql, user.subject, memory.now)
    except Refused as refusal:
        return {"refused": refusal.reason}
    both = agent.fused(user, found, selected, memory.now)
    only = agent.fused(user, replace(found, items=()), selected, memory.now)
    return {
        "both": brought(both, places, asked), "select": brought(only, places, asked), "rows": len(selected.ids),
        "precise": precise(selected.ids, selected.table, places, asked), "exact": _exact(selected, places, asked),
    }  # fmt: skip


def _exact(selected: Any, places: Places, asked: Asked) -> float:
    """1 when the SELECT's rows are the things that are needed, no more and no less: then a count is right."""
    found = len(set(selected.ids))
    return float(found == len(asked.needs) and precise(selected.ids, selected.table, places, asked) == 1.0)


def measures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Estimate]:
    """Means with bootstrap intervals, and paired differences to search."""
    table = {f"needed things shown, {system}": bootstrap([row[system] for row in rows]) for system in SYSTEMS}
    table["both minus search"] = bootstrap([row["both"] - row["search"] for row in rows])
    asked = [row for row in rows if row["sql"]]
    table["a SELECT is written"] = wilson(len(asked), len(rows))
    if asked:
        table["SELECT passes the guard"] = wilson(sum(row["refused"] is None for row in asked), len(asked))
        table["rows needed, of those brought"] = bootstrap([row["precise"] for row in asked])
        table["exactly the needed rows"] = bootstrap([row.get("exact", 0.0) for row in asked])
    kinds = dict.fromkeys(row["kind"] for row in rows)
    for kind in kinds:
        of = [row for row in rows if row["kind"] == kind]
        table[f"{kind}, both minus search"] = bootstrap([row["both"] - row["search"] for row in of])
    return table


def differences(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> dict[str, Estimate]:
    """Second minus first over the same questions."""
    pairs = list(zip(first, second, strict=True))
    return {name: bootstrap([b.get(name, 0.0) - a.get(name, 0.0) for a, b in pairs]) for name in ("both", "exact")}
