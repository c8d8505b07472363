"""Fits how recalled lines are packed: a logistic regression over their sentences (`memory/search/packing.py`).

A sentence of a line that is told as evidence is right when it holds a share of the answer's words, or most of those
that the line holds; where a line holds none, the answer lies in all of it. Each group of conversations is packed by
weights that were fitted without it, over lines as a ranker orders them that never saw it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...eval.measures.intervals import Estimate, bootstrap
from ...eval.measures.text import all_words, content_words
from ...memory.language.words import sentences
from ...memory.search import packing
from ...memory.search.line_features import NAMES
from ...memory.search.ranker import chances
from .ranker import Ranked

LINES = 60
"""Best lines that compete for the words of a prompt."""
WORDS = 200
SHARE = 0.3
"""Of the answer's words, from which on a sentence is right."""
DECAY = 1.0
"""L2 on the standardised weights, in rows."""
_ASKED = NAMES.index("asked")


@dataclass(frozen=True)
class RecalledLines:
    """A question's best lines: who said them, what, their chances, and whether they are told as evidence."""

    talk: str
    question: str
    answer: str
    said: Sequence[tuple[str, str]]
    near: Sequence[float]
    chance: Sequence[float]
    right: Sequence[bool]
    kind: str = "locomo"

    @cached_property
    def cut(self) -> list[tuple[int, int, str]]:
        """Sentences with their line's place and their own."""
        return [(at, n, text) for at, (_, line) in enumerate(self.said) for n, text in enumerate(sentences(line))]

    @cached_property
    def signs(self) -> np.ndarray:
        """Shape (sentences, signs)."""
        rows = [packing.sentence_signs(text, self.near[at], self.chance[at]) for at, _, text in self.cut]
        return np.array(rows, np.float64).reshape(len(rows), len(packing.LINE_WEIGHTS))

    @cached_property
    def labels(self) -> np.ndarray:
        """Which sentences hold the answer, shape (sentences,)."""
        wanted = set(content_words(self.answer))
        wanted = wanted - set(content_words(self.question)) or wanted
        share = np.array([len(wanted & set(content_words(text))) / max(len(wanted), 1) for _, _, text in self.cut])
        owner = np.array([at for at, _, _ in self.cut], int)
        found = np.zeros(len(owner))
        for at in {place for place, right in enumerate(self.right) if right}:
            most = share[owner == at].max(initial=0.0)
            found[(owner == at) & (share >= min(most, SHARE))] = 1.0
        return found


Weights = tuple[Sequence[float], float]


def recalled(row: Ranked, scores: np.ndarray, said: Mapping[int, tuple[str, str]]) -> RecalledLines:
    """The best lines of a question in a ranker's order. `said`: speaker and text by the turn's id."""
    best, every = np.argsort(-scores, kind="stable")[:LINES], chances(scores)
    ids = [row.ids[place] for place in best]
    return RecalledLines(
        row.asked.talk, row.asked.text, row.asked.answer, [said[one] for one in ids],
        row.signs[best, _ASKED].tolist(), every[best].tolist(), [one in row.asked.lines for one in ids],
        row.asked.kind,
    )  # fmt: skip


def fit(rows: Sequence[RecalledLines]) -> Weights:
    """Weights in the order of `LINE_WEIGHTS`, and the bias; by L-BFGS on all sentences."""
    import torch

    signs = torch.from_numpy(np.concatenate([row.signs for row in rows]))
    right = torch.from_numpy(np.concatenate([row.labels for row in rows]))
    mean, spread = signs.mean(0), signs.std(0).clamp_min(1e-6)
    weights = torch.zeros(signs.shape[1] + 1, dtype=torch.float64, requires_grad=True)
    steps = torch.optim.LBFGS([weights], max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        steps.zero_grad()
        logits = (signs - mean) / spread @ weights[:-1] + weights[-1]
        value = torch.nn.functional.binary_cross_entropy_with_logits(logits, right, reduction="sum")
        value = value + DECAY / 2 * weights[:-1].pow(2).sum()
        value.backward()
        return value

    steps.step(loss)
    plain = (weights[:-1] / spread).detach()
    return plain.tolist(), float(weights[-1].detach() - plain @ mean)


def context(row: RecalledLines, weights: Weights | None = None) -> str:
    """What 200 words then show of the lines. None: with the weights that ship."""
    regression = weights or (packing.LINE_WEIGHTS, packing.LINE_BIAS)
    signed = zip(row.cut, row.signs.tolist(), strict=True)
    pieces = [packing.piece(*key, packing.logistic(signs, *regression)) for key, signs in signed]
    return " ".join(piece.text for piece in packing.pack(pieces, WORDS))


def table(rows: Sequence[RecalledLines], groups: Sequence[Sequence[str]]) -> dict[str, Estimate]:
    """The share of contexts that hold all words of the answer, with the shipped weights and with fitted ones, each
    group by a fit without it; of LoCoMo's questions and of others apart."""
    found: dict[str, list[float]] = {}
    for group in groups:
        weights = fit([row for row in rows if row.talk not in group])
        for row in rows:
            if row.talk in group:
                kind = "LoCoMo" if row.kind == "locomo" else "MSC's chats"
                for name, how in (("as shipped", None), ("fitted anew", weights)):
                    holds = all_words(row.answer, context(row, how))
                    found.setdefault(f"200 words hold the answer, {kind}, {name}", []).append(float(holds))
    return {name: bootstrap(values) for name, values in sorted(found.items())}
