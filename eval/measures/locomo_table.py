"""LoCoMo's tables: whether what holds the answers is found, and the official score of the answers.

Rows are questions: `evidence` and, by system, the turn ids that it `ranked` and the `seconds` that it took.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import ranking, sessions
from .intervals import Estimate, bootstrap
from .locomo_score import CATEGORIES

CUTS = (1, 5, 10, 20)


def measures(rows: Sequence[Mapping[str, Any]], system: str) -> dict[str, Estimate]:
    """The table of one system: means over questions with 95% bootstrap intervals, turn and session level."""
    held = [row for row in rows if row["evidence"] and row["category"] != 5]
    table = {
        f"recall@{k}, mean": bootstrap([ranking.recall_at(r["ranked"][system], r["evidence"], k) for r in held])
        for k in CUTS
    }
    for category, name in _names(held).items():
        shares = [ranking.recall_at(r["ranked"][system], r["evidence"], 10) for r in held if r["category"] == category]
        table[f"recall@10, {name}"] = bootstrap(shares)
    for title, measure in _MORE.items():
        table[title] = bootstrap([measure(r["ranked"][system], r["evidence"]) for r in held])
    return table | sessions.ranked([_sessions(r, system) for r in held]) | _latency(rows, system)


def _names(rows: Sequence[Mapping[str, Any]]) -> dict[int | str, str]:
    """The categories there are: LoCoMo's numbers with their names, names of other data sets as they come."""
    there: dict[int | str, str] = {number: f"{number} {name}" for number, name in CATEGORIES.items()}
    there |= {row["category"]: row["category"] for row in rows if isinstance(row["category"], str)}
    return {one: name for one, name in there.items() if any(row["category"] == one for row in rows)}


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
}


def _sessions(row: Mapping[str, Any], system: str) -> tuple[list[str], list[str]]:
    """The sessions ("D3" of the turn "D3:14") as the system ranks them, else each at the place of its best turn; and
    those of the evidence."""
    best, wanted = (
        ranking.unique(one.split(":")[0] for one in ids) for ids in (row["ranked"][system], row["evidence"])
    )
    return list(row.get("sessions", {}).get(system) or best), wanted
