"""Bytes of sampled tokens to text that may be shown: whole characters only, and nothing past a stop string."""

from __future__ import annotations

import codecs
from collections.abc import Sequence


class TextStream:
    """Feed bytes, get text that is safe to show. `stopped` turns True at the first stop string, which is left out."""

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._stop = tuple(word for word in stop if word)
        self._held = ""
        self.stopped = False

    def feed(self, piece: bytes) -> str:
        """Text that can't become part of a stop string any more; half characters wait for their other half."""
        return self.feed_text(self._decoder.decode(piece))

    def feed_text(self, text: str) -> str:
        """As `feed`, for a source that gives whole characters."""
        if self.stopped:
            return ""
        if not self._stop:
            return text
        self._held += text
        ends = [at for at in (self._held.find(word) for word in self._stop) if at >= 0]
        if ends:
            self.stopped = True
            return self._take(min(ends), drop=True)
        return self._take(len(self._held) - self._maybe_stop())

    def flush(self) -> str:
        """What was held back for a stop string that never came. Half a character at the end is dropped."""
        return self._take(len(self._held))

    def _take(self, count: int, drop: bool = False) -> str:
        text, self._held = self._held[:count], "" if drop else self._held[count:]
        return text

    def _maybe_stop(self) -> int:
        """Length of the longest end of the held text that begins a stop string."""
        longest = min(len(self._held), max(map(len, self._stop)) - 1)
        for length in range(longest, 0, -1):
            if any(word.startswith(self._held[-length:]) for word in self._stop):
                return length
        return 0
