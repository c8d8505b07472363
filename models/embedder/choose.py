"""The encoder that the setting `embedder` names: `embedded`, `gguf:PATH`, `openai:NAME` or `hf:NAME`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from ...memory.errors import EndpointError, ModelError, ModelNotReady, SettingsError
from .prefixes import Prefixes, prefixes_of

if TYPE_CHECKING:
    import numpy as np

    from ...memory.search.vectors import Embedder
    from .encoder import Encoder

Found = TypeVar("Found")
EMBEDDED = "embedded"
KINDS = ("gguf", "openai", "hf")
SECONDS = 120.0
WAIT = 10.0
"""Seconds that a search waits for an encoder that is being loaded; then it goes by words."""
REST = 30.0
"""Seconds until an encoder that failed is tried again; until then it fails at once."""


def choose(spec: str, prefixes: Prefixes | None = None, *, seconds: float = SECONDS) -> Embedder:
    """The encoder of a spec, not loaded yet. `seconds`: for a request to an endpoint. Raises SettingsError for a spec
    that names none; what fails later is a ModelError."""
    from .lazy import LazyEmbedder

    kind, name = parse(spec)
    if kind == EMBEDDED:
        return LazyEmbedder()
    told = prefixes or Prefixes()
    return ChosenEmbedder(spec, lambda: _made(kind, name, told, seconds))


def parse(spec: str) -> tuple[str, str]:
    """Kind and name. Raises SettingsError."""
    kind, colon, name = spec.strip().partition(":")
    if kind == EMBEDDED and not colon:
        return kind, ""
    if kind in KINDS and name.strip():
        return kind, name.strip()
    raise SettingsError(f"{spec!r} names no encoder; write embedded, gguf:PATH, openai:NAME or hf:NAME.")


def _made(kind: str, name: str, told: Prefixes, seconds: float) -> Encoder:
    from .encoder import Encoder

    if kind == "gguf":
        from .gguf_file import GgufSource

        return Encoder(GgufSource(name), prefixes_of(name, told))
    if kind == "hf":
        from .hf_model import HfSource

        source = HfSource(name)
        return Encoder(source, prefixes_of(name, told, source.folder))
    from ..files.spec import parse as endpoint_spec
    from .endpoint import EndpointSource

    spec = endpoint_spec(f"openai:{name}")
    return Encoder(EndpointSource(spec.name, seconds=seconds, base_url=spec.url), prefixes_of(spec.name, told))


def ready(ask: Callable[[], Found]) -> Found:
    """What is asked of an encoder, once it is loaded. Raises ModelError."""
    while True:
        try:
            return ask()
        except ModelNotReady:
            continue


class ChosenEmbedder:
    """An encoder that is loaded in a thread of its own when it is first asked, so that nobody waits for it long: until
    then, and for a while after it failed, it raises ModelError and search goes by words."""

    def __init__(self, spec: str, make: Callable[[], Encoder], *, wait: float = WAIT, rest: float = REST) -> None:
        self.spec = spec
        self._make, self._wait, self._rest = make, wait, rest
        self._state = threading.Condition()
        self._loaded: Encoder | None = None
        self._loading = False
        self._failed: tuple[float, str] | None = None

    @property
    def name(self) -> str:
        return self._ready().name

    @property
    def dimensions(self) -> int:
        return self._ready().dimensions

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return self._guarded(lambda encoder: encoder.embed(texts))

    def embed_questions(self, texts: Sequence[str]) -> np.ndarray:
        return self._guarded(lambda encoder: encoder.embed_questions(texts))

    def close(self) -> None:
        """Lets go of the model; it is loaded again when it is asked again."""
        with self._state:
            loaded, self._loaded = self._loaded, None
        if loaded is not None:
            loaded.close()

    def _guarded(self, act: Callable[[Encoder], np.ndarray]) -> np.ndarray:
        encoder = self._ready()
        try:
            return act(encoder)
        except EndpointError as error:  # else each search would wait for it anew
            with self._state:
                self._failed = (time.monotonic(), str(error))
            raise

    def _ready(self) -> Encoder:
        with self._state:
            if self._failed and time.monotonic() - self._failed[0] < self._rest:
                raise ModelError(self._failed[1])
            if self._loaded is None and not self._loading:
                self._loading, self._failed = True, None
                threading.Thread(target=self._load, name="chatmem-encoder", daemon=True).start()
            if not self._state.wait_for(lambda: not self._loading, self._wait):
                raise ModelNotReady(f"The encoder {self.spec} is still being loaded; until then search goes by words.")
            if self._loaded is None:
                raise ModelError(self._failed[1] if self._failed else f"The encoder {self.spec} was closed.")
            self._failed = None
            return self._loaded

    def _load(self) -> None:
        made, failed = None, f"The encoder {self.spec} can't be loaded; see the log of what runs it."
        try:
            made = self._make()
        except (ModelError, SettingsError) as error:
            failed = str(error)
        finally:
            with self._state:
                self._loaded, self._loading = made, False
                self._failed = None if made else (time.monotonic(), failed)
                self._state.notify_all()
