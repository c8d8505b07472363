"""The stores of a run's conversations. One with facts is kept beside the record, since writing it takes minutes; one of
turns alone is made anew in a temporary folder."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ...memory.values import ASSISTANT

if TYPE_CHECKING:
    from ...memory.search.vectors import Embedder
    from ...memory.store.store import Store
    from ...models.lm import LM
    from ..datasets.cases import Conversation


class Library:
    """Opens a store for a conversation, and fills it where that hasn't been done. At most one of a kind is open.

    `parallel`: lines that are read at once where facts are written by an endpoint."""

    def __init__(self, folder: Path, facts: str, parallel: int = 1) -> None:
        self.folder, self.facts, self.parallel = folder, facts, parallel
        self._stack = ExitStack()
        self._open: dict[bool, Store] = {}
        self._embedder: Embedder | None = None

    def __enter__(self) -> Library:
        self._temporary = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="chatmem-eval-")))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for store in self._open.values():
            store.close()
        self._stack.close()

    def open(self, talk: Conversation, storage: Callable[[], LM] | None, facts: bool) -> Store:
        """The conversation's store; `storage` gives the model that writes its facts. Raises ModelError, StoreError."""
        from ...memory.store.store import Store

        if facts in self._open:
            self._open.pop(facts).close()
        folder = self.folder if facts else self._temporary
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{hashlib.sha256(talk.id.encode()).hexdigest()[:16]}.db"
        if not path.exists():
            self._fill(path, talk, storage, facts)
        self._open[facts] = Store.open(path, embedder=self.embedder())
        return self._open[facts]

    def embedder(self) -> Embedder:
        if self._embedder is None:
            from ...models.embedder.minilm import load_embedder

            self._embedder = load_embedder()
        return self._embedder

    def _fill(self, path: Path, talk: Conversation, storage: Callable[[], LM] | None, facts: bool) -> None:
        """Under another name until it is whole; one that a kill left half filled is filled up."""
        from ...memory.store.store import Store
        from ..runs.progress import make_progress
        from .ingest import ingest

        part = path.with_suffix(".part")
        lines = sum(one.speaker != ASSISTANT for one in talk.said)
        with Store.open(part, embedder=self.embedder()) as store:
            lm, tell = storage() if storage else None, make_progress(f"facts of {talk.id}, lines", lines)
            what = self.facts if facts else "none"
            ingest(store, store.users.get(talk.id), talk, what, lm, parallel=self.parallel, tell=tell)
        part.rename(path)
