"""An encoder of the person's choice, whatever runs it: prefixes, checks, and vectors on the scale that search knows.

The mean vector of a few plain sentences is taken off before vectors are made units again (Mu and Viswanath 2018, "All
but the top"): many encoders give any two texts a cosine of .7 or more, and the thresholds of search and tidying are of
one where strangers are near 0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from ...memory.errors import ModelBroken
from .prefixes import Prefixes

MAX_CHARACTERS = 8_000
"""More of a text is not embedded: a passage has some hundreds."""
FORM = 1
"""What is made of an encoder's vectors here; another number: they are made anew."""
SAMPLES = (
    "Ana has two cats, Nori and Wasabi.", "The train to Boston leaves at noon.", "I would like to learn the piano.",
    "My sister works as a nurse in a small hospital.", "It rained the whole week.", "He paid forty dollars for it.",
    "We watched a film about the war last night.", "Please write a function that sorts a list.",
    "The soup needs more salt and a bit of lemon.", "Her flight was cancelled because of the storm.",
    "I have been allergic to peanuts since I was a child.", "They moved to a new flat in March.",
    "Our team lost the match by one goal.", "What a lovely photo!", "The meeting is on Tuesday at ten.",
    "He is reading a novel about the sea.",
)  # fmt: skip
"""Of many matters, so that their mean is what all texts have in common."""
ASKED = (
    "What are my cats called?", "When does the train leave?", "Which instrument do I want to learn?",
    "Where does my sister work?", "How was the weather?", "How much did it cost?", "Which film did we watch?",
    "Can you sort a list?", "What is missing in the soup?", "Why was her flight cancelled?",
    "What am I allergic to?", "When did they move?", "Who won the match?", "What did you think of it?",
    "When is the meeting?", "What is he reading?",
)  # fmt: skip


class Source(Protocol):
    """What runs a model. `label`: as the person named it; `stamp`: what tells its weights from others'."""

    label: str
    stamp: str

    def raw(self, texts: Sequence[str], *, asked: bool = False) -> np.ndarray: ...

    def close(self) -> None: ...


class Encoder:
    """An `Embedder` over a source. Raises ModelError as that does, ModelBroken for vectors that are none."""

    def __init__(self, source: Source, prefixes: Prefixes, *, centred: bool = True) -> None:
        self._source, self.prefixes = source, prefixes
        self.dimensions = 0
        means = [self._checked(source.raw([before + text for text in texts]), len(texts)).mean(axis=0)
                 for before, texts in ((prefixes.passage, SAMPLES), (prefixes.query, ASKED))]  # fmt: skip
        self._means = means if centred else [np.zeros_like(one) for one in means]
        told = repr((source.stamp, prefixes.passage, FORM if centred else 0))
        self.name = f"{source.label}/{self.dimensions}/{hashlib.sha256(told.encode()).hexdigest()[:10]}"

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of passages, float32, shape (n, dimensions); zeros for a text that the model can't read."""
        return self._made(texts, self.prefixes.passage, self._means[0])

    def embed_questions(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of questions, to be compared with those of `embed`."""
        return self._made(texts, self.prefixes.query, self._means[1], asked=True)

    def close(self) -> None:
        self._source.close()

    def _made(self, texts: Sequence[str], before: str, mean: np.ndarray, *, asked: bool = False) -> np.ndarray:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        put = [before + (" ".join(text[:MAX_CHARACTERS].split()) or "-") for text in texts]
        units: np.ndarray = self._checked(self._source.raw(put, asked=asked), len(texts))
        blank = ~units.any(axis=1)
        units = units - mean
        units /= np.maximum(np.linalg.norm(units, axis=1, keepdims=True), 1e-9)
        units[blank] = 0.0
        return units

    def _checked(self, found: np.ndarray, count: int) -> np.ndarray:
        """Units of what the source gave; zeros where that is no direction. Raises ModelBroken."""
        label = self._source.label
        if found.ndim != 2 or len(found) != count:
            raise ModelBroken(f"{label} gave {len(found)} vectors for {count} texts; choose another encoder.")
        if not found.shape[1]:
            raise ModelBroken(f"{label} gave empty vectors; choose an encoder.")
        if self.dimensions and found.shape[1] != self.dimensions:
            raise ModelBroken(
                f"{label} gave vectors of {found.shape[1]} numbers, and of {self.dimensions} before; start chatmem "
                "again if its model was changed."
            )
        vectors = np.where(np.isfinite(found).all(axis=1, keepdims=True), found, 0).astype(np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not norms.any():
            raise ModelBroken(f"{label} gave vectors without numbers; choose another encoder.")
        self.dimensions = int(found.shape[1])
        units: np.ndarray = vectors / np.maximum(norms, 1e-12)
        return units


def file_stamp(files: Sequence[Path]) -> str:
    """Tells weights apart without reading gigabytes: sizes, and the bytes at seventeen places of each file."""
    seen = hashlib.sha256()
    for path in files:
        size = path.stat().st_size
        seen.update(f"{path.name} {size}".encode())
        with path.open("rb") as file:
            for place in range(17):
                file.seek(max(size - 65_536, 0) * place // 16)
                seen.update(file.read(65_536))
    return seen.hexdigest()
