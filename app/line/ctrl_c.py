"""What Ctrl+C does in the line chat: it stops a reply, else gives up the line that is being typed, else says how to
leave; pressed once more within a moment it leaves.

While a reply is written the key is a signal (`interrupts`); at the prompt, where the terminal is read key by key, it is
a key like others (`add_key`). Leaving is a KeyboardInterrupt, which `Chat.run` turns into exit code 130. SIGTERM, by
which the system wants the process to go, leaves at once. In a pipe, where nobody can press a key again, so does Ctrl+C.

In the window of `chatmem tui` Ctrl+C is a key alone: `action_copy_or_stop` in `tui/app.py` stops the reply or copies.
It ends the server of `chatmem web` (`web/command.py`), and any other command with code 130 (`main` in `cli.py`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings

AGAIN_SECONDS = 2.0
"""How soon the second press must follow the first."""
HOW = "Ctrl+C again leaves; so do bye and Ctrl+D."


class Presses:
    """Presses of Ctrl+C that had nothing to stop and nothing to empty."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = float("-inf")

    def leaves(self) -> bool:
        """Whether this press leaves: it is the second within a moment."""
        again, self._last = self.fresh, self._clock()
        return again

    @property
    def fresh(self) -> bool:
        """Whether the last press was a moment ago, so that one more leaves."""
        return self._clock() - self._last <= AGAIN_SECONDS


@contextmanager
def interrupts(stop: Callable[[], bool], leaves: Callable[[], bool]) -> Iterator[None]:
    """While inside, the signal of Ctrl+C calls `stop`; where that stopped nothing, and `leaves` agrees, it raises
    KeyboardInterrupt."""

    def interrupted(number: int, frame: FrameType | None) -> None:
        if not stop() and leaves():
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupted)
    ended = signal.signal(signal.SIGTERM, _ended)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGTERM, ended)


@contextmanager
def raised() -> Iterator[None]:
    """While inside, as at a question, the signal is a KeyboardInterrupt at once."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def ignore() -> None:
    """From here on to the end of `interrupts`, Ctrl+C does nothing: the chat is leaving already."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _ended(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def tell_how() -> None:
    """Says how to leave, from within a signal handler: `print` may be at work just then."""
    with contextlib.suppress(OSError, AttributeError, ValueError):
        os.write(sys.stderr.fileno(), f"\r\x1b[K{HOW}\n".encode())


def add_key(keys: KeyBindings, presses: Presses) -> None:
    """Ctrl+C at the prompt: empties a line that was begun; at an empty one it says how to leave, and then leaves."""
    from prompt_toolkit.filters import is_searching

    @keys.add("<sigint>")
    @keys.add("c-c", filter=~is_searching)
    def _(event: Any) -> None:
        if event.current_buffer.text:  # a line given up, not the chat
            event.current_buffer.reset()
        elif presses.leaves():
            event.app.exit(exception=KeyboardInterrupt)
        else:  # the prompt itself tells it: printing above gives the terminal away, and a key pressed then is a signal
            event.app.loop.call_later(AGAIN_SECONDS + 0.1, event.app.invalidate)
