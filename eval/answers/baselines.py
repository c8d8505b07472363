"""Plain rankers that chatmem's search is measured against: BM25, an embedder, and their rank fusion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...memory.language.words import terms
from ...memory.search.candidates import K1, B
from ...memory.search.fulltext import weight
from ...models.chat.retrieval import FUSION

if TYPE_CHECKING:
    from ...memory.search.vectors import Embedder

Ranker = Callable[[str], list[str]]


def make_rankers(names: Sequence[str], texts: Mapping[str, str], embedder: Embedder) -> dict[str, Ranker]:
    """The rankers of these names (`bm25`, `vectors`, `rrf`) over texts by id: a question to all ids, best first."""
    made: dict[str, Ranker] = {}
    if {"bm25", "rrf"} & set(names):
        made["bm25"] = Bm25(texts)
    if {"vectors", "rrf"} & set(names):
        made["vectors"] = Vectors(texts, embedder)
    if "rrf" in names:
        made["rrf"] = fused(made["bm25"], made["vectors"])
    return made


class Bm25:
    """BM25 (Robertson and Zaragoza 2009) with Porter stems, stop words left out, k1 1.2, b 0.75."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.ids = list(texts)
        self.counts = [Counter(terms(text)) for text in texts.values()]
        self.lengths = np.array([sum(count.values()) for count in self.counts], dtype=float)
        held = Counter(term for count in self.counts for term in count)
        total = len(self.ids)
        self.weights = {term: weight(total, n) for term, n in held.items()}

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
    """Reciprocal rank fusion of several rankers (Cormack et al. 2009)."""

    def rank(question: str) -> list[str]:
        scores: Counter[str] = Counter()
        for ranker in rankers:
            for place, one in enumerate(ranker(question), 1):
                scores[one] += 1 / (FUSION + place)  # type: ignore[assignment]
        return sorted(scores, key=lambda one: -scores[one])

    return rank
