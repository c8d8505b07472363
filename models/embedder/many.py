"""Many texts at once, as an import, another encoder's vectors or a data set bring them: on two threads, in BF16.

Each thread has a llama.cpp context of its own, since llama.cpp's own threads wait for each other in a spin loop. Where
the processor multiplies in BF16 they read a copy of the model in it (`bf16_copy`), which takes three quarters of the
time; its vectors are those of the model within .001 (cosine). Questions and what a chat stores line by line don't
come here, and don't wait for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

MANY = 100
"""Texts from which it pays; more than a chat embeds at once beside a reply."""
WORKERS = 2


class Worker(Protocol):
    """An embedder that no other thread uses meanwhile."""

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> np.ndarray: ...

    def close(self) -> None: ...


class ManyTexts:
    """Embedders of one model, made when they are first needed. Raises as they do."""

    def __init__(self, make: Callable[[], Sequence[Worker]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._workers: Sequence[Worker] = ()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, float32, shape (len(texts), dimensions)."""
        with self._lock:
            self._workers = self._workers or self._make()
            # By length and in turns, so that each gets as much to do.
            order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
            shares = [order[first :: len(self._workers)] for first in range(len(self._workers))]
            vectors = np.empty((len(texts), self._workers[0].dimensions), np.float32)
            with ThreadPoolExecutor(len(shares), "chatmem-embed-many") as pool:
                some = [[texts[place] for place in share] for share in shares]
                made = pool.map(lambda one, given: one.embed(given), self._workers, some)
                for share, found in zip(shares, made, strict=True):
                    vectors[share] = found
        return vectors

    def close(self) -> None:
        """Frees the models; safe to call twice."""
        with self._lock:
            for one in self._workers:
                one.close()
            self._workers = ()
