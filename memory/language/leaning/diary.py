"""Entries of a diary read out: "lunch with Ines Thursday 1pm" as "I have lunch with Ines on Thursday at 1pm". English.

A small model that sees no preposition and nobody who does anything sees no plan either, and keeps nothing of it. An
entry begins with what it is, one of the things that people have at an hour ("dentist", "piano lesson", "Dr Lund"):
what begins with anything else may be an order, a request, an answer or somebody else's, and stays as it was.
"""

from __future__ import annotations

from functools import lru_cache

from ..language import english
from ..points import letters as re
from ..words import alternatives, tokens
from .named import does

MOST = 10
"""Words of such an entry."""
_LED = re.compile(r"(?:\b(?P<last>[\w’']+)|[-–/&+])[,;:]?$")
_DRINKS = re.compile(r"^drinks\b", re.IGNORECASE)
"""The one plan that looks most like what somebody does."""


def entry(line: str) -> str:
    """An entry as a sentence, with "on" before its weekday and "at" before its hour; else the line as it is."""
    begun = _plan().match(line)
    if begun is None or len(tokens(line)) > MOST or line.rstrip().endswith(("?", "!")) or _is_said(line):
        return line
    dated = _day().sub(lambda found: _led(found, "on"), line)
    timed = _hour().sub(lambda found: _led(found, "at"), dated)
    coming = begun["sure"] and _coming().search(timed)
    if timed == dated and not coming and not _hour().search(timed):
        return line
    return f"I have {timed if begun['named'] else timed[:1].lower() + timed[1:]}"


def _led(found: re.Match[str], preposition: str) -> str:
    before = _LED.search(found.string[: found.start()])
    if before is None or before["last"] is None or before["last"].lower() in english().words("dates", "before_day"):
        return found[0]
    return f" {preposition}{found[0]}"


def _is_said(line: str) -> bool:
    """Whether somebody says, is or does something in it, or it is past."""
    known = english()
    pronouns = known.self_words | known.second_person | {"he", "she", "it", "we", "they"}
    none = (pronouns - {"my", "our"}) | known.negations | known.words("dates", "no_entry")
    return bool(none & {*tokens(line)}) or does(_DRINKS.sub("drink", line))


@lru_cache(maxsize=1)
def _plan() -> re.Pattern[str]:
    """What an entry begins with. `sure`: it needs no hour beside its day."""
    listed = english().alternatives
    titles = "|".join(english().listed("others", "titles"))
    sure = rf"(?:{listed('dates', 'appointed')}|drinks(?= (?:with|at|on)\b))"
    return re.compile(
        rf"(?P<named>(?:{titles})\.? (?=[A-Z]))"
        rf"|(?i:(?:my |an? )?(?:(?:{listed('dates', 'entry_of')}) )?(?:(?P<sure>{sure})|{listed('dates', 'entries')})\b"
        r"(?! (?:for|about|ideas?|tips?|times?|results?)\b)(?!['’,]))"
    )


@lru_cache(maxsize=1)
def _day() -> re.Pattern[str]:
    return re.compile(rf"(?<=[\w’')]) (?:{alternatives(english().weekdays)})\b(?!['’])", re.IGNORECASE)


@lru_cache(maxsize=1)
def _hour() -> re.Pattern[str]:
    """An hour with its half of the day, or one behind its day: "3:10" alone may be a result."""
    day = rf"(?:{alternatives(english().weekdays)}|tomorrow|today|tonight)"
    half = r"(?:1[0-2]|0?[1-9])(?:[.:][0-5]\d)? ?[ap]\.?m\b"
    behind = "|".join(rf"(?<={one})" for one in ("day", "morrow", "night"))
    clock = rf"(?:{behind}) (?:[01]?\d|2[0-3])[.:][0-5]\d\b(?! ?%)"
    before = rf"(?<=[\w’')]) (?:[01]?\d|2[0-3]):[0-5]\d\b(?=,? (?:on )?{day}\b)"
    return re.compile(rf"(?:(?<=[\w’')]) {half}|{clock}|{before})(?! ?(?:[-–]|to\b|till?\b|until\b))", re.IGNORECASE)


@lru_cache(maxsize=1)
def _coming() -> re.Pattern[str]:
    """A day that is to come, of what one has a date for."""
    weekday = alternatives(english().weekdays)
    return re.compile(rf"\bon (?:{weekday}|the \d{{1,2}}(?:st|nd|rd|th))\b|\btomorrow\b", re.IGNORECASE)
