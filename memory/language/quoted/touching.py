"""What a fact touches that is never written unasked from a line with somebody else's words in it."""

from __future__ import annotations

import re
from functools import lru_cache

from ..language import Language, english
from ..words import stem, tokens
from .secrets import secrets

_ASKED = ("health", "money")
_NAMES = frozenset({"name", "nickname", "surname", "password", "passwords", "pin"})
_CALLED = re.compile(r"\S+ (?:is|was|goes|wants to be) (?:called|named|by)\b")


def touches(fact: str, topic: str, language: Language) -> bool:
    """Whether a fact is of health, money, a name or a password; where no words tell, any may be."""
    if not language.claims:
        return True
    words = {*tokens(topic), *tokens(fact)}
    return (
        bool(words & _NAMES or _CALLED.match(fact))
        or not _touching().isdisjoint(map(stem, words))
        or bool(secrets(fact))
    )


@lru_cache(maxsize=1)
def _touching() -> frozenset[str]:
    topics = english()
    return frozenset(stem(word) for area in _ASKED for word in (area, *topics.listed("topics", area)))
