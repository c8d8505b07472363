"""One person's requests can't fill the server: few at work at once, some waiting, and more are told to wait.

Whatever a window or a program asks for runs in a thread of the server. Nobody has more than `AT_ONCE` of them, and
work that reads or writes the memory by a statement of the person's own is done one at a time for each.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ....memory.errors import InputError

AT_ONCE = 24
"""Requests of one person that hold a thread; each window that watches a reply is one."""
HEAVY_SECONDS = 20.0
"""How long a heavy request waits for those of the same person before it."""


class TooMany(InputError):
    """One person asks for too much at once."""


TOO_MANY = "That is more at once than one person may ask for; wait for the others, then try again."


class Turns:
    """Who is at work. For several threads."""

    def __init__(self, at_once: int = AT_ONCE, heavy_seconds: float = HEAVY_SECONDS) -> None:
        self._at_once, self._heavy_seconds = at_once, heavy_seconds
        self._working: dict[str, int] = {}
        self._heavy: set[str] = set()
        self._changed = threading.Condition()

    @contextmanager
    def one(self, person: str) -> Iterator[None]:
        """One request of a person. Raises TooMany."""
        with self._changed:
            if self._working.get(person, 0) >= self._at_once:
                raise TooMany(TOO_MANY)
            self._working[person] = self._working.get(person, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._working[person] -= 1
                if not self._working[person]:
                    del self._working[person]

    @contextmanager
    def heavy(self, person: str) -> Iterator[None]:
        """The only heavy request of a person; it waits for the one before. Raises TooMany after a while."""
        with self._changed:
            if not self._changed.wait_for(lambda: person not in self._heavy, self._heavy_seconds):
                raise TooMany(TOO_MANY)
            self._heavy.add(person)
        try:
            yield
        finally:
            with self._changed:
                self._heavy.discard(person)
                self._changed.notify_all()
