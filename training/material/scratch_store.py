"""A store for building rows: questions are asked over it as a chat would ask them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...memory.search.vectors import Embedder
    from ...memory.store.store import Store


def scratch_store(folder: Path, name: str = "rows.db", embedder: Embedder | None = None) -> Store:
    """A new or known store in a folder, with the embedder that the chat uses unless another is given."""
    from ...memory.store.store import Store
    from ...models.embedder.minilm import load_embedder

    return Store.open(folder / name, embedder=embedder or load_embedder())
