"""A home that is told without a word for one: "I don't live in Cork any more, I've been in Galway since June"."""

from __future__ import annotations

import re
from collections.abc import Collection

from .corrections import clauses, signals
from .matters import details, parts

_PLACE = r"(?:the )?(?P<place>[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)?)"
_BEEN = re.compile(rf"\b(?P<has>has|have) been in (?={_PLACE} (?:ever )?since\b)")
_LEFT_FOR = re.compile(rf"\bleft (?P<old>[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)?) (?:behind )?for (?={_PLACE})")


def at_home(fact: str, line: str, homes: Collection[str]) -> str:
    """The fact in words for a home, where the line tells that it is one now; else as it is. `homes`: names in what is
    known of homes, in small letters."""
    if (been := _BEEN.search(fact)) and _tells_of_moving(line, been["place"], homes):
        return f"{fact[: been.start()]}{been['has']} lived in {fact[been.end() :]}"
    if (left := _LEFT_FOR.search(fact)) and left["old"].lower() in homes:
        return f"{fact[: left.start()]}moved to {fact[left.end() :]}"
    return fact


def _tells_of_moving(line: str, place: str, homes: Collection[str]) -> bool:
    """Whether another clause of the line ends a home."""
    for clause in clauses(line):
        told = signals(clause)
        if place in clause or not (told.ends or told.changes):
            continue
        if any(matter.kind == "home" for part in parts(clause) for matter in part.matters) or details(clause) & {
            *homes
        }:
            return True
    return False


def homes_in(facts: Collection[str]) -> set[str]:
    """The names that stand in facts about homes, in small letters."""
    told = [part for fact in facts for part in parts(fact) if any(matter.kind == "home" for matter in part.matters)]
    return {name for part in told for name in details(part.text) - part.holder.names}
