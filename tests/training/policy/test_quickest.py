"""In which type training multiplies: told by what the products cost, not by what waking the threads does."""

from __future__ import annotations

from typing import Any

import pytest

WAKING, FLOAT32, FEW, MANY = 8e-3, 23e-6, 27e-6, 190e-6
"""Seconds that a busy machine of two cores took: for a product, for each of its rows in float32, and in bfloat16 for
each of the first 64 and of the others."""


def test_a_busy_machine_hides_no_eightfold_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="training is an extra")
    from chatmem.training.policy import fused_llama

    clock = [0.0]

    def linear(states: Any, weights: Any) -> Any:
        few, many = min(len(states), 64), max(len(states) - 64, 0)
        alike = states.dtype == torch.float32
        clock[0] += WAKING + (len(states) * FLOAT32 if alike else few * FEW + many * MANY)

    monkeypatch.setattr(fused_llama.F, "linear", linear)
    monkeypatch.setattr(fused_llama.time, "perf_counter", lambda: clock[0])
    fused_llama.quickest.cache_clear()
    try:
        assert fused_llama.quickest(576, 1536) == torch.float32
    finally:
        fused_llama.quickest.cache_clear()
