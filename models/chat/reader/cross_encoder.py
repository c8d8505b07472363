"""How well a told sentence answers a question, by a small model that reads the two together.

A cross-encoder (Nogueira and Cho 2019, "Passage Re-ranking with BERT"): MiniLM with a LoRA of its own reads the
question and one sentence, the mean of its last layer becomes one logit. The logits of a recall's sentences and a zero
for "none of them" are a softmax: that is what it was trained by (`chatmem train recall --cross-encoder`).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....memory.errors import ModelBroken
from .sentences import Sentence

if TYPE_CHECKING:
    from ...embedder.minilm import LlamaEmbedder

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "ranker"
ADAPTER = "cross-encoder.gguf"
HEAD = "cross-encoder.json"
"""Weights of the mean vector, and a bias."""
SHORT = 6
"""Words of a sentence that is shown with its line."""
MOST, AROUND = 240, 160
"""Characters that are read of a sentence, and of a line that is shown beside it."""


@dataclass(frozen=True, slots=True)
class Head:
    """One logit of a unit vector."""

    weights: np.ndarray
    bias: float


class CrossEncoder:
    """Thread-safe; the model is loaded when it is first asked."""

    def __init__(self, head: Head, adapter: Path) -> None:
        self._head, self._adapter = head, adapter
        self._lock = threading.Lock()
        self._model: LlamaEmbedder | None = None

    def logits(self, asker: str, question: str, shown: Sequence[str]) -> np.ndarray:
        """That each answers, float64, shape (len(shown),); `shown` by `shown_as`. Raises ModelNotFound, ModelBroken."""
        with self._lock:
            if self._model is None:
                self._model = _model(self._adapter)
        vectors = self._model.embed_pairs(asked_as(asker, question), shown)
        found: np.ndarray = vectors.astype(np.float64) @ self._head.weights + self._head.bias
        return found


def _model(adapter: Path) -> LlamaEmbedder:
    from ...embedder.minilm import DEFAULT_FILE, LlamaEmbedder

    return LlamaEmbedder(DEFAULT_FILE, 1, adapter=adapter)


def asked_as(asker: str, question: str) -> str:
    """The question as the model reads it, with who asks it."""
    return f"{asker}: {question}"


def shown_as(asker: str, one: Sentence) -> str:
    """The sentence as the model reads it: a fact by itself, words of a line with who said them, and where they are few
    with the line around them."""
    if one.turn is None:
        return one.text[:MOST]
    said = f"{one.turn.speaker or asker}: {one.text}"
    if len(one.text.split()) <= SHORT and one.around != one.text and len(one.around) < AROUND:
        said += f" ({one.around})"
    return said[:MOST]


@lru_cache(maxsize=1)
def load(folder: Path = FOLDER) -> CrossEncoder | None:
    """The shipped one; None where it isn't there. Raises ModelBroken for a file that holds another."""
    adapter, head = folder / ADAPTER, folder / HEAD
    if not (adapter.is_file() and head.is_file()):
        return None
    try:
        data = json.loads(head.read_text(encoding="utf-8"))
        made = Head(np.array(data["weights"], np.float64), float(data["bias"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelBroken(f"the file {head} of the reader can't be used ({error}): reinstall chatmem") from error
    return CrossEncoder(made, adapter)
