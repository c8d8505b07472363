"""A store on a real file, with the real embedder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.embedder.minilm import LlamaEmbedder


@pytest.fixture
def store(tmp_path: Path, embedder: LlamaEmbedder) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db", embedder=embedder) as opened:
        yield opened
