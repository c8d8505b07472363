"""The area of a life that a fact belongs to, so that a memory can be read by topic: a fixed small set ("work").

The free topics that a model writes ("salary") are its sub-topics.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ..language import Language, english
from ..words import stem, tokens

OTHER, PEOPLE = "other", "people"


def areas(language: Language | None = None) -> tuple[str, ...]:
    """The areas, in the order in which they are shown."""
    return tuple(sorted((language or english()).listed("topics", "areas"), key=lambda name: (name == OTHER, name)))


@lru_cache(maxsize=8192)
def area(topic: str, fact: str = "", language: Language | None = None) -> str:
    """The area of a topic; where its words don't tell, that of most words of the fact: of what is told rather than of
    whom, so "Dad's alarm code is 12" is no matter of people."""
    language = language or english()
    known = _areas_of(language)
    for word in reversed(tokens(topic)):
        if found := known.get(stem(word)):
            return found[0]
    order = language.listed("topics", "areas")
    votes = [name for word in tokens(fact) for name in known.get(stem(word), ())[:1]]
    votes = [name for name in votes if name != PEOPLE] or votes
    return max(votes, key=lambda name: (votes.count(name), -order.index(name)), default=OTHER)


def label(topic: str, fact: str = "") -> str:
    """How a topic is shown: "work: salary", or the area alone where the topic says no more."""
    found = area(topic, fact)
    same = not topic.strip() or stem(topic.strip().lower()) == stem(found)
    return found if same else f"{found}: {topic.strip()}"


def is_of(topic: str, fact: str, wanted: str) -> bool:
    """Whether a fact is on a wanted topic: that as it is stored, its area, or both as they are shown."""
    low = wanted.strip().lower()
    return low in (topic.strip().lower(), area(topic, fact), label(topic, fact).lower())


@lru_cache(maxsize=8)
def _areas_of(language: Language) -> Mapping[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}
    for name in language.listed("topics", "areas"):
        for word in (name, *language.listed("topics", name)):
            known[stem(word)] = (*known.get(stem(word), ()), name)
    for word in language.relations:
        known.setdefault(stem(word), (PEOPLE,))
    return known
