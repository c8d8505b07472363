"""What the guard costs to judge a statement that it has not seen."""

from __future__ import annotations

from collections.abc import Callable

from chatmem.memory.guard import guard
from tests.clock import least_seconds


def cost(act: Callable[[], object], enough: float) -> float:
    """Seconds of processor time, each try by a guard that remembers nothing; a try below `enough` is the last."""

    def anew() -> None:
        guard._read.cache_clear()
        guard._write.cache_clear()
        act()

    return least_seconds(anew, enough=enough)
