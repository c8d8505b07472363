"""Plain rankers that chatmem's search is measured against: BM25, an embedder, and their rank fusion."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..memory.fusion import K1, B
from ..memory.words import terms

if TYPE_CHECKING:
    from ..models.lm import Embedder

Ranker = Callable[[str], list[str]]
FUSION = 60
"""k of reciprocal rank fusion (Cormack et al. 2009)."""


def make_ranker(name: str, texts: Mapping[str, str], embedder: Embedder | None) -> Ranker:
    """The ranker of that name (`bm25`, `vectors`, `rrf`) over texts by id: a question to all ids, best first."""
    if name == "bm25":
        return Bm25(texts)
    assert embedder is not None
    vectors = Vectors(texts, embedder)
    return vectors if name == "vectors" else fused(Bm25(texts), vectors)


class Bm25:
    """BM25 (Robertson and Zaragoza 2009) with Porter stems, stop words left out, k1 1.2, b 0.75."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.ids = list(texts)
        self.counts = [Counter(terms(text)) for text in texts.values()]
        self.lengths = np.array([sum(count.values()) for count in self.counts], dtype=float)
        held = Counter(term for count in self.counts for term in count)
        total = len(self.ids)
        self.weights = {term: math.log(1 + (total - n + 0.5) / (n + 0.5)) for term, n in held.items()}

    def __call__(self, question: str) -> list[str]:
        asked = {term for term in terms(question) if term in self.weights}
        norm = K1 * (1 - B + B * self.lengths / max(float(self.lengths.mean()), 1.0))
        scores = [
            sum(self.weights[t] * count[t] * (K1 + 1) / (count[t] + norm[place]) for t in asked if t in count)
            for place, count in enumerate(self.counts)
        ]
        return [self.ids[i] for i in np.argsort(-np.array(scores), kind="stable")]


class Vectors:
    """Cosine with the embedder that the chat uses."""

    def __init__(self, texts: Mapping[str, str], embedder: Embedder) -> None:
        self.ids, self.embedder = list(texts), embedder
        self.matrix = embedder.embed(list(texts.values()))

    def __call__(self, question: str) -> list[str]:
        scores = self.matrix @ self.embedder.embed([question])[0]
        return [self.ids[i] for i in np.argsort(-scores, kind="stable")]


def fused(*rankers: Ranker) -> Ranker:
    """Reciprocal rank fusion of several rankers."""

    def rank(question: str) -> list[str]:
        scores: Counter[str] = Counter()
        for ranker in rankers:
            for place, one in enumerate(ranker(question), 1):
                scores[one] += 1 / (FUSION + place)  # type: ignore[assignment]
        return sorted(scores, key=lambda one: -scores[one])

    return rank
