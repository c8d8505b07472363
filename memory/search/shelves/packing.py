"""The thread that packs vectors into blocks, once a search has found many that are in none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from ...errors import StoreError
from ..nearest.wide import Codes
from . import blocks
from .blocks import Key

if TYPE_CHECKING:
    from ...database.engine import Database

Directions = Callable[[Key], tuple[Codes, int] | None]
Step = Callable[[Connection, Key], bool]


class Packing:
    """Packs what it is told to, a block at a time: each is a transaction of some hundredths of a second, and the
    thread rests as long after it, so that a chat goes on beside it. Who stops loses nothing.

    `directions`: those of vectors that are in memory.
    """

    def __init__(self, directions: Directions) -> None:
        self._directions = directions
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, database: Database, keys: Sequence[Key]) -> None:
        """Packs these in a thread of its own; while one is at it, nothing: the next start finds them."""
        with self._lock:
            busy = self._thread is not None and self._thread.is_alive()
            if keys and not database.read_only and not busy and not self._stop.is_set():
                self._thread = threading.Thread(
                    target=self._behind, args=(database, keys), name="chatmem-blocks", daemon=True
                )
                self._thread.start()

    def end(self) -> None:
        """Waits for the block that is under way, if any."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _behind(self, database: Database, keys: Sequence[Key]) -> None:
        with suppress(StoreError):  # no room, or a busy database: what isn't packed is read row by row
            for key in keys:
                self.run(database, key)

    def run(self, database: Database, key: Key) -> None:
        """Packs all that pays, and makes the codes of what is many. Raises StoreError when that can't be written."""
        self._all(database, key, blocks.pack)
        if found := self._directions(key):
            with database.write(durable=False) as db:
                if blocks.lack_directions(db, key, found[1]):
                    blocks.keep_directions(db, key, *found)
            self._all(database, key, blocks.encode)

    def _all(self, database: Database, key: Key, step: Step) -> None:
        more = True
        while more and not self._stop.is_set():
            begin = time.perf_counter()
            with database.write(durable=False) as db:  # not durable: what a power cut takes is made again
                more = step(db, key)
            self._stop.wait(time.perf_counter() - begin)
