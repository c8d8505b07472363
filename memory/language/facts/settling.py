"""A home that is told without a word for one: "I don't live in Cork any more, I've been in Galway since June"."""

from __future__ import annotations

from collections.abc import Collection

from ..language import english
from ..points import letters as re
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


_NAMED = r"(?:the )?[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)?"
_HERE = re.compile(rf"\b[Hh]ere in (?P<place>{_NAMED})")
_THERE = re.compile(
    rf"\b(?:[Bb]ack in|than in|had in|used to have in) (?P<place>{_NAMED})"
    rf"|\b[Ii]n (?P<before>{_NAMED}),? (?:we|i|I) (?:had|used to|could|always had|never had)\b"
)
_LIVES = re.compile(rf"^(?P<lives>(?:[A-Z][\w-]*|The user)(?: [A-Z][\w-]*)? lives?)\b[^.;]*? in (?P<place>{_NAMED})")


def moved_by_the_way(known: str, line: str, user: str) -> str:
    """Where the user may live now, as a fact, where a line compares what is "here in Porto" with what was "back in
    Braga", in which the known fact has them living; "" where it does not, or tells of a stay."""
    lives, here = _LIVES.match(known), _HERE.search(line)
    if not (lives and here) or not known.startswith((f"{user} ", "User ", "The user ")) or _STAY.search(line):
        return ""
    if here["place"].lower() in english().calendar or "back in" not in line:
        return ""
    then = {found["place"] or found["before"] for found in _THERE.finditer(line)}
    told = signals(line)
    if (
        lives["place"] not in then
        or here["place"] in known
        or told.passing
        or told.maybe
        or line.rstrip().endswith("?")
    ):
        return ""
    return f"{lives['lives']} in {here['place']}."


_STAY = re.compile(
    r"\b(?:for|all|just|only|over|during) (?:the|this|a few|a couple of|two|three|one|another) "
    r"(?:\w+ )?(?:night|day|week|weekend|month|summer|winter|season|term)s?\b"
    r"|\b(?:hotel|hostel|airbnb|b&b|guest ?house|campsite|resort|cruise|staying with|back home|go home|fly home"
    r"|work trip|on business|tomorrow|till|until|tonight)\b",
    re.IGNORECASE,
)
"""That somebody is in a place for some days only."""
