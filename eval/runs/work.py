"""What works on rows: made once a worker, called with one row after another, and closed where it holds something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar, runtime_checkable

Item = TypeVar("Item")
Result = TypeVar("Result")
Work = Callable[[Item], Result]
Done = tuple[int, Result]
"""The place of a row, and what became of it."""


@runtime_checkable
class Closes(Protocol):
    """A worker that holds something (a model, a file) which it lets go of at the end."""

    def close(self) -> None: ...


def close(work: object) -> None:
    """Has a worker let go of what it holds."""
    if isinstance(work, Closes):
        work.close()
