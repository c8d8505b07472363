"""How far a run is, told while it goes on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

QUIET = 30.0
"""Seconds between two lines in a log."""


def make_progress(name: str, total: int) -> Callable[[int], None]:
    """Tells how far a run is and, once it is under way, how many minutes are left: on a terminal in one line that is
    written anew, in a log in a line now and then."""
    begin = time.monotonic()
    start: list[int] = []
    told: list[float] = [begin]

    def tell(done: int) -> None:
        if sys.stderr is None:
            return
        if not start:
            start.append(done - 1)
        now = time.monotonic()
        passed, fresh = now - begin, max(1, done - start[0])  # a run that goes on may read a block again
        left = passed / fresh * (total - done) / 60
        text = f"{name}: {done}/{total}" + (f", about {left:.0f} min left" if passed > 5 and left >= 1 else "")
        if sys.stderr.isatty():
            width = len(f"{name}: {total}/{total}") + 24
            print(f"\r{text:{width}}", end="\n" if done == total else "", file=sys.stderr, flush=True)
        elif now - told[0] > QUIET:
            told[0] = now
            print(text, file=sys.stderr, flush=True)

    return tell
