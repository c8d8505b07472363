"""A reply pumped from the model by a thread, so that the one who shows it can stop at any moment."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..models.lm import Chunk


class Pump:
    """Iterates `source()` in a thread; iterating the pump gives its chunks, raises its error, or ends when stopped.

    `stop` may be called from anywhere, a signal handler too: the reader is free at once, and the model's iterator is
    closed as soon as it comes back from the piece it is at.
    """

    def __init__(self, source: Callable[[], Iterator[Chunk]]) -> None:
        self._source = source
        self._queue: queue.SimpleQueue[Chunk | BaseException | None] = queue.SimpleQueue()
        self.stopped = threading.Event()
        self._finished = False
        self._thread = threading.Thread(target=self._run, name="chatmem-reply", daemon=True)

    @property
    def interrupted(self) -> bool:
        """Stopped before the model was done."""
        return self.stopped.is_set() and not self._finished

    def stop(self) -> None:
        self.stopped.set()
        self._queue.put(None)

    def join(self, timeout: float) -> None:
        """Waits for the model to come back, so that the next caller finds it free."""
        self._thread.join(timeout)

    def __iter__(self) -> Iterator[Chunk]:
        self._thread.start()
        while True:
            item = self._queue.get()
            if self.stopped.is_set():
                return
            if item is None:
                self._finished = True
                return
            if isinstance(item, BaseException):
                raise item
            yield item

    def _run(self) -> None:
        try:
            chunks = self._source()
            try:
                for chunk in chunks:
                    if self.stopped.is_set():
                        break
                    self._queue.put(chunk)
            finally:
                close = getattr(chunks, "close", None)
                if close:
                    close()
        except BaseException as error:  # handed over to the reader, in whose thread it belongs
            self._queue.put(error)
        else:
            self._queue.put(None)
