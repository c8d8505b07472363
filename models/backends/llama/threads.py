"""How many threads compute: all there are on an idle machine, fewer where other programs want the cores too.

llama.cpp's threads wait for each other a thousand times a token, and spin while they wait: where one of them isn't
scheduled, the others burn their time, and two threads beside two busy programs take ten times as long as alone
(docs/log/speed.md). A pool that doesn't poll (`ggml_threadpool_new`, poll 0) changes nothing about that: it sleeps
between graphs, and the waiting is within one. So what the threads got of the cores is measured with each step, and half
of them go on while they get too little.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ENOUGH = 0.8
"""Of its threads' time that a step must have had on the cores; below, it shares them with others."""
LOOKED_AT = 0.02
"""Seconds of work after which the share is looked at: shorter than that, the clock and the scheduler are too coarse."""
TRY_AFTER = 1.0
"""Seconds until all threads are tried again; twice as long after each try that failed, to `TRY_AT_MOST`."""
TRY_AT_MOST = 16.0
_RUNNING = Path("/proc/loadavg")


def others_running() -> int | None:
    """How many threads of the machine want to run now, this one not counted; None where that can't be read (Linux
    tells)."""
    try:
        return int(_RUNNING.read_text(encoding="ascii").split()[3].partition("/")[0]) - 1
    except (OSError, ValueError, IndexError):
        return None


class Crew:
    """Chooses how many of `most` threads compute the next step. `use(count)` tells llama.cpp. `fixed`: always all.

    `clock` and `worked` are seconds: by the wall, and of the processor for this process.
    """

    def __init__(
        self, most: int, use: Callable[[int], None], *, fixed: bool = False,
        clock: Callable[[], float] = time.perf_counter, worked: Callable[[], float] = time.process_time,
        others: Callable[[], int | None] = others_running,
    ) -> None:  # fmt: skip
        self.most, self._use, self._clock, self._worked, self._others = most, use, clock, worked, others
        self.count, self._fixed = most, fixed or most == 1
        self._wall = self._cpu = 0.0
        self._pause = TRY_AFTER
        self._again_at = 0.0
        self._trying = False
        if not self._fixed and self._crowded():
            self._fewer()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Around one step of computing."""
        if self._fixed:
            yield
            return
        if self.count < self.most and self._clock() >= self._again_at:
            self._try_all()
        begun, worked = self._clock(), self._worked()
        try:
            yield
        finally:
            self._look(self._clock() - begun, self._worked() - worked)

    def _crowded(self) -> bool:
        """Whether others want as many cores as would leave one of ours without."""
        others = self._others()
        return others is not None and others + self.most > (os.cpu_count() or self.most)

    def _try_all(self) -> None:
        """All threads for the next steps, unless it is plain that others have the cores."""
        if self._crowded():
            self._again_at = self._clock() + TRY_AFTER
            return
        self._trying = True
        self._set(self.most)

    def _look(self, wall: float, cpu: float) -> None:
        """Fewer threads, where those at work got too little of the cores."""
        if self.count == 1:
            return
        self._wall, self._cpu = self._wall + wall, self._cpu + cpu
        if self._wall < LOOKED_AT:
            return
        share = self._cpu / (self._wall * self.count)
        self._wall = self._cpu = 0.0
        if share < ENOUGH:
            self._fewer()
        elif self._trying:
            self._trying, self._pause = False, TRY_AFTER

    def _fewer(self) -> None:
        if self._trying:
            self._pause = min(self._pause * 2, TRY_AT_MOST)
        self._trying = False
        self._again_at = self._clock() + self._pause
        self._set(max(self.count // 2, 1))

    def _set(self, count: int) -> None:
        self.count, self._wall, self._cpu = count, 0.0, 0.0
        self._use(count)
