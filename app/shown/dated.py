"""A fact with its date in brackets at its end, as lists show it: shown so to be changed, and read back."""

from __future__ import annotations

import re

from ...memory.errors import InputError
from ...memory.language import dates

_BRACKETS = re.compile(r"(?:^|\s+)\(([^()]*)\)$")
_FIGURES = re.compile(r"\d{4}-\d{1,2}|\d{3,5}(?:-\d{1,2}){2}|\d{4}(?:[./]\d{1,2}){2}|(?:\d{1,2}[./-]){1,2}\d{4}")
_DAY, _NAMED = r"\d{1,2}(?:\.|st|nd|rd|th)?", r"[^\W\d_]+\.?"
_IN_WORDS = re.compile(rf"(?:(?:the )?{_DAY} (?:of )?)?{_NAMED},? \d{{4}}|{_NAMED} {_DAY},? \d{{4}}")
_YEAR = re.compile(r"\d{4}")
_AMBIGUOUS = re.compile(r"(?<![\d/-])(\d{1,2})([/-])(\d{1,2})(?:\2(\d{4}|\d\d))?(?![\d/-])")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
CENTURY = "20"
NOW = "2000-01-01T00:00:00Z"
"""Whole dates mean the same at any time."""
BOTH_WAYS = "“{}” can be {} or {}: write it as {} or “{}”."
NO_DATE = "“{}” is no date: write it like (2026-05-08) or (2026-05), or leave it away. Nothing was changed."
NO_FACT = "Write the fact before its date: Ana moved to Graz. (2026-05-08)"


def with_date(fact: str, date: str | None) -> str:
    """The fact as lists show it."""
    return f"{fact} ({date})" if date else fact


def taken_apart(text: str, fact: str = "", date: str | None = None) -> tuple[str, str | None]:
    """The fact, and the date in brackets at its end (None: there is none; "" for empty brackets: it has none any more).

    `fact`, `date`: as they were. A mere year may belong to the fact ("Alien (1979)"): it is a date only where one
    stood. Raises InputError for figures that are no date, or that can be read in two ways.
    """
    found = _BRACKETS.search(text)
    words = found[1].strip() if found else ""
    if found is None or not _is_date(words, fact, date):
        return text, None
    told = text[: found.start()].rstrip()
    if not told:
        raise InputError(NO_FACT)
    require_clear(words)
    day = dates.resolve(words, NOW) if words else ""
    if day is None:
        raise InputError(NO_DATE.format(words[:60]))
    return told, day


def changed(text: str, fact: str, date: str | None) -> str:
    """What was shown `with_date`, as it was changed: empty brackets stand for the date that was taken away. Raises
    InputError as `taken_apart`."""
    _, day = taken_apart(text, fact, date)
    return f"{text} ()" if date and day is None else text


def _is_date(words: str, fact: str, date: str | None) -> bool:
    if not words or _FIGURES.fullmatch(words):
        return True
    if _YEAR.fullmatch(words):
        return bool(date) and not fact.endswith(f"({words})")
    return bool(_IN_WORDS.fullmatch(words)) and len(dates.resolve(words, NOW) or "") > len("2026")


def require_clear(words: str) -> None:
    """Raises InputError where words hold a date such as 12/05/2027, of which either number can be the day."""
    for found in _AMBIGUOUS.finditer(words):
        first, then, year = int(found[1]), int(found[3]), found[4] or ""
        if first == then or not (1 <= first <= 12 and 1 <= then <= 12):
            continue
        year = year if len(year) != 2 else CENTURY + year
        ways = [f"{day} {_MONTHS[month - 1]} {year}".strip() for day, month in ((first, then), (then, first))]
        shown = f"{year}-{then:02}-{first:02}" if year else f"“{ways[1]}”"
        raise InputError(BOTH_WAYS.format(words.strip()[:60], *ways, shown, ways[0]))
