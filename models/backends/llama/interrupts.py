"""Ctrl+C while llama.cpp opens a file: it calls Python back to log, and an exception that is raised there is lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def held() -> Iterator[None]:
    """While inside, Ctrl+C waits; at the end it does what it would have done. Elsewhere than in the main thread, where
    no signal comes, nothing is done."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    pressed: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda _, frame: pressed.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed:
            before(signal.SIGINT, pressed[-1])
