"""Words for who somebody is to somebody: mother, aunt, friend."""

from __future__ import annotations

import re
from functools import lru_cache

from .language import Language, english
from .words import alternatives


def plainly_related(text: str, language: Language | None = None) -> str:
    """The text with one word for each relation: "mum" and "mom" as "mother", "kids" as "child"."""
    language = language or english()
    found = _any(language)
    return found.sub(lambda word: language.relations[word[0].lower()], text) if found else text


def relations(text: str, language: Language | None = None) -> set[str]:
    """The relations that a text speaks of, each in one word."""
    language = language or english()
    found = _any(language)
    return {language.relations[word.lower()] for word in found.findall(text)} if found else set()


@lru_cache(maxsize=8)
def pattern(language: Language) -> str:
    """Pattern of any of the words, in small letters; empty where the language has none."""
    return alternatives(language.relations)


@lru_cache(maxsize=8)
def _any(language: Language) -> re.Pattern[str] | None:
    words = pattern(language)
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE) if words else None
