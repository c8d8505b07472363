"""A text cut into passages: what is indexed and ranked of a long message, one to a few sentences, about sixty words.

A message of a few hundred words speaks of many things, and one vector of it of none. Cuts are made at the seams that
the text has: blank lines, headings, items of lists, rows of tables, lines of code, and within a paragraph at sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ..language.points.abbreviated import hidden
from ..language.words import word_count

WORDS = 60
"""Words of a passage: what would lead beyond them begins another one."""
LEAST = 30
"""Words from which a passage ends at a seam."""
WHOLE = 80
"""Words up to which a text is one passage."""
LETTERS = 600
"""Characters of a passage, whatever its words: code and links have long ones."""
_SEAM = re.compile(r"\s*(?:#{1,6} |[-*+•] |\d{1,3}[.)] |\||```|~~~|>)")
_HEAD = re.compile(r"\s*(?:#{1,6} |\*\*[^*\n]+\*\*:?\s*$|[^\n]{1,80}:\s*$)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|(?<=[。！？])(?=[^\s\"'”’)」』])")

Span = tuple[int, int]
"""Where a passage begins and ends in its text."""


class _Unit(NamedTuple):
    """What is never cut: a sentence, an item, a line of code. `seam`: one stands before; `heads`: what follows."""

    begin: int
    end: int
    words: int
    seam: bool
    heads: bool


@lru_cache(maxsize=4_096)
def passages(text: str) -> tuple[Span, ...]:
    """The passages of a text; together they hold all of its words, in order; none for blank text."""
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if begin >= end:
        return ()
    if end - begin <= LETTERS and word_count(text) <= WHOLE:
        return ((begin, end),)
    return tuple(_joined(text, _headed(_units(text))))


def _units(text: str) -> Iterator[_Unit]:
    at, code, blank = 0, False, True
    for line in text.splitlines(keepends=True):
        begin, at = at, at + len(line)
        if not line.strip():
            blank = True
            continue
        fence = bool(_FENCE.match(line))
        heads = not code and not fence and bool(_HEAD.match(line))
        seam = blank or fence or (not code and bool(_SEAM.match(line)))
        for number, (low, high) in enumerate(_cut(text, begin, at, code or fence)):
            yield _Unit(low, high, word_count(text[low:high]), seam and not number, heads)
        code, blank = code != fence, False


def _cut(text: str, begin: int, end: int, code: bool) -> Iterator[Span]:
    """A line in sentences (one of code as it is), none longer than a passage may be."""
    ends = [] if code else [one.end() for one in _SENTENCE.finditer(hidden(text), begin, end)]
    for low, high in pairwise([begin, *ends, end]):
        while high - low > LETTERS:
            space = text.rfind(" ", low + LETTERS // 2, low + LETTERS)
            middle = space if space > 0 else low + LETTERS
            yield low, middle
            low = middle
        if text[low:high].strip():
            yield low, high


def _headed(units: Iterator[_Unit]) -> Iterator[_Unit]:
    """The units, a heading as one with the first of what it heads."""
    held: _Unit | None = None
    for one in units:
        if held is not None and one.end - held.begin <= LETTERS:
            one = _Unit(held.begin, one.end, held.words + one.words, held.seam, one.heads)
        elif held is not None:
            yield held
        held = one if one.heads else None
        if held is None:
            yield one
    if held is not None:
        yield held


def _joined(text: str, units: Iterator[_Unit]) -> Iterator[Span]:
    """Units put together up to the words of a passage; one that has enough ends at the next seam."""
    together: list[_Unit] = []
    words = 0
    for one in units:
        full = words + one.words > WORDS or (together and one.end - together[0].begin > LETTERS)
        if together and (full or (one.seam and words >= LEAST)):
            yield _bare(text, together)
            together, words = [], 0
        together.append(one)
        words += one.words
    if together:
        yield _bare(text, together)


def _bare(text: str, units: Sequence[_Unit]) -> Span:
    """From the first letter to the last."""
    begin, end = units[0].begin, units[-1].end
    piece = text[begin:end]
    return end - len(piece.lstrip()), begin + len(piece.rstrip())
