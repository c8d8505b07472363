"""How well a told sentence answers a question, by the cross-encoder that was trained for it.

The logits of a recall's sentences and a zero for "none of them" are a softmax: that is what it was trained by
(`chatmem train recall --cross-encoder`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...embedder import cross_encoder
from .sentences import Sentence

NAME = cross_encoder.ANSWERS
FOLDER = cross_encoder.FOLDER
ADAPTER, HEAD = cross_encoder.files(NAME)
MOST = 240
"""Characters that are read of a sentence."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads questions with told sentences."""

    encoder: cross_encoder.CrossEncoder

    def logits(self, asker: str, question: str, shown: Sequence[str]) -> np.ndarray:
        """That each answers, float64, shape (len(shown),); `shown` by `shown_as`. Raises ModelNotFound, ModelBroken."""
        return self.encoder.logits(asked_as(asker, question), shown)


def load(folder: Path = FOLDER) -> Reading | None:
    """The one that ships, or another folder's; None where it isn't there. Raises ModelBroken for a file that holds
    another."""
    found = cross_encoder.load(NAME) if folder == FOLDER else cross_encoder.read(NAME, folder)
    return Reading(found) if found else None


def asked_as(asker: str, question: str) -> str:
    """The question as the model reads it, with who asks it."""
    return f"{asker}: {question}"


def shown_as(asker: str, one: Sentence) -> str:
    """The sentence as the model reads it: a fact by itself, words of a line with who said them, and where they aren't
    understood alone with what stands before them."""
    if one.turn is None:
        return one.text[:MOST]
    said = f"{one.turn.speaker or asker}: {one.read}"[:MOST]
    return f"{said} ({one.before})" if one.before else said
