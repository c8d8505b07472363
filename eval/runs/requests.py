"""Requests in order: one after the other, or several at once for endpoints, never more a minute than allowed.

Results are taken in the order in which the work was put, so a record looks the same however many ran at once.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from ...memory.errors import ModelError
from ...models.files.profiles.profile import profile_of

if TYPE_CHECKING:
    from ...models.lm import LM, Chunk, Message, Options

Result = TypeVar("Result")


class Pace:
    """Lets at most `per_minute` starts pass in a minute, evenly spaced; None: as fast as they come."""

    def __init__(
        self, per_minute: float | None, *,
        clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], object] = time.sleep,
    ) -> None:  # fmt: skip
        self.gap = 60 / per_minute if per_minute else 0.0
        self._clock, self._sleep = clock, sleep
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Returns when the next request may start."""
        with self._lock:
            now = self._clock()
            start = max(now, self._next)
            self._next = start + self.gap
        if start > now:
            self._sleep(start - now)


class Paced:
    """An endpoint's model that waits for its turn before each request."""

    def __init__(self, lm: LM, pace: Pace) -> None:
        self._lm, self._pace = lm, pace
        self.name, self.adapter, self.context_tokens = lm.name, lm.adapter, lm.context_tokens
        self.profile = profile_of(lm)

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        """As the model's own, once the pace allows it."""
        self._pace.wait()
        yield from self._lm.generate(messages, options)

    def count_tokens(self, text: str) -> int:
        """As the model counts."""
        return self._lm.count_tokens(text)

    def close(self) -> None:
        """Lets go of the model."""
        self._lm.close()


class Asking:
    """Up to `parallel` pieces of work at once. When one fails, those that are under way are still taken, in order."""

    def __init__(self, parallel: int = 1) -> None:
        self.parallel = max(1, parallel)
        self._waiting: deque[tuple[Future[Any], Callable[[Any], None]]] = deque()
        self._pool = ThreadPoolExecutor(self.parallel, "chatmem-ask") if self.parallel > 1 else None

    def put(self, work: Callable[[], Result], take: Callable[[Result], None]) -> None:
        """Has `work` done and, in this thread and in order, its result taken. Raises what earlier work raised."""
        if self._pool is None:
            take(work())
            return
        while len(self._waiting) >= self.parallel:
            self._take_first()
        self._waiting.append((self._pool.submit(work), take))

    def finish(self) -> None:
        """Waits for all that is under way. Raises what it raised."""
        while self._waiting:
            self._take_first()

    def __enter__(self) -> Asking:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for future, _ in self._waiting:
            future.cancel()
        if self._pool is not None:
            self._pool.shutdown(wait=error is None or isinstance(error, Exception), cancel_futures=True)

    def _take_first(self) -> None:
        future, take = self._waiting.popleft()
        try:
            result = future.result()
        except ModelError:
            self._save_the_rest()
            raise
        take(result)

    def _save_the_rest(self) -> None:
        """What is already running has been paid for: it is taken where it comes to an end."""
        for future, take in self._waiting:
            if not future.cancel() and future.exception() is None:
                take(future.result())
        self._waiting.clear()
