"""Date phrases as people say them, with the day, month or year that they mean on a given day."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
When = tuple[str, str]
"""The phrase and what it means: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`."""


def draw_when(direction: str, today: date, rng: random.Random) -> When:
    """A phrase for a day in the `past` or the `future` of `today`."""
    makers = _PAST if direction == "past" else _FUTURE
    return rng.choice(makers)(today, rng)


def spoken(iso: str) -> str:
    """A stored date as an answer says it: "on 14 May 2026", "in May 2026", "in 2026"."""
    parts = [int(part) for part in iso.split("-")]
    if len(parts) == 1:
        return f"in {parts[0]}"
    if len(parts) == 2:
        return f"in {MONTHS[parts[1] - 1]} {parts[0]}"
    return f"on {parts[2]} {MONTHS[parts[1] - 1]} {parts[0]}"


def key_words(iso: str) -> tuple[str, ...]:
    """The words that an answer about this date must hold: day and month, or the coarsest that is known."""
    parts = [int(part) for part in iso.split("-")]
    if len(parts) == 1:
        return (str(parts[0]),)
    if len(parts) == 2:
        return (MONTHS[parts[1] - 1],)
    return (str(parts[2]), MONTHS[parts[1] - 1])


def _ordinal(day: int) -> str:
    ending = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _shift(today: date, months: int) -> str:
    count = today.year * 12 + today.month - 1 + months
    return f"{count // 12:04d}-{count % 12 + 1:02d}"


def _days(phrase: str, days: int) -> Callable[[date, random.Random], When]:
    return lambda today, rng: (phrase, (today + timedelta(days=days)).isoformat())


def _counted(unit: str, length: int, sign: int) -> Callable[[date, random.Random], When]:
    def make(today: date, rng: random.Random) -> When:
        word, count = rng.choice(list(_COUNTS.items()))
        phrase = f"{word} {unit} ago" if sign < 0 else f"in {word} {unit}"
        return phrase, (today + timedelta(days=sign * count * length)).isoformat()

    return make


def _weekday(pattern: str, sign: int) -> Callable[[date, random.Random], When]:
    def make(today: date, rng: random.Random) -> When:
        days = rng.randint(1, 7)
        day = today + timedelta(days=sign * days)
        return pattern.format(WEEKDAYS[day.weekday()]), day.isoformat()

    return make


def _this_week(today: date, rng: random.Random) -> When:
    """ "this Thursday" where that day is still to come before Sunday's end; else "on Thursday"."""
    day = today + timedelta(days=rng.randint(1, 6))
    word = "this" if day.isocalendar()[:2] == today.isocalendar()[:2] else "on"
    return f"{word} {WEEKDAYS[day.weekday()]}", day.isoformat()


def _calendar(pattern: str, sign: int) -> Callable[[date, random.Random], When]:
    def make(today: date, rng: random.Random) -> When:
        day = today + timedelta(days=sign * rng.randint(8, 150))
        words = {"day": str(day.day), "nth": _ordinal(day.day), "month": MONTHS[day.month - 1]}
        return pattern.format(**words), day.isoformat()

    return make


def _month(sign: int) -> Callable[[date, random.Random], When]:
    def make(today: date, rng: random.Random) -> When:
        iso = _shift(today, sign * rng.randint(2, 8))
        return f"in {MONTHS[int(iso[5:]) - 1]}", iso

    return make


_PAST = (
    _days("yesterday", -1), _days("last night", -1), _days("this morning", 0), _days("a week ago", -7),
    _counted("days", 1, -1), _counted("weeks", 7, -1), _weekday("last {}", -1), _weekday("last {}", -1),
    _calendar("on {day} {month}", -1), _calendar("on the {nth} of {month}", -1), _month(-1),
    lambda today, rng: ("last month", _shift(today, -1)), lambda today, rng: ("last year", str(today.year - 1)),
)  # fmt: skip
_FUTURE = (
    _days("tomorrow", 1), _days("the day after tomorrow", 2), _days("in a week", 7), _counted("days", 1, 1),
    _counted("weeks", 7, 1), _weekday("on {}", 1), _weekday("next {}", 1), _this_week,
    _calendar("on {day} {month}", 1), _calendar("on the {nth} of {month}", 1), _calendar("on {month} {nth}", 1),
    _month(1), lambda today, rng: ("next month", _shift(today, 1)),
    lambda today, rng: ("next year", str(today.year + 1)),
)  # fmt: skip
