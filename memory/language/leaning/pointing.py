"""Which words of an English question point at something said before it, and which at something in it: "it" in "my
caravan, where does it stand?" is the caravan, in "which month was it that I moved?" nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from ..asked.forms import Word, forms_of, words_of
from ..kinship import pattern
from ..language import english
from ..words import query_words

_PERSONS, _MANY = english().words("questions", "at_one"), english().words("questions", "at_many")
_BEFORE_THINGS, _AFTER_THAT = english().words("questions", "before_things"), english().words("questions", "after_that")
_BE = frozenset({"is", "was", "are", "were"})
_BEHIND = re.compile(r"^[^,;:]*[,;:] (?:the|that|this|my|our) ", re.IGNORECASE)
"""What is pointed at, told behind it: "who is she, the one that makes swans?"."""
_PAUSE = re.compile(r"[,;:.?!]\s|\s[-–—]\s")


def points_back(text: str, pointing: Collection[str]) -> bool:
    """Whether a question has one of these words, and it points at what isn't in the question."""
    words = words_of(text)
    lows = [word.low.removesuffix("'s").removesuffix("'d") for word in words]
    return any(
        low in pointing and not _idle(lows, place) and not _meant(text, words, lows, place)
        for place, low in enumerate(lows)
    )


def _idle(lows: Sequence[str], place: int) -> bool:
    """Whether the word points at nothing: "is there a bus", "which one of my sons", "what was it that I bought"."""
    low, before, after = lows[place], lows[max(place - 1, 0)], lows[place + 1 : place + 4]
    if low == "there":
        return bool({before, *after[:1]} & _BE) and len(lows) > 3
    if low in ("one", "ones"):
        return before in ("which", "the", "only") and bool(after)
    if low == "that":  # "that bike", "the man that mends it"
        return (bool(after) and after[0] not in _AFTER_THAT | english().asking) or (place > 1 and bool(after[1:]))
    if low == "it":
        cleft = bool({before, *lows[max(place - 2, 0) : place]} & _BE) and len(after) > 1
        return cleft or "time" in after or "time" in lows[:place]
    return False


def _meant(text: str, words: Sequence[Word], lows: Sequence[str], place: int) -> bool:
    """Whether what the word stands for is told before it in the question, or behind it ("is it good, my car?")."""
    before, behind = lows[:place], lows[place + 1 :]
    head = text[: words[place - 1].end if place else 0]
    pauses = [pause.start() for pause in _PAUSE.finditer(text[: words[place].end])]
    if (pauses and {*query_words(head[: pauses[-1]])} - _opening()) or _BEHIND.search(text[words[place].end :]):
        return True
    if lows[place] in _PERSONS:
        return any(_person(one) for one in before) or _named(words[:place])
    some = any(one in _BEFORE_THINGS for one in before[:-1]) or _named(words[:place])
    if lows[place] in _MANY:
        return some or any(_person(one) for one in before)
    return some or any(one in _BEFORE_THINGS | {"that"} for one in behind[1:])


@lru_cache(maxsize=1)
def _opening() -> frozenset[str]:
    """Words with which a line begins, before it says of what it is."""
    lists = forms_of("en").lists
    return english().asking | lists["openers"] | lists["greetings"]


def _person(word: str) -> bool:
    return bool(_people().fullmatch(word))


@lru_cache(maxsize=1)
def _people() -> re.Pattern[str]:
    """Words that stand for somebody: kin, those one has to do with, and "somebody"."""
    common = english().words("others", "workers") | english().words("others", "anybody")
    return re.compile(rf"(?:{pattern(english())}|{'|'.join(sorted(common))})s?")


def _named(words: Sequence[Word]) -> bool:
    """Whether somebody or something is named there, not as the first word."""
    return any(word.capital and word.low not in english().stop and not word.low.startswith("i'") for word in words[1:])
