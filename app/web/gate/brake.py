"""Wrong passwords slow down: for a name, and for the address that they come from, and for nobody else.

Each of them has a few tries, and gets one more back after a while (a token bucket). A try is taken before the password
is looked at, so that many at once get no further than one after the other; the right one gives it back. An address
from which a name signed in of late has tries of its own for it: who guesses somebody's password from elsewhere
doesn't keep them out.
"""

from __future__ import annotations

import ipaddress
import math
import threading
import time
from collections import OrderedDict
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


class Brake:
    """Says who may try a password now. For several threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._names, self._addresses = Buckets(*OF_NAME, now), Buckets(*OF_ADDRESS, now)
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, name: str, address: str) -> int:
        """Takes a try. Seconds to wait where there is none (0: there was one)."""
        place = network(address)
        with self._lock:
            if waits := self._addresses.waits(place):  # names that are only made up push no other out
                return math.ceil(waits)
            key = self._key(name, place)
            if waits := self._names.waits(key):
                return math.ceil(waits)
            self._names.change(key, -1)
            self._addresses.change(place, -1)
            return 0

    def right(self, name: str, address: str) -> None:
        """The password was right: the try is given back, and this address is known for that name."""
        place = network(address)
        with self._lock:
            self._names.change(self._key(name, place), 1)
            self._addresses.change(place, 1)
            self._known[name, place] = None
            self._known.move_to_end((name, place))
            while len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)

    def _key(self, name: str, place: str) -> Hashable:
        return (name, place) if (name, place) in self._known else name


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
