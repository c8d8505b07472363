"""The one thread that talks with the controller, so that the window never waits for a model or a database."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ....memory.errors import ChatmemError
from ...shown.events import Event, Failed

Source = Callable[[], Iterable[Event]]
Tell = Callable[["JobEvent"], None]


@dataclass(frozen=True, slots=True)
class JobEvent:
    """An event of the job `tag`; `event` None: the job is over. From the storage worker, `tag` is None."""

    tag: object
    event: Event | None


class Bridge:
    """Jobs run one after the other, in the order in which they came. `tell` is called in the bridge's thread."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._jobs: queue.SimpleQueue[tuple[object, Source] | None] = queue.SimpleQueue()
        self._waiting = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="chatmem-bridge", daemon=True)

    @property
    def waiting(self) -> int:
        """Jobs that are not over, the running one included."""
        return self._waiting

    def run(self, source: Source, tag: object = None) -> None:
        """Hands over a job: its events are told under `tag`."""
        with self._lock:
            self._waiting += 1
            if self._thread.ident is None:
                self._thread.start()
        self._jobs.put((tag, source))

    def ask(self, question: Callable[[], Any], answer: Callable[[Any], None]) -> None:
        """`question` is put to the controller in its thread, `answer` gets the result there; errors are events."""

        def source() -> Iterable[Event]:
            answer(question())
            return ()

        self.run(source)

    def background(self, event: Event) -> None:
        """A listener for what happens outside of jobs."""
        self._tell(JobEvent(None, event))

    def close(self, timeout: float = 0.0) -> bool:
        """No further job begins; True when the one at hand is over within `timeout` seconds."""
        self._jobs.put(None)
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            tag, source = job
            try:
                for event in source():
                    self._tell(JobEvent(tag, event))
            except ChatmemError as error:
                self._tell(JobEvent(tag, Failed(str(error))))
            except Exception as error:  # noqa: BLE001 - the edge of this thread: the window must live on, and say it
                self._tell(JobEvent(tag, Failed(_unforeseen(error))))
            with self._lock:
                self._waiting -= 1
            self._tell(JobEvent(tag, None))


def _unforeseen(error: Exception) -> str:
    import os

    from ...config.failures import explain

    return explain(error, ["tui"], os.environ)[0]
