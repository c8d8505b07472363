"""What rankers reach on each kind of talk, and which of them ships.

The plain fusion (`fusion` among the signs, people's lines first) is what any ranker has to beat on every kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...eval.measures import ranking
from ...eval.measures.intervals import Estimate, bootstrap
from ...memory.search import ranker as search_ranker
from ...memory.search.ranker import chances, from_data
from . import ranker
from .ranker import Ranked, RankerConfig

CONFIGS = (
    RankerConfig(),
    RankerConfig(blend=1.0),
    RankerConfig(blend=0.0),
    RankerConfig(hidden=12, decay=0.5),
    RankerConfig(even=0.4),
)
"""Rankers that are tried."""


def kinds_of(seen: Sequence[Ranked]) -> list[str]:
    return list(dict.fromkeys(row.asked.kind for row in seen))


def chosen(
    seen: Sequence[Ranked], groups: Sequence[Sequence[str]], seed: int = 0
) -> tuple[RankerConfig, list[np.ndarray]]:  # fmt: skip
    """The ranker with the best mean and worst kind, groups held back, and the scores of each row's lines by it."""
    plain = by_kind(seen, [fusion(row) for row in seen])
    best: tuple[float, RankerConfig, list[np.ndarray]] | None = None
    for config in CONFIGS:
        scores = ranker.held_back(seen, groups, config, seed)
        gains = [value - plain[kind] for kind, value in by_kind(seen, scores).items()]
        worth = float(np.mean(gains)) + min(gains)
        if best is None or worth > best[0]:
            best = worth, config, scores
    assert best is not None
    return best[1], best[2]


def fusion(row: Ranked) -> np.ndarray:
    """The plain fusion over a question's lines."""
    return search_ranker.fused(row.signs)


def by_kind(seen: Sequence[Ranked], scores: Sequence[np.ndarray]) -> dict[str, float]:
    """Mean recall@10 of each kind."""
    return {
        kind: float(
            np.mean([recall(row, one) for row, one in zip(seen, scores, strict=True) if row.asked.kind == kind])
        )
        for kind in kinds_of(seen)
    }


def held_back(seen: Sequence[Ranked], config: RankerConfig, seed: int = 0) -> dict[str, Estimate]:
    """Each kind by a ranker that was trained on the others alone."""
    table = {}
    for kind in kinds_of(seen):
        some = [row for row in seen if row.asked.kind == kind]
        others = [row for row in seen if row.asked.kind != kind]
        if others:
            made = from_data(ranker.train(others, config, seed))
            scores = [made.safe(row.signs) for row in some]
            name = f"recall@10, {kind}, trained on other kinds"
            table[name] = bootstrap([recall(row, one) for row, one in zip(some, scores, strict=True)])
    return table


def table(seen: Sequence[Ranked], scores: Sequence[np.ndarray], sessions: Mapping[int, int]) -> dict[str, Estimate]:
    """The sum of signs, the plain fusion and the ranker, on conversations held back from both trainings."""
    found: dict[str, Estimate] = {}
    for kind in kinds_of(seen):
        pairs = [(row, one) for row, one in zip(seen, scores, strict=True) if row.asked.kind == kind]
        found[f"recall@10, {kind}, sum of signs"] = bootstrap([recall(row, row.signs[:, 0]) for row, _ in pairs])
        found[f"recall@10, {kind}, plain fusion"] = bootstrap([recall(row, fusion(row)) for row, _ in pairs])
        for k in (10, 1):
            found[f"recall@{k}, {kind}, ranker"] = bootstrap([recall(row, one, k) for row, one in pairs])
        for category in sorted({row.asked.category for row, _ in pairs} - {0}):
            some = [recall(row, one) for row, one in pairs if row.asked.category == category]
            found[f"recall@10, {kind}, ranker, category {category}"] = bootstrap(some)
        if kind == "locomo":
            for k in (1, 5):
                told = [_sessions(row, one, sessions, k) for row, one in pairs]
                found[f"sessions, NDCG@{k}, {kind}, ranker"] = bootstrap(told)
    return found


def recall(row: Ranked, scores: np.ndarray, k: int = 10) -> float:
    order = np.argsort(-scores, kind="stable")
    return ranking.recall_at([row.ids[place] for place in order], row.asked.lines, k)


def _sessions(row: Ranked, scores: np.ndarray, sessions: Mapping[int, int], k: int) -> float:
    """NDCG of the sessions, each with the sum of its lines' chances, as search ranks them."""
    shares: dict[int, float] = {}
    for turn, chance in zip(row.ids, chances(scores).tolist(), strict=True):
        shares[sessions[turn]] = shares.get(sessions[turn], 0.0) + chance
    ranked = sorted(shares, key=lambda one: -shares[one])
    return ranking.ndcg_at(ranked, ranking.unique(sessions[turn] for turn in row.asked.lines), k)
