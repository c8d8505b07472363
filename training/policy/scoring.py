"""Completions scored by several processes: running SQL is a processor's work, while a card waits."""

from __future__ import annotations

import atexit
import multiprocessing
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .sampling import Changing, Task, at_step

Job = tuple[dict[str, Any], str]
"""A row and what was written for it."""

_task: Task | None = None


class Scorers:
    """`count` forks, each with a task of its own; 0, or where a process can't be forked: this process alone."""

    def __init__(self, make: Callable[[], Task], count: int) -> None:
        """Begin before a card is in use: a forked process can't share it."""
        self.task = make()
        self._known: dict[tuple[str, str], dict[str, float]] = {}
        self._pool: Any = None
        if count and sys.platform == "linux":
            self._pool = multiprocessing.get_context("fork").Pool(count, _begin, (make,))
            atexit.register(self.close)

    def score(self, jobs: Sequence[Job], step: int | None = None) -> list[dict[str, float]]:
        """The terms of each completion, in order; equal ones are run once. `step`: as `at_step` has it."""
        keys = [(repr(row["messages"]), text) for row, text in jobs]
        at_step(self.task, step)
        if isinstance(self.task, Changing):
            self._known = {}  # what they earned may not be what they earn now
        self._known = {key: self._known[key] for key in keys if key in self._known}
        new = {key: job for key, job in zip(keys, jobs, strict=True) if key not in self._known}
        if self._pool is None:
            found = [self.task.score(row, text) for row, text in new.values()]
        else:
            found = self._pool.map(_score, [(step, *job) for job in new.values()], chunksize=4)
        self._known |= dict(zip(new, found, strict=True))
        return [self._known[key] for key in keys]

    def close(self) -> None:
        """Ends the processes and the task of this one."""
        if self._pool is not None:
            self._pool.terminate()
            self._pool = None
            atexit.unregister(self.close)
        self.task.close()


def _begin(make: Callable[[], Task]) -> None:
    global _task
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the one that saves
    _task = make()


def _score(job: tuple[int | None, dict[str, Any], str]) -> dict[str, float]:
    assert _task is not None
    step, row, text = job
    at_step(_task, step)
    return dict(_task.score(row, text))
