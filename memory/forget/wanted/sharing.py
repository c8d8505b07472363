"""Which facts may be offered for a wish in words of its own that says of what it is: that calls it a thing of some
sort, or says what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ...language.language import english
from ...language.sentences import content
from ...language.words import alternatives
from ...values import Memory


def sharing(wish: str, facts: Sequence[Memory]) -> list[Memory]:
    """Those of the facts that a wish may mean: where it names "the dentist thing" or speaks "about Greg and the money",
    and a fact is of these, those of them alone, the ones that hold most of it; all where none is, which may tell it in
    other words, or where nothing is named."""
    named = frozenset[str]().union(*(content(one) for one in (*_things().findall(wish), *_ABOUT.findall(wish))))
    shared = [len(named & content(f"{one.subject} {one.topic} {one.fact}")) for one in facts]
    most = max(shared, default=0)
    return [one for one, count in zip(facts, shared, strict=True) if count == most] if most else list(facts)


_ABOUT = re.compile(r"\babout (?!(?:it|that|this|them)\b)((?:[\w'’-]+ ?){1,6})", re.IGNORECASE)


@lru_cache(maxsize=1)
def _things() -> re.Pattern[str]:
    sorts = alternatives(english().words("forget", "sorts"))
    return re.compile(rf"\b(?:the|that|this|my|our)\s+((?:[\w'’-]+\s+){{1,3}}?)(?:{sorts})\b", re.IGNORECASE)
