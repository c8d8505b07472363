"""Locking an encrypted memory that nobody used for a while: whoever locks lets go of the key, and asks for it again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ...memory.database import keychain
from ...memory.database.handles import salt_of_database
from ...memory.database.key import Secret
from ...memory.errors import StoreSealed
from . import unlocking


def now() -> float:
    """Seconds that also pass while the machine sleeps, where the system counts them."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.clock_gettime(clock) if clock is not None else time.time()


@dataclass(slots=True)
class Lock:
    """The lock of one database. `take` is given what opens it (None: nothing any more)."""

    path: Path
    minutes: int
    take: Callable[[Secret | None], None]
    clock: Callable[[], float] = now
    locked: bool = False
    _used: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._used = self.clock()

    def used(self) -> None:
        """Somebody is there."""
        self._used = self.clock()

    def is_due(self) -> bool:
        """Whether nobody was there for so long that it should be locked."""
        return not self.locked and self.minutes > 0 and self.clock() - self._used >= 60 * self.minutes

    def shut(self) -> None:
        """Lets go of the key."""
        self.locked = True
        self.take(None)

    def open(self, typed: str) -> None:
        """With a passphrase, or with nothing typed what the keychain has. Raises StoreSealed, and stays locked then."""
        salt = salt_of_database(self.path)
        if salt is not None:
            secret = Secret(typed) if typed else keychain.secret_of(salt)
            if secret is None:
                raise StoreSealed("type the passphrase: the keychain has no key for this memory.")
            self.take(unlocking.tried(self.path, secret, salt))
        self.locked = False
        self.used()
