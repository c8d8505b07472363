"""Any GGUF as an encoder: pooled as its file says, by the mean where that says nothing (a language model)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...memory.errors import ModelBroken, ModelNotFound
from ..files.model_files import models_folder
from .encoder import file_stamp
from .minilm import LlamaEmbedder, files_of

THREADS = 4


class GgufSource(LlamaEmbedder):
    """A `Source` over llama.cpp. Raises ModelNotFound, ModelBroken."""

    def __init__(self, name: str) -> None:
        path = _found(name)
        super().__init__(path, max(1, min(THREADS, (os.cpu_count() or 2) // 2)), pooling=None)
        self.label = f"gguf:{path.stem}"
        self.stamp = file_stamp(files_of(path))

    def raw(self, texts: Sequence[str], *, asked: bool = False) -> np.ndarray:
        """As the model gives them, units, shape (n, dimensions)."""
        return self.embed(texts)


def _found(name: str) -> Path:
    path, pulled = Path(name).expanduser(), models_folder() / name
    path = pulled if not path.exists() and pulled.is_file() else path
    if not path.is_file():
        raise ModelNotFound(f"There is no encoder at {path}; put the file there, or set `embedder` to another.")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ModelBroken(f"{path} is no GGUF file; set `embedder` to another.")
    return path
