"""Of which days a question asks: "since June", asked in May 2025, names 2024-06 to 2024-07. English.

A period is told by its first day, month or year and the first one after it, as text that sorts: whatever is at or
after the one and before the other lies in it.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

from ...values import Moment
from ..dates import day_of
from ..language import english
from ..words import alternatives

_LEAD = f"(?:{english().alternatives('dates', 'before_period')})"
_NAMES = alternatives(english().month_names)
_SEASONS = "|".join(english().seasons)
_DAYS = "|".join(english().weekdays)
_YEAR = r"(?:19|20)\d\d"
_NUMBER = r"\d{1,2}|" + english().alternatives("dates", "counting").replace(" ", r"\s+")  # `_WORDS` is verbose
_WORDS = re.compile(
    rf"""(?P<iso>\b{_YEAR}-\d\d(?:-\d\d)?\b)
    |\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<dmonth>{_NAMES})
       |(?P<mmonth>{_NAMES})\s+(?P<mday>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))(?:,?\s+(?P<dyear>{_YEAR}))?\b
    |\b(?P<month>{_NAMES})\b(?:(?:\s+of)?\s+(?P<myear>{_YEAR})|\s+(?P<mside>last|this)\s+year)?
    |\b(?P<which>last|past|this|previous)\s+(?P<unit>day|week|weekend|month|year|{_SEASONS})\b(?!\s+(?:before|after|prior)\b)
    |\b(?:last|past)\s+(?P<count>{_NUMBER})\s+(?P<units>day|week|month|year)s?\b
    |\b(?P<ago>{_NUMBER})\s+(?P<agounit>day|week|month|year)s?\s+ago\b
    |\b(?P<near>yesterday|today)\b
    |\b(?:on|last|since|after|before|this)\s+(?P<weekday>{_DAYS})\b(?!\s+(?:mornings|afternoons|evenings|nights)\b)
    |\b(?P<season>{_SEASONS})\b(?:\s+(?:of\s+)?(?P<syear>{_YEAR}))?
    |\b(?P<year>{_YEAR})\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LED = re.compile(rf"\b{_LEAD}\s+(?:the\s+)?$", re.IGNORECASE)
_COUNTS = {"a": 1, "an": 1, "couple of": 2, "few": 3}


class Period(NamedTuple):
    """The words that name it, its first day (or month, or year), and the first one after it."""

    words: str
    since: str
    until: str


class Bounds(NamedTuple):
    """Days at or after which, and days before which, what is asked for lies."""

    since: tuple[str, ...] = ()
    until: tuple[str, ...] = ()


_SINCE = re.compile(r"\b(?:since|starting|from)\s+(?:the\s+)?$", re.IGNORECASE)
_ONWARDS = re.compile(r"^\s*(?:on|onwards?|and later|or later)\b", re.IGNORECASE)
_BEFORE = re.compile(r"\b(?:before|prior to|earlier than|until|till|up to|by)\s+(?:the\s+)?$", re.IGNORECASE)
_AS_OF = re.compile(r"\bas of\s+(?:the\s+)?$", re.IGNORECASE)
_BESIDE = re.compile(
    rf"\b(?P<unit>day|night|evening|week|weekend|{_DAYS})\s+(?P<side>before|prior\ to|after|following)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\b(?:after|later than|following)\s+(?:the\s+)?$", re.IGNORECASE)
_SPAN = re.compile(r"^\s*(?:and|to|through|until|till)\s*$", re.IGNORECASE)


def bounds_of(text: str, now: Moment) -> Bounds:
    """Between which days the text asks: "since March" names one, "in March" and "from March to May" both."""
    since: list[str] = []
    until: list[str] = []
    end, last = 0, None
    for one in periods(text, now):
        begin = text.lower().find(" ".join(one.words.split()).lower(), end)
        begin = end if begin < 0 else begin
        before, end = text[end:begin], begin + len(one.words)
        if last is not None and _SPAN.match(before):
            until = [*until[: len(until) - (last in until)], one.until]
            since = since if any(day for day in since) else [last]
        elif beside := _beside(before, one):
            since.append(beside[0])
            until.append(beside[1])
        elif _AS_OF.search(before):
            until.append(one.until)
        elif _BEFORE.search(before):
            until.append(one.since)
        elif _AFTER.search(before):
            since.append(one.until)
        elif (_SINCE.search(before) and not _spans(text[end:], now)) or _ONWARDS.match(text[end:]):
            since.append(one.since)
        else:
            since.append(one.since)
            until.append(one.until)
        last = one.until
    return Bounds(tuple(dict.fromkeys(since)), tuple(dict.fromkeys(until)))


def _beside(before: str, one: Period) -> tuple[str, str] | None:
    """The day, the weekday or the week beside a day that is named: "the Monday before 24 July"."""
    found = _BESIDE.search(before)
    if found is None or len(one.since) != len("2024-07-24"):
        return None
    day, unit, after = (
        date.fromisoformat(one.since),
        found["unit"].lower(),
        found["side"].lower() in ("after", "following"),
    )
    if unit in english().weekdays or unit == "weekend":
        wanted = english().weekdays.get(unit, 5)
        away = (wanted - day.weekday() - 1) % 7 + 1 if after else (wanted - day.weekday()) % 7 - 7
        first, size = day + timedelta(days=away), 2 if unit == "weekend" else 1
    else:
        size = 7 if unit == "week" else 1
        first = day + timedelta(days=1 if after else -size)
    return first.isoformat(), (first + timedelta(days=size)).isoformat()


