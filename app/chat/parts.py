"""A long message, such as a paste of many lines, in parts that a storage model can read one after the other.

A model writes a few facts for what it reads, however long that is: of two hundred lines at once it would keep five.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...memory.language.words import sentences
from ..config.safe_text import one_line
from ..shown.events import Event, Notice

WHOLE_CHARS = 600
WHOLE_LINES = 5
"""A message of no more is read whole, as what people say in a chat mostly is."""
PART_CHARS = 280
_QUOTED = 40


@dataclass(frozen=True, slots=True)
class Parts:
    """What is read of a message for facts, and the rest of it, which is kept and found but read for none."""

    read: tuple[str, ...]
    unread: str = ""

    @property
    def several(self) -> bool:
        return len(self.read) > 1 or bool(self.unread)


def parts_of(text: str, most: int) -> Parts:
    """The parts of a message; of one that is longer than `most` characters those of its beginning."""
    lines = sum(bool(line.strip()) for line in text.splitlines())
    if len(text) <= min(WHOLE_CHARS, most) and lines <= WHOLE_LINES:
        return Parts((text,))
    head = _beginning(text, most)
    read: list[str] = []
    for piece, begins in _pieces(head):
        if read and len(read[-1]) + len(piece) < PART_CHARS and not (begins and len(piece) > PART_CHARS // 2):
            read[-1] += ("\n" if begins else " ") + piece
        else:
            read.append(piece)
    return Parts(tuple(read), text[len(head) :].strip())


def _beginning(text: str, most: int) -> str:
    """At most so many characters, to the end of a line if one ends in their second half, else of a word."""
    if len(text) <= most:
        return text
    ends = (text.rfind(gap, most // 2, most) for gap in ("\n", " "))
    return text[: next((at for at in ends if at > 0), most)]


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Lines, or the sentences of longer ones; with whether a line begins there."""
    for line in text.splitlines():
        if not line.strip():
            continue
        if len(line) <= PART_CHARS:
            yield line.strip(), True
            continue
        for place, sentence in enumerate(sentences(line)):
            for cut, piece in enumerate(_cut(sentence)):
                yield piece, not place and not cut


def _cut(sentence: str) -> Iterator[str]:
    """A sentence, between words where it is too long, and within a word where that is."""
    while len(sentence) > PART_CHARS:
        at = sentence.rfind(" ", 1, PART_CHARS)
        at = at if at > 0 else PART_CHARS
        yield sentence[:at].strip()
        sentence = sentence[at:].strip()
    if sentence:
        yield sentence


def announced(text: str, parts: Parts) -> str:
    """What will be done with a long message, for the one who sent it."""
    lines = sum(bool(line.strip()) for line in text.splitlines())
    size = f"{len(text):,} characters in {lines:,} lines" if lines > 1 else f"{len(text):,} characters"
    told = f"That message has {size}; it is kept whole, and read for facts in {_count(len(parts.read))}."
    if parts.unread:
        told += (
            f" Not read for facts is what comes from {quoted(parts.unread)} on, {len(parts.unread):,} characters: "
            "it is kept and can be found; send it in smaller messages to have facts made of it."
        )
    return told


def summary(brought: list[tuple[str, int]]) -> str:
    """What came of the parts, each with the number of facts that it brought."""
    none = [part for part, count in brought if not count]
    facts = sum(count for _, count in brought)
    told = f"Read your long message in {_count(len(brought))}: {facts} changes to the memory"
    if not none:
        return f"{told}, from every part."
    begins = ", ".join(quoted(part) for part in none[:3]) + (" and others" if len(none) > 3 else "")
    return f"{told}; {_count(len(none))} brought none ({begins}). What was said there is kept and can be found."


def quoted(text: str) -> str:
    """How a text begins."""
    return f"“{one_line(text, _QUOTED)}”"


def _count(number: int) -> str:
    return f"{number} part{'' if number == 1 else 's'}"


def of_a_cut_line(text: str, read: str) -> Iterator[Event]:
    """Says so where a model was given only `read` of a line."""
    if read != text:
        half = f"{len(read) // 2:,}"
        yield Notice(
            f"For the reply, a model reads only the first and last {half} of {len(text):,} characters.", "warning"
        )
