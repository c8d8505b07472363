"""Dates in figures that can be read in two ways: whoever types one is asked, never guessed at."""

from __future__ import annotations

import re

from ....memory.errors import InputError

_FIGURES = re.compile(r"(?<![\d/-])(\d{1,2})([/-])(\d{1,2})(?:\2(\d{4}|\d\d))?(?![\d/-])")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
CENTURY = "20"
BOTH_WAYS = "“{}” can be {} or {}: write it as {} or “{}”."


def require_clear(words: str) -> None:
    """Raises InputError where words hold a date such as 12/05/2027, of which either number can be the day."""
    for found in _FIGURES.finditer(words):
        first, then, year = int(found[1]), int(found[3]), found[4] or ""
        if first == then or not (1 <= first <= 12 and 1 <= then <= 12):
            continue
        year = year if len(year) != 2 else CENTURY + year
        ways = [f"{day} {_MONTHS[month - 1]} {year}".strip() for day, month in ((first, then), (then, first))]
        shown = f"{year}-{then:02}-{first:02}" if year else f"“{ways[1]}”"
        raise InputError(BOTH_WAYS.format(words.strip()[:60], *ways, shown, ways[0]))
