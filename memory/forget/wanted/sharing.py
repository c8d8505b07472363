"""Which facts may be offered for a wish in words of its own that calls its matter a thing of some sort."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ...language.language import english
from ...language.sentences import content
from ...language.words import alternatives
from ...values import Memory


def sharing(wish: str, facts: Sequence[Memory]) -> list[Memory]:
    """Those of the facts that a wish may mean: where it names "the dentist thing", and a fact is of a dentist, those of
    it alone; all of them where none is, which may tell it in other words, or where no thing is named."""
    named = frozenset[str]().union(*(content(one) for one in _things().findall(wish)))
    of_it = [one for one in facts if named & content(f"{one.topic} {one.fact}")]
    return of_it or list(facts)


@lru_cache(maxsize=1)
def _things() -> re.Pattern[str]:
    sorts = alternatives(english().words("forget", "sorts"))
    return re.compile(rf"\b(?:the|that|this|my|our)\s+((?:[\w'’-]+\s+){{1,3}}?)(?:{sorts})\b", re.IGNORECASE)
