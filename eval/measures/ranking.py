"""Measures of a ranking against the ids that hold the evidence. Pure functions; shares lie in 0..1.

Relevance is binary, as LoCoMo's evidence lists are. A question without evidence has no measure: leave it out before.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TypeVar

Id = TypeVar("Id", bound=Hashable)


def recall_at(ranked: Sequence[Id], wanted: Collection[Id], k: int) -> float:
    """The share of the wanted ids among the first `k`."""
    return len(set(ranked[:k]) & set(wanted)) / len(set(wanted))


def any_hit_at(ranked: Sequence[Id], wanted: Collection[Id], k: int) -> float:
    """1 when at least one wanted id is among the first `k`: what many papers print as "recall"."""
    return float(bool(set(ranked[:k]) & set(wanted)))


def all_hit_at(ranked: Sequence[Id], wanted: Collection[Id], k: int) -> float:
    """1 when every wanted id is among the first `k`."""
    return float(set(wanted) <= set(ranked[:k]))


def reciprocal_rank(ranked: Sequence[Id], wanted: Collection[Id]) -> float:
    """1 / the place of the first wanted id; 0 when none is ranked. Its mean over questions is the MRR."""
    return next((1 / place for place, one in enumerate(ranked, 1) if one in wanted), 0.0)


def average_precision(ranked: Sequence[Id], wanted: Collection[Id]) -> float:
    """The mean, over the wanted ids, of the precision at the place of each (0 for one not ranked). Its mean is MAP."""
    hits, total = 0, 0.0
    for place, one in enumerate(unique(ranked), 1):
        if one in wanted:
            hits += 1
            total += hits / place
    return total / len(set(wanted))


def ndcg_at(ranked: Sequence[Id], wanted: Collection[Id], k: int) -> float:
    """Normalised discounted cumulative gain of the first `k`, gains 1 or 0 (Järvelin and Kekäläinen 2002)."""
    gained = sum(1 / math.log2(place + 1) for place, one in enumerate(unique(ranked)[:k], 1) if one in wanted)
    best = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(set(wanted))) + 1))
    return gained / best


def unique(ranked: Iterable[Id]) -> list[Id]:
    """The ranking without repetitions: the first place of each counts."""
    return list(dict.fromkeys(ranked))


def precision_at(ranked: Sequence[Id], wanted: Collection[Id], k: int) -> float:
    """The share of wanted ids among the first `k` (of fewer, among those there are)."""
    best = unique(ranked)[:k]
    return len(set(best) & set(wanted)) / len(best) if best else 0.0


def f1_at(ranked: Sequence[Id], wanted: Collection[Id], k: int) -> float:
    """The harmonic mean of precision and recall of the first `k`."""
    precision, recall = precision_at(ranked, wanted, k), recall_at(unique(ranked), wanted, k)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
