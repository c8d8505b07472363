"""Wrong passwords slow down: for a name, and for the address that they come from, and for nobody else.

Each of them has a few tries, and gets one more back after a while (a token bucket). A try is taken before the password
is looked at, so that many at once get no further than one after the other; the right one gives it back, and who finds
all tries taken by passwords that are being looked at waits for them: a whole office may sign in at nine o'clock. An
address from which a name signed in of late has tries of its own for it: who guesses somebody's password from elsewhere
doesn't keep them out.
"""

from __future__ import annotations

import ipaddress
import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

OF_NAME, OF_ADDRESS = (5, 20.0), (20, 5.0)
"""Tries at once, and seconds until there is one more."""
MOST_KEPT = 100_000


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class Buckets:
    """Tries by key, for keys of one kind. The one not used for longest is forgotten first."""

    def __init__(self, size: int, seconds: float, now: Callable[[], float]) -> None:
        self._size, self._seconds, self._now = size, seconds, now
        self._kept: OrderedDict[Hashable, _Bucket] = OrderedDict()

    def waits(self, key: Hashable) -> float:
        """Seconds until there is a try (0: there is one)."""
        return max(0.0, (1.0 - self._filled(key).left) * self._seconds)

    def change(self, key: Hashable, by: float) -> None:
        bucket = self._filled(key)
        bucket.left = min(self._size, bucket.left + by)

    def _filled(self, key: Hashable) -> _Bucket:
        now = self._now()
        bucket = self._kept.setdefault(key, _Bucket(self._size, now))
        bucket.left = min(self._size, bucket.left + (now - bucket.at) / self._seconds)
        bucket.at = now
        self._kept.move_to_end(key)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return bucket


class Wait(Exception):
    """No try is left; there is one after `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = math.ceil(seconds)


class Brake:
    """Says who may try a password now. For several threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._names, self._addresses = Buckets(*OF_NAME, now), Buckets(*OF_ADDRESS, now)
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._looked_at: Counter[Hashable] = Counter()
        self._changed = threading.Condition()

    def look(self, name: str, address: str, allows: Callable[[], bool]) -> bool:
        """Takes a try, and asks `allows` whether the password is right.

        Waits while others that are being looked at may give theirs back. Raises Wait where no try is left.
        """
        place = network(address)
        taken = self._take(name, place)
        right = False
        try:
            right = allows()
        finally:
            self._ended(taken, (name, place), right)
        return right

    def _take(self, name: str, place: str) -> tuple[Hashable, Hashable]:
        with self._changed:
            while True:
                key = self._key(name, place)
                # An address without tries comes first: names that are only made up push no other out.
                of: Hashable = place
                waits = self._addresses.waits(place)
                if not waits:
                    of, waits = key, self._names.waits(key)
                if not waits:
                    break
                if not self._looked_at[of]:
                    raise Wait(waits)
                self._changed.wait()
            self._count((key, place), -1)
            self._looked_at.update((key, place))
            return key, place

    def _ended(self, taken: tuple[Hashable, Hashable], known: tuple[str, str], right: bool) -> None:
        """A right password gives its try back, and its address is known for that name."""
        with self._changed:
            self._looked_at.subtract(taken)
            self._looked_at += Counter()  # what stands at 0 is let go
            if right:
                self._count(taken, 1)
                self._known[known] = None
                self._known.move_to_end(known)
                while len(self._known) > MOST_KEPT:
                    self._known.popitem(last=False)
            self._changed.notify_all()

    def _count(self, taken: tuple[Hashable, Hashable], by: int) -> None:
        self._names.change(taken[0], by)
        self._addresses.change(taken[1], by)

    def _key(self, name: str, place: str) -> Hashable:
        return (name, place) if (name, place) in self._known else (name,)


def network(address: str) -> str:
    """The address, or of IPv6 the 64 bits that one customer has to themselves."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return str(found)
