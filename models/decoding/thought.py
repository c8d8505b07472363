"""What a model thinks before it replies, taken apart from the reply: `<think> ... </think>` in its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..lm import Chunk

OPEN, CLOSE = "<think>", "</think>"


def split_thoughts(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """The chunks with what stands between the tags as `thought` and not as `text`.

    Where a template opens the tag itself, the back end puts it before the text. Counts stay as they are.
    """
    splitter = Splitter()
    for chunk in chunks:
        text, thought = splitter.feed(chunk.text)
        if chunk.finish:
            more_text, more_thought = splitter.flush()
            text, thought = text + more_text, thought + more_thought
        if text or thought or chunk.finish:
            yield replace(chunk, text=text, thought=chunk.thought + thought)


class Splitter:
    """Feeds on text, gives (reply, thought); half a tag waits for its other half. A tag counts only at the beginning of
    the reply: later it is text about tags."""

    def __init__(self) -> None:
        self._held = ""
        self._inside = False
        self._thought = self._begun = False

    def feed(self, text: str) -> tuple[str, str]:
        self._held += text
        if self._begun:
            return self._take(len(self._held)), ""
        if self._thought:
            return self._after()
        if not self._inside:
            return self._opening()
        return self._thinking()

    def flush(self) -> tuple[str, str]:
        """What was held back; a reply that ended inside its thoughts has no text."""
        rest = self._take(len(self._held))
        return ("", rest) if self._inside else (rest, "")

    def _opening(self) -> tuple[str, str]:
        begin = self._held.lstrip()
        if begin.startswith(OPEN):
            self._held, self._inside = begin[len(OPEN) :], True
            return self._thinking()
        if OPEN.startswith(begin):
            return "", ""
        self._begun = True
        return self._take(len(self._held)), ""

    def _thinking(self) -> tuple[str, str]:
        at = self._held.find(CLOSE)
        if at < 0:
            return "", self._take(len(self._held) - self._half())
        thought = self._take(at)
        self._held, self._inside, self._thought = self._held[len(CLOSE) :], False, True
        return self._after()[0], thought

    def _after(self) -> tuple[str, str]:
        """The reply begins with its first letter."""
        self._held = self._held.lstrip()
        self._begun = bool(self._held)
        return self._take(len(self._held)), ""

    def _half(self) -> int:
        """Length of the longest end of the held text that begins the closing tag."""
        most = min(len(CLOSE) - 1, len(self._held))
        return next((length for length in range(most, 0, -1) if CLOSE.startswith(self._held[-length:])), 0)

    def _take(self, count: int) -> str:
        taken, self._held = self._held[:count], self._held[count:]
        return taken
