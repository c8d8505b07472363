"""The dates and numbers that a wish names: what doesn't hold them isn't meant by it ("the 15 December thing")."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..language.dates import find_dates
from ..language.language import english
from ..language.words import tokens
from ..values import Moment
from .telling import all_words

_YEAR = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class Anchors:
    """`dates`: each as it is written in ISO, without its year where none was named: "-12-15", "-12", "2019-05".
    `numbers`: the other numbers, in figures."""

    dates: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()

    def in_text(self, text: str, said_at: Moment, happened_on: str | None = None) -> bool:
        """Whether a text holds all of them; `happened_on`: the day of what it tells."""
        if not self.dates and not self.numbers:
            return True
        days = {day for _, day in find_dates(text, said_at)} | {happened_on or ""}
        known = english().months
        months = {f"-{known[word]:02d}" for word in tokens(text) if word in known} if self.dates else set[str]()
        held = _figures(text) | {(happened_on or "")[:4]}
        return self.numbers <= held and all(
            any(_holds(day, one) for day in days) or one in months for one in self.dates
        )


def anchors_of(words: str, said_at: Moment) -> Anchors:
    """What words name; `said_at`: when they were said. "Yesterday" names when it was told, as likely as a day."""
    dates, rest = set[str](), words
    for phrase, day in find_dates(words, said_at):
        said = tokens(phrase)
        if any(word in english().months or any(letter.isdigit() for letter in word) for word in said):
            dates.add(day if _YEAR.search(phrase) else day[4:] or day)
            rest = rest.replace(phrase, " ")
    if not dates:
        known = english().months
        dates = {f"-{known[word]:02d}" for word in tokens(rest) if word in known and word not in ("may", "march")}
    return Anchors(frozenset(dates), frozenset(_digits(rest)))


def _digits(text: str) -> set[str]:
    return {word for word in tokens(text) if word.isdecimal()}


def _figures(text: str) -> set[str]:
    """The numbers of a text: in figures, in words, and in groups as one."""
    known = english().numbers
    words = {*tokens(text), *all_words(text)}
    return words | {str(known[word]) for word in words if word in known}


def _holds(day: str, wanted: str) -> bool:
    """Whether a day is one that is named: "-12-15" is in 2026-12-15, "-12" and "2026-12" too."""
    return day[4:].startswith(wanted) if wanted.startswith("-") else day.startswith(wanted)
