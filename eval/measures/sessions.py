"""The table of rankings of sessions: how high those stand that hold the answer; and of the answers made from them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from . import ranking
from .answers import bleu1, exact_match, rouge_l
from .intervals import Estimate, bootstrap, wilson
from .text import token_f1

CUTS = (1, 5, 10)
Pair = tuple[Sequence[str | int], Collection[str | int]]
"""A ranking, best first, and what should stand first in it."""


def ranked(pairs: Sequence[Pair]) -> dict[str, Estimate]:
    """MRR, MAP, and NDCG, recall, precision and F1 at 1, 5 and 10: means with 95% bootstrap intervals. Questions whose
    sessions the data doesn't tell must be left out before."""
    table = {
        "sessions: MRR": bootstrap([ranking.reciprocal_rank(*pair) for pair in pairs]),
        "sessions: MAP": bootstrap([ranking.average_precision(*pair) for pair in pairs]),
    }
    for k in CUTS:
        table[f"sessions: NDCG@{k}"] = bootstrap([ranking.ndcg_at(*pair, k) for pair in pairs])
    for k in CUTS:
        table[f"sessions: recall@{k}"] = bootstrap([ranking.recall_at(*pair, k) for pair in pairs])
        table[f"sessions: precision@{k}"] = bootstrap([ranking.precision_at(*pair, k) for pair in pairs])
        table[f"sessions: F1@{k}"] = bootstrap([ranking.f1_at(*pair, k) for pair in pairs])
    return table


def answered(pairs: Sequence[tuple[str, str]]) -> dict[str, Estimate]:
    """Exact match, token F1, BLEU-1 and ROUGE-L of answers: (said, gold)."""
    return {
        "answer, exact match": wilson(sum(exact_match(*pair) == 1 for pair in pairs), len(pairs)),
        "answer, token F1": bootstrap([token_f1(*pair) for pair in pairs]),
        "answer, BLEU-1": bootstrap([bleu1(*pair) for pair in pairs]),
        "answer, ROUGE-L": bootstrap([rouge_l(*pair) for pair in pairs]),
    }
