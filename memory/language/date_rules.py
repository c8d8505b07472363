"""The words for dates that people use, as patterns, each with the rule that turns it into a date.

A rule is a pattern and a function of the match, the day on which it was said, and whether the sentence looks ahead.
What a rule returns is as exact as the words are: a day, a month (`2023-05`) or a year (`2023`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from .language import Language, english

Match = re.Match[str]
Ahead = bool | None
"""Whether the sentence looks ahead; None: it does not tell, then the nearest date is meant."""
Resolve = Callable[[Match, date, Ahead], str | None]

_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_SHORT_YEAR = r"\d\d?\.\d\d?\.\d\d(?!\.?\d)"
_LED = "(?:on|by|since|until|till|due|born) "
"""What stands before a day in figures with a year of two: else it may be a version of something."""
PLANNED = 25
"""Years ahead that such a year may mean."""
_VAGUE = r"(?:an?\s+)?(?:few|several|some)"
_UNIT = "(?P<unit>day|week|weekend|month|year)"
_WHICH = "(?P<which>last|past|this past|this|this coming|next|coming)"


@dataclass(frozen=True, slots=True)
class Rule:
    """`ahead_only`: the words mean a date only in a sentence that looks ahead ("in two days" is else a duration);
    `moved_only`: only where something is put there ("postponed to Friday")."""

    pattern: re.Pattern[str]
    resolve: Resolve
    ahead_only: bool = False
    moved_only: bool = False


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
    known = english().unit_numbers.get(words)
    return int(words) if known is None else known


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
    wanted, today = english().weekdays[match["weekday"].lower()], said.weekday()
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
    days = english().weekdays[match["weekday"].lower()] + 7 * _side(match["which"].lower())
    return (monday + timedelta(days=days)).isoformat()


def _month(match: Match, said: date, ahead: Ahead) -> str | None:
    month = english().months[match["month"].lower()]
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
    return iso(said.year + _side(match["which"].lower()), english().months[match["month"].lower()])


def _day_of_month(match: Match, said: date, ahead: Ahead) -> str | None:
    """The year of "May 8", or the month of "the 8th", is what puts it before, after or nearest to the day of talk."""
    parts = match.groupdict()
    day, month = _day(parts), english().months[parts["month"].lower()] if parts.get("month") else None
    if parts.get("year"):
        return iso(int(parts["year"]), month, day)
    if month:
        return _yearly(said, month, day, ahead)
    later = day < said.day if ahead else day > said.day
    moved = shift(said.replace(day=1), (1 if ahead else -1) if later else 0, "month")
    return moved and iso(int(moved[:4]), int(moved[5:7]), day)


def _day(parts: dict[str, str | None]) -> int:
    if figures := parts.get("day"):
        return int(figures)
    return english().ordinals[re.sub(r"[\s-]+", " ", parts["dayword"] or "").lower()]


def _weekday_and_day(match: Match, said: date, ahead: Ahead) -> str | None:
    """ "Thursday the 17th": the month in which it is one; where that is none within half a year, by the day alone."""
    wanted = english().weekdays[match["weekday"].lower()]
    months = filter(None, (shift(said.replace(day=1), number, "month") for number in range(-6, 7)))
    days = [
        found
        for month in months
        if (found := iso(int(month[:4]), int(month[5:7]), _day(match.groupdict())))
        and date.fromisoformat(found).weekday() == wanted
        and (ahead is None or (found >= said.isoformat()) == ahead or found == said.isoformat())
    ]
    nearest = min(days, key=lambda found: abs(date.fromisoformat(found) - said), default=None)
    return nearest or _day_of_month(match, said, ahead)


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
    return iso(int(match["year"]), english().months[match["month"].lower()])


def _year(match: Match, said: date, ahead: Ahead) -> str | None:
    return match["year"]


def _numbers(match: Match, said: date, ahead: Ahead) -> str | None:
    numbers = [int(part) for part in re.findall(r"\d+", match.group())]
    return iso(*(numbers if numbers[0] > 31 else reversed(numbers)))


def _short_year(match: Match, said: date, ahead: Ahead) -> str | None:
    """ "On 12.5.27": of this century, unless that lies ahead of something past, or further ahead than one plans."""
    day, month, year = (int(part) for part in re.findall(r"\d+", match.group()))
    found = iso(2000 + year, month, day)
    far = ahead is not True and 2000 + year > said.year + PLANNED
    return iso(1900 + year, month, day) if found and (far or (ahead is False and found > said.isoformat())) else found


def _season(match: Match, said: date, ahead: Ahead) -> str | None:
    start, side = english().seasons[match["season"].lower()], _side(match["which"].lower())
    if side == 0:
        return iso(said.year)
    over = said.month >= start + 3 if side < 0 else said.month < start
    return iso(said.year + (0 if over else side))


def _feast(match: Match, said: date, ahead: Ahead) -> str | None:
    words = re.sub(r"\s+", " ", match["feast"].lower()).replace("’", "'")
    known = next(name for name in english().feasts if name.replace("'", "") == words.replace("'", ""))
    month, day = english().feasts[known]
    which = (match.groupdict().get("which") or "").lower()
    if which:
        ahead = _side(which) >= 0
    if which and "last" in which and (month, day) == (said.month, said.day):
        return iso(said.year - 1, month, day)
    return _yearly(said, month, day, ahead)


def _rule(pattern: str, resolve: Resolve, *, ahead_only: bool = False, moved_only: bool = False) -> Rule:
    return Rule(re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE), resolve, ahead_only, moved_only)


def _one_of(words: Iterable[str]) -> str:
    return "|".join(words)


@lru_cache(maxsize=8)
def rules(language: Language) -> tuple[Rule, ...]:
    """The rules of a language, to be tried in this order: the first that fits the longest stretch of words decides.

    Dates in figures are dates in any language.
    """
    figures = _rule(r"\d{4}-\d\d-\d\d|\d{4}/\d\d?/\d\d?|\d\d?\.\d\d?\.\d{4}", _numbers)
    short = _rule(_LED + _SHORT_YEAR, _short_year)
    return (figures, short, *(_english(language) if language.claims else ()))


@lru_cache(maxsize=8)
def bare_rules(language: Language) -> tuple[Rule, ...]:
    """For words that are dates when someone says that they are one, but not when met in a sentence."""
    if not language.claims:
        return (_rule(_YEAR, _year), _rule(_SHORT_YEAR, _short_year))
    names = _Names.of(language)
    return (
        _rule(names.weekday, _weekday), _rule(names.any_month, _month), _rule(_YEAR, _year),
        _rule(f"{names.number} {_UNIT}s?", _ahead), _rule(names.feast, _feast),
        _rule("(?:the )?" + _DAY + "(?<=[a-z])", _day_of_month), _rule(_SHORT_YEAR, _short_year),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Names:
    """Patterns of the words of a language that name a time."""

    month: str
    any_month: str
    weekday: str
    ordinal: str
    number: str
    feast: str
    season: str

    @classmethod
    def of(cls, language: Language) -> _Names:
        long = [name for name in language.months if len(name) > 4 or name in ("june", "july")]
        return cls(
            "(?P<month>" + _one_of(long) + "|(?-i:May))",
            "(?P<month>" + _one_of(sorted(language.months, key=len, reverse=True)) + r")\.?",
            "(?P<weekday>" + _one_of(language.weekdays) + ")",
            "(?P<dayword>" + _one_of(_longest_first(language.ordinals)).replace(" ", "[ -]") + ")",
            r"(?:an?\s+)?(?P<number>\d{1,3}|" + _one_of(_longest_first(language.unit_numbers)) + r")(?:\s+of)?",
            "(?P<feast>" + _one_of(language.feasts).replace("'", "['’]?") + ")",
            "(?P<season>" + _one_of(language.seasons) + ")",
        )


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(words, key=len, reverse=True)


def _english(language: Language) -> tuple[Rule, ...]:
    names = _Names.of(language)
    no_day = r"(?! (?:the )?\d{1,2}(?:st|nd|rd|th)?\b(?![.:]\d))"  # "until May 3" is a day
    near_days, in_month, in_year, in_both = (
        english().alternatives("dates", name) for name in ("near_days", "in_month", "in_year", "in_month_of_year")
    )
    return (
        _rule(f"(?:on )?{names.any_month} (?:the )?{_DAY}(?:,? {_YEAR})?", _day_of_month),
        _rule(f"(?:on )?(?:the )?{_DAY} (?:of )?{names.any_month}(?:,? {_YEAR})?", _day_of_month),
        _rule(f"(?:on )?the {names.ordinal} (?:day )?of {names.any_month}(?:,? {_YEAR})?", _day_of_month),
        _rule(f"(?:on )?{names.any_month} (?:the )?{names.ordinal}(?:,? {_YEAR})?", _day_of_month),
        _rule(f"(?:on )?{names.weekday},? (?:the )?{_DAY}(?<=[a-z])", _weekday_and_day),
        _rule(f"(?:on )?{names.weekday},? the {names.ordinal}", _weekday_and_day),
        _rule(f"(?:(?:{in_both}) )?{names.any_month},? (?:of )?{_YEAR}", _month_and_year),
        _rule(near_days, _named_day),
        _rule(f"{names.number} {_UNIT}s? (?:ago|earlier|back)", _ago),
        _rule(f"{_VAGUE} {_UNIT}s? (?:ago|back)", _vague_ago),
        _rule(f"in {names.number} {_UNIT}s?(?:['’]? time)?", _ahead, ahead_only=True),
        _rule(f"{names.number} {_UNIT}s? from (?:now|today)", _ahead),
        _rule(f"(?:on )?{names.weekday} (?:of )?(?P<which>last|this|next) week", _weekday_of_week),
        _rule(f"(?P<which>last|this|next) week(?: on)? {names.weekday}", _weekday_of_week),
        _rule(f"(?:in )?{names.month},? (?:of )?(?P<which>last|this|next) year", _month_of_year),
        _rule(f"{_WHICH} {names.weekday}", _weekday),
        _rule(f"{_WHICH} {names.month}", _month),
        _rule(f"{_WHICH} {names.season}", _season),
        _rule(f"{_WHICH} {names.feast}", _feast),
        _rule(f"{_WHICH} {_UNIT}", _unit),
        _rule(f"(?:on |over |at ){names.feast}", _feast),
        _rule(f"{names.season} (?:of )?{_YEAR}", _year),
        _rule(f"(?:{in_month}) (?:the )?{names.month}{no_day}", _month),
        _rule(f"(?:{in_year}) {_YEAR}", _year),
        _rule(f"(?:from|starting(?: in| from)?|beginning(?: in)?|as of) {names.month}", _month, ahead_only=True),
        _rule(f"on {names.weekday}s?(?<!s)", _weekday),
        _rule(f"(?:by|as of|starting(?: on)?|beginning(?: on)?) {names.weekday}", _weekday, ahead_only=True),
        _rule(f"(?:to|for|until|till) {names.weekday}", _weekday, moved_only=True),
        _rule(f"to {names.month}{no_day}", _month, moved_only=True),
        _rule(f"on the {_DAY}", _day_of_month),
    )  # fmt: skip
