"""The words by which a line tells of an end or a change, as the data file has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ..language import english


def stands(name: str, text: str) -> bool:
    """Whether one of the words of that list stands in the text."""
    pattern = compiled(name)
    return bool(pattern and pattern.search(text.lower().replace("’", "'")))


def tells(name: str, text: str) -> bool:
    """Whether one of them stands there and isn't denied: "we are not splitting up" tells of no parting."""
    pattern, low = compiled(name), text.lower().replace("’", "'")
    return pattern is not None and any(not _DENIED.search(low[: found.start()]) for found in pattern.finditer(low))


_DENIED = re.compile(r"(?:\b(?:not|never|nor|without)|n't)(?: \w+)? $")


@lru_cache(maxsize=16)
def compiled(name: str) -> re.Pattern[str] | None:
    """The pattern of that list; None where the language has none."""
    language = english()
    rules: Sequence[str] = language.table("matters", "change").get(name, ())
    lists = {"{day}": "|".join(language.weekdays), "{month}": "|".join(language.months)}
    made = "|".join(rules)
    for slot, words in lists.items():
        made = made.replace(slot, f"(?:{words})")
    return re.compile(made) if rules else None
