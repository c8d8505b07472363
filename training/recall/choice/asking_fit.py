"""`chatmem train recall --asking`: fits whether a line asks for what was told (`models/chat/reader/asking.py`).

Questions about the talks that ship, those put aslant among them, and the lines of the same talks that hold no question
mark. Measured on the talks that are held back and on the manner that nothing learns from: the share of the questions
that are seen, by the rules and by both together, and of the lines that tell and are taken for one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ....eval.measures.intervals import wilson
from ....memory.language.asked.telling import asks, is_cut_short
from ....memory.language.language import english
from ....memory.search.vectors import Embedder
from ....models.chat.reader.asking import FILE, FORM, signs
from ...material.templates.talk import GoldTalk
from ...material.templates.told import asked_aslant, asked_more, manner_talks, short_talks, told_talks, unseen_talks

MOST, BATCH = 9000, 64
"""Questions that are learned from; texts that are embedded at once."""
STEPS, RATE, DECAY = 1500, 0.05, 1e-3
MARGIN = 0.5
"""Of the logit, above which a line counts as a question: so that hardly a line that tells does."""


class Lines(NamedTuple):
    """Questions, and lines that ask nothing."""

    asking: list[str]
    telling: list[str]


def lines(talks: Sequence[GoldTalk], further: Iterable[GoldTalk]) -> Lines:
    """Those of the talks, with the further questions about them."""
    asking = [one.text for talk in [*talks, *further] for one in talk.questions]
    said = [one.text for talk in talks for one in talk.lines if one.speaker == talk.user]
    return Lines(asking, [one for one in said if "?" not in one])


def table(texts: Sequence[str], embedder: Embedder) -> np.ndarray:
    """Signs and vectors, shape (texts, signs + dimensions)."""
    vectors = [embedder.embed(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
    found: np.ndarray = np.c_[np.array([signs(one) for one in texts]), np.concatenate(vectors)]
    return found


def fitted(asking: np.ndarray, telling: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights and bias: logistic regression by Adam (Kingma and Ba 2015), both kinds weighed alike."""
    x = np.r_[asking, telling]
    mean, spread = x.mean(0), x.std(0) + 1e-3
    z = np.c_[(x - mean) / spread, np.ones(len(x))]
    wanted = np.r_[np.ones(len(asking)), np.zeros(len(telling))]
    weight = np.where(wanted > 0, 0.5 / len(asking), 0.5 / len(telling))
    w = m = v = np.zeros(z.shape[1])
    for step in range(1, STEPS + 1):
        chance = 1 / (1 + np.exp(-np.clip(z @ w, -30, 30)))
        slope = z.T @ (weight * (chance - wanted)) + DECAY * np.append(w[:-1], 0.0)
        m, v = 0.9 * m + 0.1 * slope, 0.99 * v + 0.01 * slope * slope
        w = w - RATE * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.99**step)) + 1e-8)
    weights = w[:-1] / spread
    return weights, float(w[-1] - weights @ mean) - MARGIN


def run(out: Path, seed: int) -> int:
    """Fits, writes OUT/asking.json and prints what it reaches on lines that it has not learned from."""
    from ....models.embedder.minilm import load_embedder

    embedder = load_embedder()
    learned = [*told_talks("train"), *manner_talks("train"), *short_talks("train")]
    found = lines(learned, [*asked_aslant("train"), *asked_more("train")])
    drawn = random.Random(seed).sample(found.asking, min(MOST, len(found.asking)))
    weights, bias = fitted(table(drawn, embedder), table(found.telling, embedder))
    weights, bias = weights.round(3), round(bias, 3)
    held = [*told_talks("valid"), *manner_talks("valid"), *short_talks("valid")]
    for name, some in {
        "held back": lines(held, asked_aslant("valid")),
        "the manner that nothing learns from": lines(unseen_talks(), unseen_talks("aslant")),
    }.items():
        for kind, texts in some._asdict().items():
            ruled = [asks(one, english()) or is_cut_short(one, english()) for one in texts]
            seen = table(texts, embedder) @ weights + bias > 0
            print(f"{name}: {kind}, by rule: {wilson(sum(ruled), len(texts))}")
            both = sum(one or bool(other) for one, other in zip(ruled, seen, strict=True))
            print(f"{name}: {kind}, by either: {wilson(both, len(texts))}")
    out.mkdir(parents=True, exist_ok=True)
    data = {"form": FORM, "weights": weights.tolist(), "bias": bias}
    (out / FILE.name).write_text(json.dumps(data) + "\n", encoding="utf-8")
    print(f"{out / FILE.name}: for assets/ranker")
    return 0
