"""What a fact is made of: its content, the names and numbers that tell it from others, its clauses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from .language import english
from .quoted.in_quotes import quoted
from .words import sentences, stem, terms, tokens

_NAME = re.compile(r"[^\W_][\w'’-]*(?:[.,:]\d+)*")


@lru_cache(maxsize=1)
def _joint() -> re.Pattern[str]:
    """Where a fact goes on with a statement of its own."""
    verbs = english().alternatives("verbs", "joined")
    return re.compile(rf"(?:,? and(?: also)?|;|, but) (?=(?:(?:also|never|always|still|usually) )?(?:{verbs})\b)")


def content(text: str, subject: str = "") -> frozenset[str]:
    """The stems of the words that carry meaning, number words as digits, without the subject's own name."""
    names = set(terms(subject))
    return frozenset(_figure(word) for word in _stems(text) if word not in names)


def _stems(text: str) -> Iterable[str]:
    return (stem(_figure(word)) for word in tokens(text) if word not in english().stop)


def _figure(word: str) -> str:
    """A number word in figures; any other word as it is."""
    number = english().numbers.get(word)
    return word if number is None else str(number)


def details(text: str, subject: str = "") -> frozenset[str]:
    """Names (capitals inside a sentence) and numbers, lower case, without the subject's own name."""
    own, found = set(tokens(subject)), set()
    for sentence in sentences(text):
        for place, match in enumerate(_NAME.finditer(sentence)):
            word = match.group()
            low = re.sub(r"['’]s$", "", word.lower())
            if (not word.isalpha() and any(letter.isdigit() for letter in word)) or low in english().numbers:
                found.add(_figure(low))
            elif place and word[0].isupper() and low not in english().stop and low not in own:
                found.add(low)
    return frozenset(found)


def lost(facts: Iterable[str], kept: Iterable[str], subject: str = "") -> frozenset[str]:
    """The content of `facts` that stands nowhere in `kept` (a new wording and the lines that it comes from)."""
    there = frozenset[str]().union(*(content(text) for text in kept))
    return frozenset[str]().union(*(content(fact, subject) for fact in facts)) - there


def clauses(fact: str, subject: str) -> list[str]:
    """The fact cut into statements of its subject: at the ends of sentences, and at "and" before a verb.

    Every part begins with what its sentence began with, so that it stands by itself; one part: it can't be cut. What
    somebody is quoted to have said is one.
    """
    if quoted(fact) is not None:
        return [fact]
    found = []
    for sentence in sentences(fact):
        if not re.match(rf"{re.escape(subject)}\b", sentence):
            return [fact]
        parts = [part.strip(" ,;") for part in _joint().split(sentence.rstrip(".!"))]
        if any(len(tokens(part)) < 2 for part in parts) or not sentence.startswith(subject + " "):
            parts = [sentence.rstrip(".!")]
        found += [part if part.startswith(subject) else f"{subject} {part}" for part in parts]
    return [part + "." for part in found if part]
