"""Words of a script that stand for a day, so that it says and expects the same whenever it is run."""

from __future__ import annotations

from datetime import date, timedelta

MONTHS_BACK, DAYS_ON = 2, 3


def moments(today: date) -> dict[str, str]:
    """What `{name}` stands for in a script: `past_month` is two months ago, `weekday` in three days; `..._wrong` is
    what a reading in the wrong direction makes of it."""
    past = today.year * 12 + today.month - 1 - MONTHS_BACK
    month, coming = date(past // 12, past % 12 + 1, 1), today + timedelta(days=DAYS_ON)
    return {
        "last_year": str(today.year - 1), "this_year": str(today.year), "next_year": str(today.year + 1),
        "past_month": f"{month:%B}", "past_month_year": str(month.year), "past_month_wrong": str(month.year + 1),
        "weekday": f"{coming:%A}", "weekday_date": spoken(coming), "weekday_wrong": spoken(coming - timedelta(days=7)),
    }  # fmt: skip


def filled(text: str, words: dict[str, str]) -> str:
    """The text with its `{name}`s; other braces stay."""
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return text


def spoken(day: date) -> str:
    """7 May 2023: as dates of memories are shown."""
    return f"{day.day} {day:%B %Y}"
