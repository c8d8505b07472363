"""A sign at a terminal that what a line asks for is on its way: drawn when that takes a moment, erased before anything
else."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TextIO

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
PLAIN = "|/-\\"
AFTER_SECONDS = 0.2
EACH_SECONDS = 0.1
ERASE = "\r\x1b[K"


class Thinking:
    """The sign. `begin` and `end` may be called again and again; after `end` nothing of it is to be seen."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        if self._thread is None:
            self._over.clear()
            self._thread = threading.Thread(target=self._draw, name="thinking", daemon=True)
            self._thread.start()

    def end(self) -> None:
        if self._thread is not None:
            self._over.set()
            self._thread.join()
            self._thread = None

    def __enter__(self) -> Thinking:
        self.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:  # fmt: skip
        self.end()

    def _draw(self) -> None:
        stream = self._stream or sys.stdout
        frames = FRAMES if (stream.encoding or "").lower().startswith("utf") else PLAIN
        turn, wait = 0, AFTER_SECONDS
        while not self._over.wait(wait):
            stream.write(f"\r{frames[turn % len(frames)]} ")
            stream.flush()
            turn, wait = turn + 1, EACH_SECONDS
        if turn:
            stream.write(ERASE)
            stream.flush()
