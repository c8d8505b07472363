"""The embedded embedder, loaded when it is first asked."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class LazyEmbedder:
    """The embedded embedder, loaded at its first use: a command that searches nothing never pays for it. Stores of the
    same process share one."""

    def __init__(self) -> None:
        from ...models.embedder.minilm import DEFAULT_FILE

        self.name = Path(DEFAULT_FILE).stem
        self._lock = threading.Lock()

    @cached_property
    def _loaded(self) -> Any:
        from ...models.embedder.minilm import shared_embedder

        return shared_embedder()

    @property
    def dimensions(self) -> int:
        with self._lock:
            return int(self._loaded.dimensions)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        with self._lock:
            loaded = self._loaded
        vectors: np.ndarray = loaded.embed(texts)
        return vectors

    def embed_questions(self, texts: Sequence[str]) -> np.ndarray:
        with self._lock:
            loaded = self._loaded
        vectors: np.ndarray = loaded.embed_questions(texts)
        return vectors
