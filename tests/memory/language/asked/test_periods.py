"""Which days a question asks of."""

from __future__ import annotations

import pytest

from chatmem.memory.language.asked.periods import bounds_of, periods
from chatmem.memory.language.asked.selecting import wants_rows

NOW = "2025-06-20T10:00:00Z"


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("What did I tell you in March?", [("2025-03", "2025-04")]),
        ("before August", [("2024-08", "2024-09")]),
        ("since June 2024", [("2024-06", "2024-07")]),
        ("between December and January 2025", [("2025-12", "2026-01"), ("2025-01", "2025-02")]),
        ("on 5 March", [("2025-03-05", "2025-03-06")]),
        ("on May 3rd, 2024", [("2024-05-03", "2024-05-04")]),
        ("in 2024", [("2024", "2025")]),
        ("yesterday", [("2025-06-19", "2025-06-20")]),
        ("last week", [("2025-06-09", "2025-06-16")]),
        ("last month", [("2025-05", "2025-06")]),
        ("over the last three months", [("2025-03-20", "2025-06-21")]),
        ("over the last couple of weeks", [("2025-06-06", "2025-06-21")]),
        ("in the past couple  of months", [("2025-04-20", "2025-06-21")]),
        ("a couple of weeks ago", [("2025-06-02", "2025-06-09")]),
        ("the last coupleof weeks", []),
        ("last summer", [("2024-06", "2024-09")]),
        ("in winter", [("2024-12", "2025-03")]),
        ("on Monday", [("2025-06-16", "2025-06-17")]),
        ("two weeks ago", [("2025-06-02", "2025-06-09")]),
        ("2024-05-03", [("2024-05-03", "2024-05-04")]),
        ("I may march there", []),
        ("the last one of three", []),
        ("on 31 February", []),
    ],
)
def test_a_period_is_its_first_day_and_the_first_one_after(text: str, bounds: list[tuple[str, str]]) -> None:
    assert [(one.since, one.until) for one in periods(text, NOW)] == bounds


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("in March", ("2025-03",), ("2025-04",)), ("since March", ("2025-03",), ()), ("before May", (), ("2025-05",)),
        ("prior to 5 March", (), ("2025-03-05",)), ("later than March", ("2025-04",), ()),
        ("from March on", ("2025-03",), ()), ("from March to May", ("2025-03",), ("2025-06",)),
        ("between March and May", ("2025-03",), ("2025-06",)), ("over all", (), ()),
        ("as of March 2025", (), ("2025-04",)),
        ("on the Monday before 24 July 2023", ("2023-07-17",), ("2023-07-18",)),
        ("the week before 24 July 2023", ("2023-07-17",), ("2023-07-24",)),
        ("on the weekend after 24 July 2023", ("2023-07-29",), ("2023-07-31",)),
        ("on the last weekend before 24 July 2023", ("2023-07-22",), ("2023-07-24",)),
        ("the day after 24 July 2023", ("2023-07-25",), ("2023-07-26",)),
        ("the week before March 2024", (), ("2024-03",)),
    ],
)  # fmt: skip
def test_the_words_around_a_period_tell_which_of_its_ends_count(
    text: str, since: tuple[str, ...], until: tuple[str, ...]
) -> None:
    assert bounds_of(f"What did I do {text}?", NOW) == (since, until)


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("How many films did I see in May?", True), ("List all my books.", True), ("What did I do in March?", True),
        ("Which runs did I do besides the first?", True), ("In which order did I visit them?", True),
        ("What was the last film I saw?", True), ("what's my dog called?", False), ("When did I move?", False),
        ("Which painting did I sell in March?", False), ("We have three daughters, the oldest is twelve.", False),
        ("All my friends came in May.", False), ("Wie heißt mein Hund?", False),
        ("What do I do on Tuesday?", False), ("what do i do on friday mornings", False),
        ("What did I do on Tuesday?", True),
        ("How many nights did I spend in Rome?", True), ("How many weekends have I worked?", True),
        ("Whom do I call every Sunday?", False), ("How many cakes did I bake last Sunday?", True),
    ],
)  # fmt: skip
def test_rows_are_wanted_where_things_are_counted_listed_ordered_or_looked_for_by_a_period(
    text: str, wants: bool
) -> None:
    assert wants_rows(text, NOW) is wants
