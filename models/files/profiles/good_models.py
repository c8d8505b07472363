"""Three models to begin with, by the memory that a machine has; each fits `chatmem models pull` as it stands."""

from __future__ import annotations

from dataclasses import dataclass

from .told import memory_bytes


@dataclass(frozen=True, slots=True)
class GoodModel:
    """`size` of its file in bytes; `needs`: bytes of memory that a machine should have for it; `words`: what it is
    like, with what was measured."""

    name: str
    repo: str
    file: str
    size: int
    needs: int
    words: str


GOOD = (
    GoodModel(
        "Qwen2.5 0.5B", "Qwen/Qwen2.5-0.5B-Instruct-GGUF", "qwen2.5-0.5b-instruct-q4_k_m.gguf", 491_000_000,
        4_000_000_000, "quick and terse; its coder sister answers .47 of 47 questions about old talks",
    ),
    GoodModel(
        "Qwen2.5 1.5B", "Qwen/Qwen2.5-1.5B-Instruct-GGUF", "qwen2.5-1.5b-instruct-q4_k_m.gguf", 1_120_000_000,
        6_000_000_000, "good talk on any laptop; its coder sister answers .57 of 30 of these, .95 of 60 about new ones",
    ),
    GoodModel(
        "Qwen3 4B", "Qwen/Qwen3-4B-GGUF", "Qwen3-4B-Q4_K_M.gguf", 2_500_000_000,
        12_000_000_000, "thinks first, writes the best; not measured here",
    ),
)  # fmt: skip


def recommended(memory: int | None = None) -> GoodModel:
    """The largest that fits this machine (`memory`: bytes; None: what this one has); the smallest where none does."""
    there = memory_bytes() if memory is None else memory
    return next((model for model in reversed(GOOD) if model.needs <= there), GOOD[0])
