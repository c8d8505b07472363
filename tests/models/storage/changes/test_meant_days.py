"""The day of a changed row, told without its year."""

from __future__ import annotations

import re

import pytest

from chatmem.models.storage.changes.end_facts import swapped
from chatmem.models.storage.changes.meant_days import still_ahead

TODAY = "2026-11-27"


@pytest.mark.parametrize(
    ("day", "old", "meant"),
    [
        ("2026-07-04", "2027-07-03", "2027-07-04"),  # a journey that lies ahead was a day later
        ("2026-01-10", "2026-12-20", "2027-01-10"),
        ("2026-02-28", "2028-02-29", "2028-02-28"),
        ("2024-02-29", "2027-02-28", "2028-02-29"),  # the one 29 February that is near
        ("2026-07-04", "2026-07-03", "2026-07-04"),  # it was so
        ("2027-02-03", "2026-03-10", "2027-02-03"),  # another appointment
        ("2026-07", "2027-07-03", "2026-07"),
        ("last May", "2027-07-03", "last May"),
        ("2026-07-04", None, "2026-07-04"),
    ],
)
def test_a_day_in_the_place_of_one_ahead_lies_ahead(day: str, old: str | None, meant: str) -> None:
    assert still_ahead(day, old, TODAY) == meant


@pytest.mark.parametrize(
    ("fact", "wrong", "right", "now"),
    [
        (
            "Ana runs every Tuesday and Thursday.",
            "Thursday",
            "Tuesday and Friday",
            "Ana runs every Tuesday and Friday.",
        ),
        ("Ana's exam is on the 14 of May.", "14", "24 of May", "Ana's exam is on the 24 of May."),
        ("Ana has a red bike.", "red", "blue", "Ana has a blue bike."),
    ],
)
def test_the_right_words_stand_once(fact: str, wrong: str, right: str, now: str) -> None:
    assert swapped(fact, re.compile(rf"\b{wrong}\b"), right) == now
