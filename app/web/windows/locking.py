"""Locks the page of the one local user when nobody was there for a while; opened again, its windows go on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...config.lock import Lock
from .windows import House

if TYPE_CHECKING:
    from ....memory.store.store import Store


class PageLock:
    """The lock of a house over an encrypted memory. `reopen` opens the memory with what was typed just before."""

    def __init__(self, house: House, lock: Lock, reopen: Callable[[], Store]) -> None:
        self._house, self._lock, self._reopen = house, lock, reopen
        self._changing = threading.Lock()

    @property
    def locked(self) -> bool:
        return self._lock.locked

    def used(self) -> None:
        """Somebody did something in some window."""
        if not self._lock.locked:
            self._lock.used()

    def look(self) -> None:
        """Locks when it is time, and no window writes."""
        if self._lock.is_due() and not self._house.busy:
            self.shut()

    def shut(self) -> None:
        """Locks now: all windows are closed, then the memory; the key is let go of."""
        with self._changing:
            if not self._lock.locked:
                self._lock.locked = True  # from here on no request comes in
                self._house.end_desks()
                self._house.store.close()
                self._lock.shut()

    def open(self, typed: str) -> None:
        """With a passphrase, or with nothing typed what the keychain has. Raises StoreSealed, StoreError."""
        with self._changing:
            if self._lock.locked:
                self._lock.open(typed)
                try:
                    self._house.store = self._reopen()
                except BaseException:
                    self._lock.shut()
                    raise
