"""Entries of a diary read out: "lunch with Ines Thursday 1pm" as "I have lunch with Ines on Thursday at 1pm". English.

A small model that sees no preposition and nobody who does anything sees no plan either, and keeps nothing of it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..language import english
from ..third_person import verbs
from ..words import alternatives, tokens
from .named import does

MOST = 10
"""Words of such an entry."""
_HOUR = re.compile(
    r"(?<=[\w’')]) (?:(?:1[0-2]|0?[1-9])(?:[.:][0-5]\d)? ?[ap]\.?m\b|(?:[01]?\d|2[0-3]):[0-5]\d\b)(?! ?[-–])",
    re.IGNORECASE,
)
_AFTER_ITS_DAY = re.compile(r"(?<=day)(?= (?:1\d|2[0-3]|0?\d)[.:][0-5]\d\b(?! ?[-–%]))", re.IGNORECASE)
"""Before an hour that only its day tells from a price: "Tuesday 10.30"."""
_LED = re.compile(r"(?:\b(?P<last>[\w’']+)|[-–/&+])[,;:]?$")
_DRINKS = re.compile(r"^drinks(?= (?:with|at) )", re.IGNORECASE)
"""The one plan that looks most like what somebody does."""


def entry(line: str) -> str:
    """An entry as a sentence, where its hour or its kind makes it a plan; one that isn't surely a plan with "on" before
    its day of the week and "at" before its hour; any other line as it is."""
    words = tokens(line)
    if not 2 <= len(words) <= MOST or ": " in line or line.rstrip().endswith(("?", "!")) or _is_said(line, words):
        return line
    dated = _day().sub(lambda found: _led(found, "on"), line)
    timed = _AFTER_ITS_DAY.sub(" at", _HOUR.sub(lambda found: _led(found, "at"), dated))
    if timed[:1].isalpha() and _timed().search(timed) and words[0] not in _begins_none():
        return f"I have {timed if _is_name(timed) else timed[:1].lower() + timed[1:]}"
    return timed


def _led(found: re.Match[str], preposition: str) -> str:
    before = _LED.search(found.string[: found.start()])
    if before is None or before["last"] is None or before["last"].lower() in english().words("dates", "before_day"):
        return found[0]
    return f" {preposition}{found[0]}"


def _is_said(line: str, words: list[str]) -> bool:
    """Whether somebody says, is or does something in it."""
    pronouns = english().self_words | english().second_person | {"he", "she", "it", "we", "they"}
    return bool((pronouns - {"my", "our"} | english().negations) & {*words}) or does(_DRINKS.sub("drink", line))


def _is_name(line: str) -> bool:
    """Whether it begins with a word that has its capital by right."""
    first = line.split()[0].rstrip(".")
    titled = first in {one.rstrip(".") for one in english().listed("others", "titles")}
    return titled or first[1:2].isupper() or first.lower() not in english().lexicon


@lru_cache(maxsize=1)
def _begins_none() -> frozenset[str]:
    """Words with which a line tells what is to be done, when, or how it was."""
    days = {*english().weekdays, *english().short_weekdays, *english().months, "today", "tomorrow", "tonight"}
    told = english().words("dates", "orders") | english().words("dates", "before_day") | {"maybe", "perhaps"}
    return frozenset(days) | told | english().stop | verbs().base - {"drink", "lunch"}


@lru_cache(maxsize=1)
def _day() -> re.Pattern[str]:
    return re.compile(rf"(?<=[\w’')]) (?:{alternatives(english().weekdays)})\b(?!['’])", re.IGNORECASE)


@lru_cache(maxsize=1)
def _timed() -> re.Pattern[str]:
    """What makes it a plan: its hour, or what one has a date for, and that."""
    day = rf"(?:{alternatives(english().weekdays)}|tomorrow|the \d{{1,2}}(?:st|nd|rd|th))"
    plans = english().alternatives("dates", "appointed")
    hour = r"at \d{1,2}(?:[.:]\d\d)?(?: ?[ap]\.?m\b|(?=\W|$))"
    return re.compile(rf"\b{hour}|\b(?:{plans})\b.* (?:on )?{day}\b", re.IGNORECASE)
