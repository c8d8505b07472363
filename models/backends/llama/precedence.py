"""Whose turn it is: replies that somebody waits for go before those that nobody waits for, such as the storage agent's.

One for all models of a process, for they share its cores. A reply in the background breaks off its decode when one
begins that is waited for, drops what it had half read, waits, and goes on where it was: so it delays nobody by more
than some operations of a layer, far less than a token.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class GivesWay(Protocol):
    """A reply in the background."""

    def interrupt(self) -> None:
        """Breaks off its decode, from any thread, without waiting."""
        ...


class Precedence:
    """Who is waited for, and who gives way. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waited = 0
        self._patient: set[GivesWay] = set()

    @property
    def waited(self) -> bool:
        """Whether a reply is being made that somebody waits for."""
        return self._waited > 0

    @contextmanager
    def first(self) -> Iterator[None]:
        """While inside, all in the background wait. To be entered once the reply has its place in the cache."""
        with self._changed:
            self._waited += 1
            patient = tuple(self._patient)
        for one in patient:
            one.interrupt()
        try:
            yield
        finally:
            with self._changed:
                self._waited -= 1
                self._changed.notify_all()

    @contextmanager
    def last(self, who: GivesWay) -> Iterator[None]:
        """While inside, `who` is interrupted by those that go first."""
        with self._changed:
            self._patient.add(who)
        try:
            yield
        finally:
            with self._changed:
                self._patient.discard(who)

    def give_way(self, gone: Callable[[], bool]) -> None:
        """Waits while anybody is waited for, unless `gone()`, which is asked twenty times a second."""
        with self._changed:
            while self._waited and not gone():
                self._changed.wait(0.05)


PRECEDENCE = Precedence()
