"""Another clock for one module alone: the threads that other tests left behind go on by the real one."""

from __future__ import annotations

import time
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


def set_clock(patch: pytest.MonkeyPatch, module: ModuleType, **functions: Any) -> None:
    """In this module these stand in for the functions of `time` that have their names."""
    patch.setattr(module, "time", SimpleNamespace(**{**vars(time), **functions}))
