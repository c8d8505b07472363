"""The one day of a fact that a line puts right: "actually her birthday is the 5th" of "Ana's mum turns 70 on May 3rd".

The rest of the fact stays as it was told; read alone, such a line makes a second birthday.
"""

from __future__ import annotations

import re

from ..language import english
from ..words import terms, tokens
from .corrections import clauses, signals
from .matters import About, parts
from .over import of_its_holder, things
from .put_right import days, in_month

_BARE = re.compile(r"\bthe (\d{1,2}(?:st|nd|rd|th))\b")
"""A day of a month that isn't told."""


def redated(known: str, line: str, user: str) -> str | None:
    """The known fact with the day that a line puts right, or None where it puts none of it right."""
    said, was = signals(line), days(known)
    if not said.corrects or said.maybe or len(was) != 1:
        return None
    told = next((part for part in parts(known) if was[0] in part.text), None)
    for clause in clauses(line):
        now = [one for one in days(clause) or _BARE.findall(clause) if _number(one) != _number(was[0])]
        if told and len(now) == 1 and _of_the_same(told, clause, user) and of_its_holder(told, clause, user, line):
            return known.replace(was[0], in_month(was[0], now[0]), 1)
    return None


def _of_the_same(told: About, clause: str, user: str) -> bool:
    """Whether a clause names what the part is about, or both tell of a birthday."""
    birth = english().words("dates", "of_birth")
    if {*tokens(told.text)} & birth and {*tokens(clause)} & birth:
        return True
    owners = told.holder.names | (told.owner.names if told.owner else frozenset())
    day = {*terms(" ".join(days(told.text)))}
    return bool((things(told, user) - owners - day) & {*terms(clause)})


def _number(day: str) -> str:
    """Which day of its month, or the words where none is told."""
    found = re.search(r"\d{1,2}(?!\d)", day)
    return found[0] if found else day.lower()
