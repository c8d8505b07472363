"""Lines without their marks, and the marks: what `models/embedder/punctuation/` learns from.

The talks that ship hold lines of many writers. Some that follow each other are put together, as one who dictates says
several things in a breath; then the marks go, and mostly capitals and apostrophes, too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import NamedTuple

from ....models.embedder.punctuation.restored import MARKS
from ...material.templates.talk import GoldTalk, Split
from ...material.templates.told import further_talks, manner_talks, short_talks, told_talks, week_talks

LINES = 5
"""Lines that are put together at most."""
WORDS = 75
"""Of what is put together, at most."""
SMALL, BARE, JOINED, FILLED = 0.85, 0.5, 0.3, 0.3
"""Shares without capitals, without apostrophes, of sentences that "and" or its like begins, and of texts with "um"."""
OPENERS = (
    "and", "so", "oh and", "anyway", "and then", "yeah so", "also", "oh", "but", "well", "yeah", "ok so", "right so",
    "um", "by the way", "oh yeah",
)  # fmt: skip
FILLERS = ("like", "you know", "i mean", "sort of")
"""What is said between words and is no sentence; "um" and its like are gone before the model reads."""

_WORD = re.compile(r"[^\s]+")
_LAST = re.compile(r"([.,;:!?…]+)[\"'”’)\]]*$")
_OPENING = re.compile(r"^[\"'“‘(\[]+")
_CLOSING = re.compile(r"[\"'”’)\]]+$")
_SHORTENED = re.compile(r"(?:^|\W)(?:\w\.\w\.|dr\.|mrs?\.|ms\.|st\.|no\.|etc\.|vs\.)", re.IGNORECASE)
_HARD = re.compile(r"[*#<>{}|/\\@=\u2600-\u27bf\U0001f000-\U0001ffff]|[.]{2}|https?:")


class Unmarked(NamedTuple):
    """Words, and the class of `MARKS` behind each."""

    words: tuple[str, ...]
    classes: tuple[int, ...]


def unmarked(line: str) -> Unmarked:
    """The words of a line as they were written, without marks, and these."""
    words, classes = list[str](), list[int]()
    for token in _WORD.findall(line):
        found = _LAST.search(token)
        kind = _kind(found[1]) if found else 0
        bare = _CLOSING.sub("", _OPENING.sub("", token[: found.start()] if found else token))
        if not re.search(r"\w", bare):
            if classes:
                classes[-1] = max(classes[-1], 1, kind)
            continue
        words.append(bare)
        classes.append(kind)
    return Unmarked(tuple(words), tuple(classes))


def _kind(marks: str) -> int:
    if "?" in marks:
        return MARKS.index("?")
    return MARKS.index("." if set(marks) & {*".!…"} else ",")


def is_marked(line: str) -> bool:
    """Whether a line has the marks that it should have: it begins with a capital, ends with a mark, and no sentence is
    very long."""
    if _HARD.search(line) or _SHORTENED.search(line) or not re.match(r"[A-Z]", line) or line[-1] not in ".!?":
        return False
    return max(len(one.split()) for one in re.split(r"[.!?,;:–—]", line)) <= 22


def said_in_a_breath(lines: Sequence[str], rng: random.Random) -> Unmarked:
    """Marked lines put together as somebody says them who dictates."""
    words, classes = list[str](), list[int]()
    for line in lines:
        one = unmarked(line)
        first = [rng.choice(OPENERS)] if words and rng.random() < JOINED else []
        opener = [word for part in first for word in part.split()]
        words += [*opener, *one.words]
        classes += [*([0] * len(opener)), *one.classes]
    if rng.random() < FILLED:
        _filled(words, classes, rng)
    small, bare = rng.random() < SMALL, rng.random() < BARE
    return Unmarked(tuple(_typed(word, small, bare) for word in words), tuple(classes))


def _filled(words: list[str], classes: list[int], rng: random.Random) -> None:
    """Puts in what is said between words and belongs to none."""
    for _ in range(1 + len(words) // 25):
        at = rng.randrange(len(words))
        said = rng.choice(FILLERS).split()
        words[at:at] = said
        classes[at:at] = [0] * len(said)


def _typed(word: str, small: bool, bare: bool) -> str:
    word = word.replace("’", "'")
    word = word.lower() if small else word
    return word.replace("'", "") if bare else word


def runs(talk: GoldTalk) -> list[str]:
    """What its user says with all marks, in order."""
    said = [" ".join(line.text.split()) for line in talk.lines if line.speaker == talk.user]
    return [one for one in said if is_marked(one)]


def talks_of(split: Split) -> list[GoldTalk]:
    """All talks that were written whole."""
    return [one for kind in (told_talks, short_talks, further_talks, week_talks, manner_talks) for one in kind(split)]


def drawn(talks: Sequence[list[str]], rng: random.Random) -> Unmarked:
    """One text out of a talk's lines; `talks`: those with a line or more."""
    while True:
        said = rng.choice(talks)
        begin, some = rng.randrange(len(said)), list[str]()
        for line in said[begin : begin + rng.randint(1, LINES)]:
            if some and len(" ".join([*some, line]).split()) > WORDS:
                break
            some.append(line)
        made = said_in_a_breath(some, rng)
        if 4 <= len(made.words) <= WORDS + 25:
            return made
