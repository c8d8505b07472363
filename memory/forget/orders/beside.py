"""News behind a wish to forget, in the same sentence: "forget mum, dad is ill". Where the memory holds nothing of what
is named, such a line may be talk."""

from __future__ import annotations

from functools import lru_cache

from ...language.language import english
from ...language.points import letters as re
from ...language.words import tokens

_CUT = re.compile(r"\s*[,;]\s+|\s+[-–—]+\s+|\s*—\s*")


def brings_news(text: str) -> bool:
    """Whether a part behind a comma tells something of its own: not why it is to be forgotten ("it's private", "my wife
    reads this"), and no more that is to be ("my old boss and my pension")."""
    return any(_is_news(tokens(part.replace("’", "'").lower())) for part in _CUT.split(text)[1:])


def _is_news(said: list[str]) -> bool:
    if len(said) < 2 or not _never().isdisjoint(said):
        return False
    telling = english().words("forget", "news_of")
    return said[0] in telling or any(word in _verbs() or word.endswith("ed") for word in said[1:])


@lru_cache(maxsize=1)
def _never() -> frozenset[str]:
    return english().words("forget", "no_news")


@lru_cache(maxsize=1)
def _verbs() -> frozenset[str]:
    lists = (english().words("verbs", name) for name in ("past", "third"))
    return frozenset({"is", "are", "was", "were", "has", "had"}).union(*lists)
