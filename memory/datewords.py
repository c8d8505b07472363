"""The words for dates that people use, as patterns, each with the rule that turns it into a date.

A rule is a pattern and a function of the match, the day on which it was said, and whether the sentence looks ahead.
What a rule returns is as exact as the words are: a day, a month (`2023-05`) or a year (`2023`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

Match = re.Match[str]
Ahead = bool | None
"""Whether the sentence looks ahead; None: it does not tell, then the nearest date is meant."""
Resolve = Callable[[Match, date, Ahead], str | None]

_MONTH_NAMES = (
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sept sep", "october oct", "november nov", "december dec",
)  # fmt: skip
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAYS = {name: number for number, name in enumerate(_DAY_NAMES)}
NUMBERS = {
    "a": 1, "an": 1, "one": 1, "couple": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30,
}  # fmt: skip
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
FEASTS = {
    "christmas eve": (12, 24), "christmas": (12, 25), "new year's eve": (12, 31), "new year's day": (1, 1),
    "halloween": (10, 31), "valentine's day": (2, 14), "independence day": (7, 4),
}  # fmt: skip

_MONTH = "(?P<month>" + "|".join(name for name in MONTHS if len(name) > 4 or name in ("june", "july")) + "|(?-i:May))"
_ANY_MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\.?"
_WEEKDAY = "(?P<weekday>" + "|".join(WEEKDAYS) + ")"
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_NUMBER = r"(?:an?\s+)?(?P<number>\d{1,3}|" + "|".join(NUMBERS) + r")(?:\s+of)?"
_VAGUE = r"(?:an?\s+)?(?:few|several|some)"
_UNIT = "(?P<unit>day|week|weekend|month|year)"
_WHICH = "(?P<which>last|past|this past|this|this coming|next|coming)"
_FEAST = "(?P<feast>" + "|".join(FEASTS).replace("'", "['’]?") + ")"
_SEASON = "(?P<season>" + "|".join(SEASONS) + ")"


@dataclass(frozen=True, slots=True)
class Rule:
    """`ahead_only`: the words mean a date only in a sentence that looks ahead ("in two days" is else a duration)."""

    pattern: re.Pattern[str]
    resolve: Resolve
    ahead_only: bool = False


def iso(year: int, month: int | None = None, day: int | None = None) -> str | None:
    """The date as text, as exact as it is given; None for one that does not exist."""
    try:
        checked = date(year, month or 1, day or 1)
    except ValueError:
        return None
    return checked.isoformat()[: 10 if day else 7 if month else 4]


def shift(said: date, number: int, unit: str) -> str | None:
    """So many units before (negative) or after a day; as exact as the unit. Calendar arithmetic: dateutil."""
    from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]

    if unit == "weekend":
        return _weekend(said, number)
    try:
        moved = said + relativedelta(**{unit + "s": number})
    except (OverflowError, ValueError):
        return None
    return {"month": iso(moved.year, moved.month), "year": iso(moved.year)}.get(unit, moved.isoformat())


def _side(which: str) -> int:
    return -1 if "last" in which or "past" in which else 0 if which == "this" else 1


def _named_day(match: Match, said: date, ahead: Ahead) -> str | None:
    words = re.sub(r"\s+", " ", match.group().lower())
    days = -2 if "before yesterday" in words else 2 if "after tomorrow" in words else 0
    if not days:
        days = -1 if "yesterday" in words or "last night" in words else 1 if "tomorrow" in words else 0
    return (said + timedelta(days=days)).isoformat()


def _ago(match: Match, said: date, ahead: Ahead) -> str | None:
    return shift(said, -_number(match), match["unit"].lower())


def _ahead(match: Match, said: date, ahead: Ahead) -> str | None:
    return shift(said, _number(match), match["unit"].lower())


def _number(match: Match) -> int:
    words = match["number"].lower()
    return NUMBERS.get(words) or int(words)


def _vague_ago(match: Match, said: date, ahead: Ahead) -> str | None:
    # "A few days ago" names no day: one step less exact than the unit.
    coarser = {"day": "month", "week": "month", "month": "year"}.get(match["unit"].lower())
    before = shift(said, -3, match["unit"].lower())
    return before and {"month": before[:7], "year": before[:4]}.get(coarser or "")


def _unit(match: Match, said: date, ahead: Ahead) -> str | None:
    unit, side = match["unit"].lower(), _side(match["which"].lower())
    if unit == "week" and side == 0:
        return None
    if unit == "weekend":
        return _weekend(said, side)
    return shift(said, side, unit)


def _weekend(said: date, side: int) -> str:
    """The weekend of this week (Monday to Sunday) or so many weeks before or after, as its Saturday."""
    return (said - timedelta(days=said.weekday()) + timedelta(days=5 + 7 * side)).isoformat()


def _weekday(match: Match, said: date, ahead: Ahead) -> str | None:
    which = (match.groupdict().get("which") or "").lower()
    wanted, today = WEEKDAYS[match["weekday"].lower()], said.weekday()
    side = _side(which) if which else (1 if ahead else -1)
    if which == "this":
        days = wanted - today  # of this week, Monday to Sunday
    elif side > 0:
        days = (wanted - today - 1) % 7 + 1
    else:
        days = -((today - wanted - 1) % 7 + 1)
    return (said + timedelta(days=days)).isoformat()


def _weekday_of_week(match: Match, said: date, ahead: Ahead) -> str | None:
    monday = said - timedelta(days=said.weekday())
    days = WEEKDAYS[match["weekday"].lower()] + 7 * _side(match["which"].lower())
    return (monday + timedelta(days=days)).isoformat()


def _month(match: Match, said: date, ahead: Ahead) -> str | None:
    month = MONTHS[match["month"].lower()]
    which = (match.groupdict().get("which") or "").lower()
    if which == "this" or (not which and month == said.month):
        return iso(said.year, month)
    if which:
        ahead = _side(which) > 0
    elif ahead is None:
        ahead = 0 < (month - said.month) % 12 < 6
    # "Next May", said in May, is a year away, and "last May" a year ago.
    year = said.year + (month <= said.month) if ahead else said.year - (month >= said.month)
    return iso(year, month)


def _month_of_year(match: Match, said: date, ahead: Ahead) -> str | None:
    return iso(said.year + _side(match["which"].lower()), MONTHS[match["month"].lower()])


def _day_of_month(match: Match, said: date, ahead: Ahead) -> str | None:
    """The year of "May 8", or the month of "the 8th", is what puts it before, after or nearest to the day of talk."""
    parts = match.groupdict()
    day, month = int(parts["day"]), MONTHS[parts["month"].lower()] if parts.get("month") else None
    if parts.get("year"):
        return iso(int(parts["year"]), month, day)
    if month:
        return _yearly(said, month, day, ahead)
    later = day < said.day if ahead else day > said.day
    moved = shift(said.replace(day=1), (1 if ahead else -1) if later else 0, "month")
    return moved and iso(int(moved[:4]), int(moved[5:7]), day)


def _yearly(said: date, month: int, day: int, ahead: Ahead) -> str | None:
    """A day that comes each year: the last one (today counts), the next one, or the nearest."""
    days = [found for year in (-1, 0, 1) if (found := iso(said.year + year, month, day))]
    today = said.isoformat()
    if ahead is None:
        return min(days, key=lambda found: abs(date.fromisoformat(found) - said), default=None)
    if ahead:
        return next((found for found in days if found >= today), None)
    return next((found for found in reversed(days) if found <= today), None)


def _month_and_year(match: Match, said: date, ahead: Ahead) -> str | None:
    return iso(int(match["year"]), MONTHS[match["month"].lower()])


def _year(match: Match, said: date, ahead: Ahead) -> str | None:
    return match["year"]


def _numbers(match: Match, said: date, ahead: Ahead) -> str | None:
    numbers = [int(part) for part in re.findall(r"\d+", match.group())]
    return iso(*(numbers if numbers[0] > 31 else reversed(numbers)))


def _season(match: Match, said: date, ahead: Ahead) -> str | None:
    start, side = SEASONS[match["season"].lower()], _side(match["which"].lower())
    if side == 0:
        return iso(said.year)
    over = said.month >= start + 3 if side < 0 else said.month < start
    return iso(said.year + (0 if over else side))


def _feast(match: Match, said: date, ahead: Ahead) -> str | None:
    words = re.sub(r"\s+", " ", match["feast"].lower()).replace("’", "'")
    known = next(name for name in FEASTS if name.replace("'", "") == words.replace("'", ""))
    month, day = FEASTS[known]
    which = (match.groupdict().get("which") or "").lower()
    if which:
        ahead = _side(which) >= 0
    if which and "last" in which and (month, day) == (said.month, said.day):
        return iso(said.year - 1, month, day)
    return _yearly(said, month, day, ahead)


def _rule(pattern: str, resolve: Resolve, *, ahead_only: bool = False) -> Rule:
    return Rule(re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE), resolve, ahead_only)


RULES: tuple[Rule, ...] = (
    _rule(r"\d{4}-\d\d-\d\d|\d{4}/\d\d?/\d\d?|\d\d?\.\d\d?\.\d{4}", _numbers),
    _rule(f"(?:on )?{_ANY_MONTH} (?:the )?{_DAY}(?:,? {_YEAR})?", _day_of_month),
    _rule(f"(?:on )?(?:the )?{_DAY} (?:of )?{_ANY_MONTH}(?:,? {_YEAR})?", _day_of_month),
    _rule(f"(?:in |since |during |until |by |of |early |late )?{_ANY_MONTH},? (?:of )?{_YEAR}", _month_and_year),
    _rule("(?:the )?day (?:before yesterday|after tomorrow)|yesterday|today|tonight|tomorrow|last night"
          "|this (?:morning|afternoon|evening)|earlier today", _named_day),
    _rule(f"{_NUMBER} {_UNIT}s? (?:ago|earlier|back)", _ago),
    _rule(f"{_VAGUE} {_UNIT}s? (?:ago|back)", _vague_ago),
    _rule(f"in {_NUMBER} {_UNIT}s?(?:['’]? time)?", _ahead, ahead_only=True),
    _rule(f"{_NUMBER} {_UNIT}s? from (?:now|today)", _ahead),
    _rule(f"(?:on )?{_WEEKDAY} (?:of )?(?P<which>last|this|next) week", _weekday_of_week),
    _rule(f"(?P<which>last|this|next) week(?: on)? {_WEEKDAY}", _weekday_of_week),
    _rule(f"(?:in )?{_MONTH},? (?:of )?(?P<which>last|this|next) year", _month_of_year),
    _rule(f"{_WHICH} {_WEEKDAY}", _weekday),
    _rule(f"{_WHICH} {_MONTH}", _month),
    _rule(f"{_WHICH} {_SEASON}", _season),
    _rule(f"{_WHICH} {_FEAST}", _feast),
    _rule(f"{_WHICH} {_UNIT}", _unit),
    _rule(f"(?:on |over |at ){_FEAST}", _feast),
    _rule(f"{_SEASON} (?:of )?{_YEAR}", _year),
    _rule(f"(?:in|since|during|until|by|for|of|(?:early|late|mid)[ -]|back in) (?:the )?{_MONTH}", _month),
    _rule(f"(?:in|since|during|until|by|of|back in|year|early|late) {_YEAR}", _year),
    _rule(f"on {_WEEKDAY}s?(?<!s)", _weekday),
    _rule(f"on the {_DAY}", _day_of_month),
)  # fmt: skip
"""Tried in this order; the first that fits the longest stretch of words at a place decides."""

BARE: tuple[Rule, ...] = (
    _rule(_WEEKDAY, _weekday), _rule(_ANY_MONTH, _month), _rule(_YEAR, _year), _rule(f"{_NUMBER} {_UNIT}s?", _ahead),
    _rule(_FEAST, _feast), _rule("(?:the )?" + _DAY + "(?<=[a-z])", _day_of_month),
)  # fmt: skip
"""Words that are dates when someone says that they are one, but not when met in a sentence."""
