"""The real embedder, loaded once, and a store on a real file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.memory.store import Store
from chatmem.models.embedder import LlamaEmbedder, load_embedder


@pytest.fixture(scope="session")
def embedder() -> Iterator[LlamaEmbedder]:
    loaded = load_embedder()
    yield loaded
    loaded.close()


@pytest.fixture
def store(tmp_path: Path, embedder: LlamaEmbedder) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db", embedder=embedder) as opened:
        yield opened
