"""How well a text goes with another one, by a small model that reads the two together.

A cross-encoder (Nogueira and Cho 2019, "Passage Re-ranking with BERT"): MiniLM with a LoRA of its own reads both, the
mean of its last layer becomes one logit. What the logit says, each adapter was trained for: that a sentence answers a
question (`models/chat/reader/cross_encoder.py`), that a line ends a fact (`models/storage/changes/ended.py`).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...memory.errors import ModelBroken

if TYPE_CHECKING:
    from .minilm import LlamaEmbedder

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "ranker"
ANSWERS = "cross-encoder"
"""The adapter that tells how well a told sentence answers a question, which it reads as "asker: question"."""


@dataclass(frozen=True, slots=True)
class Head:
    """One logit of a unit vector, and whatever else was fitted with it, by name."""

    weights: np.ndarray
    bias: float
    bounds: dict[str, float] = field(default_factory=dict)


class CrossEncoder:
    """Thread-safe; the model is loaded when it is first asked."""

    def __init__(self, head: Head, adapter: Path) -> None:
        self.head, self._adapter = head, adapter
        self._lock = threading.Lock()
        self._model: LlamaEmbedder | None = None

    def logits(self, text: str, others: Sequence[str]) -> np.ndarray:
        """That of the text with each of the others, float64, shape (len(others),). Raises ModelNotFound,
        ModelBroken."""
        with self._lock:
            if self._model is None:
                self._model = _model(self._adapter)
        vectors = self._model.embed_pairs(text, others)
        found: np.ndarray = vectors.astype(np.float64) @ self.head.weights + self.head.bias
        return found


def _model(adapter: Path) -> LlamaEmbedder:
    from .minilm import DEFAULT_FILE, LlamaEmbedder

    return LlamaEmbedder(DEFAULT_FILE, 1, adapter=adapter)


def files(name: str) -> tuple[str, str]:
    """The names of an adapter's file, and of that with the weights of the mean vector, a bias and the bounds."""
    return f"{name}.gguf", f"{name}.json"


@lru_cache(maxsize=8)
def load(name: str) -> CrossEncoder | None:
    """One that ships, by name, once for all; None where it isn't there. Raises ModelBroken."""
    return read(name, FOLDER)


def read(name: str, folder: Path) -> CrossEncoder | None:
    """One from a folder; None where it isn't there. Raises ModelBroken for a file that holds another."""
    adapter, head = (folder / one for one in files(name))
    if not (adapter.is_file() and head.is_file()):
        return None
    try:
        data = json.loads(head.read_text(encoding="utf-8"))
        bounds = {key: float(value) for key, value in data.get("bounds", {}).items()}
        made = Head(np.array(data["weights"], np.float64), float(data["bias"]), bounds)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelBroken(f"the file {head} can't be used ({error}): reinstall chatmem") from error
    return CrossEncoder(made, adapter)
