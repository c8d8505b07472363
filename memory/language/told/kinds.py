"""What is a kind of what: a greyhound is a dog. Words alone, from a small data file; English."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from ..words import stem


@lru_cache(maxsize=256)
def below(word: str) -> frozenset[str]:
    """The stems of the words for a kind of what a word says, beside its own: "dog" -> greyhound, puppy, ..."""
    table, groups, *_ = _data()
    low = word.lower()
    name = next(
        (one for one in (low, low.removesuffix("s"), low.removesuffix("es")) if one in table or one in groups), ""
    )
    names = groups.get(name, (name,))
    found = {stem(each) for one in names for each in table.get(one, ())}
    return frozenset(found | ({stem(one) for one in names} if name in groups else set()))


@lru_cache(maxsize=256)
def above(word: str) -> frozenset[str]:
    """The stems of what a word says a kind of: "puppy" -> dog."""
    low = stem(word.lower())
    return frozenset(stem(kind) for kind, words in _data()[0].items() if any(stem(one) == low for one in words))


def colours() -> frozenset[str]:
    """Colours that are seldom told."""
    return frozenset(_data()[2]["colours"])


def of_the_world() -> frozenset[str]:
    """Names of stories and of the past, in small letters."""
    return frozenset(_data()[3]["names"])


@lru_cache(maxsize=1)
def _data() -> tuple[Mapping[str, tuple[str, ...]], ...]:
    data = tomllib.loads((Path(__file__).parent / "kinds.toml").read_text(encoding="utf-8"))
    parts = ("en", "groups", "more", "world")
    return tuple({name: tuple(text.split()) for name, text in data[part].items()} for part in parts)
