"""An encoder whose vectors are kept on the disk, by the hash of its name and the text: made once, whoever asks again.

Each text is embedded alone. In a batch its last digits would hang on its neighbours, and a run that was killed and goes
on would have other neighbours.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...memory.errors import InputError

if TYPE_CHECKING:
    from ...memory.search.vectors import Embedder

PORTION = 500
"""Hashes that are looked up at once."""


class KeptEmbedder:
    """An `Embedder` over another one. Several processes may share the file. Raises InputError if it can't be used."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        self.inner, self.path = inner, path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=60, check_same_thread=False)
            with suppress(sqlite3.OperationalError):  # another process is at just that
                self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("CREATE TABLE IF NOT EXISTS vectors (hash BLOB PRIMARY KEY, data BLOB) WITHOUT ROWID")
        except (OSError, sqlite3.Error) as error:
            raise _unusable(path, error) from error

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def dimensions(self) -> int:
        return self.inner.dimensions

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, float32; rounded as they are kept, so that new ones and kept ones are alike."""
        hashes = [self._hash(text) for text in texts]
        with self._lock:
            try:
                known = self._known(hashes)
                made = {one: text for one, text in zip(hashes, texts, strict=True) if one not in known}
                fresh = {one: self.inner.embed([text])[0].astype(np.float16).tobytes() for one, text in made.items()}
                self._db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", fresh.items())
                self._db.commit()
            except sqlite3.Error as error:
                raise _unusable(self.path, error) from error
        known |= fresh
        if not hashes:
            return np.empty((0, self.dimensions), np.float32)
        found = np.stack([np.frombuffer(known[one], np.float16) for one in hashes]).astype(np.float32)
        unit: np.ndarray = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
        return unit

    def embed_questions(self, texts: Sequence[str]) -> np.ndarray:
        """As the encoder's own, one after another; they aren't kept."""
        made = [self.inner.embed_questions([text]) for text in texts]
        return np.concatenate(made) if made else np.empty((0, self.dimensions), np.float32)

    def close(self) -> None:
        """Closes the file; the encoder is its owner's."""
        with self._lock:
            self._db.close()

    def _hash(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.name}\0{text}".encode("utf-8", "replace")).digest()[:16]

    def _known(self, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        wanted = list(dict.fromkeys(hashes))
        for at in range(0, len(wanted), PORTION):
            some = wanted[at : at + PORTION]
            marks = ",".join("?" * len(some))
            found |= dict(self._db.execute(f"SELECT hash, data FROM vectors WHERE hash IN ({marks})", some))
        return found


def _unusable(path: Path, error: Exception) -> InputError:
    return InputError(f"{path} can't keep vectors ({error}); remove it, make room, or set CHATMEM_HOME.")
