"""Clocks for tests: another one for one module alone, and what a call costs whatever else is at work."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


def set_clock(patch: pytest.MonkeyPatch, module: ModuleType, **functions: Any) -> None:
    """In this module these stand in for the functions of `time` that have their names; the threads
    that other tests left behind go on by the real clock."""
    patch.setattr(module, "time", SimpleNamespace(**{**vars(time), **functions}))


def least_seconds(work: Callable[[], object], tries: int = 3, enough: float = 0.0) -> float:
    """What a call costs in processor time of its own thread: other threads and programs don't count, nor does one
    unlucky try (a collection of everything that the tests before have left, a cold cache). No further try is made
    once one took less than `enough` seconds. A call that remembers its answer must forget it itself."""
    took = []
    collects = gc.isenabled()
    gc.disable()
    try:
        for _ in range(tries):
            began = time.thread_time()
            work()
            took.append(time.thread_time() - began)
            if took[-1] < enough:
                break
    finally:
        if collects:
            gc.enable()
    return min(took)