def _spans(rest: str, now: Moment) -> bool:
    """Whether the words go on to a second period: "to May"."""
    return bool(re.match(r"\s*(?:and|to|through|until|till)\b", rest)) and bool(periods(rest, now))


def periods(text: str, now: Moment) -> list[Period]:
    """The periods that a question names, in order. A month or day without a year is the last one that has begun."""
    today, found = day_of(now), []
    years = [match[0] for match in re.finditer(rf"\b{_YEAR}\b", text)]
    for match in _WORDS.finditer(text):
        led = bool(_LED.search(text[: match.start()]))
        try:
            bounds = _bounds(match, today, led, years[0] if len(set(years)) == 1 else None)
        except (ValueError, OverflowError):
            continue
        if bounds:
            found.append(Period(" ".join(match[0].split()), *bounds))
    return found


def _bounds(match: re.Match[str], today: date, led: bool, year: str | None) -> tuple[str, str] | None:
    """`led`: a word like "in" or "since" stands before it; `year`: the only one that the question names."""
    part = match.groupdict()
    if part["iso"]:
        pieces = [int(one) for one in part["iso"].split("-")]
        return _day(date(*pieces)) if len(pieces) == 3 else _month(*pieces)
    if named := part["dmonth"] or part["mmonth"]:
        return _day_of(int(part["day"] or part["mday"]), _month_number(named), part["dyear"] or year, today)
    if part["month"]:
        told = part["myear"] or (str(today.year - (part["mside"].lower() == "last")) if part["mside"] else year)
        return _named_month(_month_number(part["month"]), told, today) if led or part["myear"] else None
    if part["year"]:
        return (part["year"], str(int(part["year"]) + 1)) if led else None
    if part["season"]:
        return _season(part["season"], int(part["syear"] or year or 0), today) if led or part["syear"] else None
    return _relative(part, today)


def _relative(part: dict[str, str | None], today: date) -> tuple[str, str] | None:
    if part["near"]:
        return _day(today - timedelta(days=part["near"].lower() == "yesterday"))
    if part["weekday"]:
        behind = (today.weekday() - english().weekdays[part["weekday"].lower()] - 1) % 7 + 1
        return _day(today - timedelta(days=behind))
    if part["count"]:
        return _back(today, _count(part["count"]), str(part["units"])).isoformat(), _after(today)
    if part["ago"]:
        return _ago(today, _count(part["ago"]), str(part["agounit"]).lower())
    unit, back = str(part["unit"]).lower(), str(part["which"]).lower() != "this"
    if unit in english().seasons:
        begun = today.year - (english().seasons[unit] > today.month)
        return _season(unit, begun - (back and today.month - english().seasons[unit] in (0, 1, 2)), today)
    if unit == "weekend":
        saturday = today - timedelta(days=today.weekday() - 5 + 7 * back)
        return saturday.isoformat(), (saturday + timedelta(days=2)).isoformat()
    return _unit(_back(today, int(back), unit), unit)


def _ago(today: date, count: int, unit: str) -> tuple[str, str]:
    return _unit(_back(today, count, unit), unit)


def _unit(day: date, unit: str) -> tuple[str, str]:
    """The day, the week from Monday, the month or the year that holds the day."""
    if unit == "week":
        monday = day - timedelta(days=day.weekday())
        return monday.isoformat(), (monday + timedelta(days=7)).isoformat()
    if unit == "day":
        return _day(day)
    return _month(day.year, day.month) if unit == "month" else (str(day.year), str(day.year + 1))


def _back(today: date, count: int, unit: str) -> date:
    from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]

    return today - relativedelta(**{unit.lower().removesuffix("s") + "s": count})  # type: ignore[no-any-return]


def _count(words: str) -> int:
    low = " ".join(words.lower().split())
    return int(low) if low.isdigit() else _COUNTS.get(low) or english().unit_numbers[low]


def _month_number(name: str) -> int:
    return english().months[name.lower()]


def _month(year: int, month: int) -> tuple[str, str]:
    after = (year + 1, 1) if month == 12 else (year, month + 1)
    date(year, month, 1)
    return f"{year}-{month:02}", f"{after[0]}-{after[1]:02}"


def _named_month(month: int, year: str | None, today: date) -> tuple[str, str]:
    return _month(int(year) if year else today.year - (month > today.month), month)


def _day_of(day: int, month: int, year: str | None, today: date) -> tuple[str, str]:
    if year:
        return _day(date(int(year), month, day))
    this = date(today.year, month, day)
    return _day(this if this <= today else date(today.year - 1, month, day))


def _season(name: str, year: int, today: date) -> tuple[str, str]:
    """The season of that year (0: the last one that has begun); winter begins in December."""
    begins = english().seasons[name.lower()]
    year = year or today.year - (begins > today.month)
    return f"{year}-{begins:02}", _month(year + (begins > 9), (begins + 2) % 12 + 1)[0]


def _day(day: date) -> tuple[str, str]:
    return day.isoformat(), _after(day)


def _after(day: date) -> str:
    return (day + timedelta(days=1)).isoformat()
