"""Models for an evaluation, by their specs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..models.lm import LM


def load(spec: str, threads: int | None) -> LM:
    """The model of a spec. `threads` is for llama.cpp alone: on a busy machine, one is faster than many that wait for
    each other. Raises ModelError."""
    from ..models import registry
    from ..models.spec import parse

    if threads and parse(spec).kind in ("embedded", "gguf"):
        return registry.load(spec, threads=threads)
    return registry.load(spec)
