"""Slow work pumped from a thread, so that the one who shows it can stop waiting at any moment."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Pump(Generic[Item]):
    """Iterates `source()` in a thread; iterating the pump gives its items, raises its error, or ends when stopped.

    `stop` may be called from anywhere, a signal handler too: the reader is free at once, and the generator is closed
    as soon as it comes back from the piece it is at.
    """

    def __init__(self, source: Callable[[], Generator[Item, None, None]]) -> None:
        self._source = source
        self._queue: queue.SimpleQueue[tuple[Item | None, BaseException | None]] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._finished = False
        self._thread = threading.Thread(target=self._run, name="chatmem-reply", daemon=True)

    @property
    def interrupted(self) -> bool:
        """Stopped before the source was done."""
        return self._stopped.is_set() and not self._finished

    def stop(self) -> None:
        self._stopped.set()
        self._queue.put((None, None))

    def join(self, timeout: float) -> bool:
        """True when the source has come back within `timeout` seconds."""
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def __iter__(self) -> Iterator[Item]:
        self._thread.start()
        while True:
            item, error = self._queue.get()
            if self._stopped.is_set():
                return
            if error is not None:
                raise error
            if item is None:
                self._finished = True
                return
            yield item

    def _run(self) -> None:
        try:
            items = self._source()
            for item in items:
                if self._stopped.is_set():
                    items.close()
                    return
                self._queue.put((item, None))
        except BaseException as error:  # noqa: BLE001 - handed over to the reader, in whose thread it belongs
            self._queue.put((None, error))
        else:
            self._queue.put((None, None))
