"""How what was found is scored: words and meaning of a thing, of its neighbours, who said it, and when.

Weights were fitted by random search on half of LoCoMo's conversations at hand and checked on the other half; near their
values they matter little (docs/design/0002-search.md has the table).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Weights:
    """Of each sign, in standard deviations of the cosine."""

    words: float = 6.0
    speaker: float = 2.5
    pronoun: float = 0.5
    date: float = 4.0
    question: float = -1.0
    answers_question: float = 0.5
    length: float = 1.2
    neighbours: tuple[tuple[int, float], ...] = ((-1, 0.5), (1, 0.4), (-2, 0.25), (2, 0.3))
    pinned: float = 1.0
    evidence: float = 0.4


WEIGHTS = Weights()
K1, B = 1.2, 0.75


def bm25(query: Mapping[str, float], documents: Sequence[Sequence[str]]) -> np.ndarray:
    """BM25 of each document (its terms) for weighted query terms, as a share of the best possible in this set.

    0..1, shape (documents,). A query of which only a common word is found anywhere stays well below 1.
    """
    lengths = np.array([len(terms) for terms in documents], dtype=np.float64)
    norm = K1 * (1 - B + B * lengths / max(float(lengths.mean()) if len(lengths) else 1.0, 1.0))
    scores = np.zeros(len(documents))
    for place, terms in enumerate(documents):
        for term, weight in query.items():
            if count := terms.count(term):
                scores[place] += weight * count * (K1 + 1) / (count + norm[place])
    best = float(scores.max(initial=0.0))
    shares: np.ndarray = scores / max(best, 0.4 * sum(query.values()), 1e-9)
    return shares


def smooth(own: np.ndarray, neighbours: Mapping[int, np.ndarray]) -> np.ndarray:
    """Own scores plus shares of the neighbours' in the same session; `neighbours`: their places (-1: none) by step."""
    total = own.copy()
    for step, share in WEIGHTS.neighbours:
        # At the edge of a session the line stands in for the neighbour it lacks, so that edges don't lose.
        at = neighbours[step]
        total += share * np.where(at < 0, own, own[at])
    return total
