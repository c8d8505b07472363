"""Ages that a sentence tells, by their form: "turned 7", "shes 88", "Mila (4)", "a boy of nine". English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..asked import expects
from ..language import english
from ..words import alternatives
from .about import Whom

_UNIT = r"(?:years?|yrs?|months?|weeks?|days?)"
YEAR = 4
"""Digits of a year."""
_OWN = re.compile(r"(?:am|im|'m) ", re.IGNORECASE)
"""With which the asker tells an age of their own."""
_NO_AGE = re.compile(r"\b(?:for|since|after|past|until|till|from)\s+(?:[\w']+ ){0,3}$", re.IGNORECASE)


def ages(sentence: str, whom: Whom) -> Iterator[str]:
    """The ages, as digits; decades and the like in words."""
    for pattern in _patterns():
        for found in pattern.finditer(sentence):
            year = found[1].isdigit() and len(found[1]) == YEAR
            lasting = not year and _NO_AGE.search(sentence[: found.start(1)][-30:])
            if not lasting and (whom.me or not _OWN.match(found[0])):
                yield from expects.numbers(found[1], ordinals=True) or {found[1].lower()}
    for name in whom.names | whom.kin:
        for found in re.finditer(rf"\b{re.escape(name)},? ({_number()}){_ends()}", sentence, re.IGNORECASE):
            yield from expects.numbers(found[1])


@lru_cache(maxsize=1)
def _ends() -> str:
    """What may follow an age: no noun that is counted."""
    any_of = english().alternatives
    return (
        rf"(?![.,:]?\d)(?=\s*(?:$|[.,;:!?)–—]|-\s|(?:{any_of('ages', 'after')}|"
        rf"(?:years?|yrs?|months?|weeks?)(?! (?:{any_of('ages', 'no_age')})\b))\b))"
    )


@lru_cache(maxsize=1)
def _number() -> str:
    small = alternatives(english().numbers)
    return rf"(?:\d{{1,3}}(?:[.,]5)?|a hundred|{small})(?:[ -](?:{small}))?(?: and a half)?"


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    number, any_of = _number(), english().alternatives
    told = (
        rf"\b({number})[ -]?(?:{_UNIT}[ -])?(?:olds?\b|yo\b|y/o\b|y\.o\b)",
        rf"(?:\b(?:{any_of('ages', 'before')})|'s|'re|'m) ({number}){_ends()}",
        rf"(?<!\d)[,(–-]\s?({number})(?![.,:]?\d)\s?(?:[,).–-]|$)",
        rf"\b({number})(?:st|nd|rd|th) birthday",
        r"\bborn\b.*?\b((?:18|19|20)\d\d)\b",
        r"\b(?:from|built in|made in|bought in|dates from|a|an) ((?:18|19|20)\d\d)\b",
        rf"\b(?:of|at|age) ({number})(?=\s*(?:$|[.,;!?)]|and\b|now\b))",
        rf"\b({number}) {_UNIT} (?:older|younger)\b",
        rf"\b((?:{any_of('ages', 'decades')})(?:ie)s)\b",
        rf"\b({any_of('ages', 'told')})\b",
    )
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in told)
