"""What is read off a question beside its words."""

from __future__ import annotations

import pytest

from chatmem.memory.language.question import Question

NOW = "2026-03-01T12:00:00Z"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("How old is my cat? Answer in one word only.", "How old is my cat?"),
        ("Which towns did I visit? Please list just the names, in three lines.", "Which towns did I visit?"),
        ("I was in Rome last week. Where did I eat?", "Where did I eat?"),
        ("How are you? I need the name of my dentist.", "I need the name of my dentist."),
        ("Do you know my dad? Give me his age.", "Give me his age."),
        ("List only five items.", "List only five items."),
        ("Mention only two. Keep it short.", "Keep it short."),
    ],
)
def test_what_is_asked_is_not_the_form_of_the_answer(text: str, asked: str) -> None:
    assert Question(text, "Ana", NOW).parts[-1] == asked


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("In which order did I visit the towns?", True),
        ("Can you walk me through the order in which I brought these up?", True),
        ("List my jobs in chronological order.", True),
        ("What's the timeline of my move?", True),
        ("What did I order at the bakery?", False),
        ("What do I need in order to renew my passport?", False),
        ("When did my order for the lamp arrive?", False),
        ("Is the pump out of order?", False),
    ],
)
def test_whether_it_asks_for_an_order(text: str, order: bool) -> None:
    assert Question(text, "Ana", NOW).asks_order is order


def test_a_day_that_is_asked_of_without_a_tense_may_be_the_last_one_or_the_next() -> None:
    now = "2026-12-01T10:00:00Z"
    party, was = (Question(text, "Ana", now) for text in ("the party on Saturday?", "who was there on Saturday?"))
    assert party.dates("2026-12-05") and party.dates("2026-11-28") and not party.dates("2026-12-12")
    assert was.dates("2026-11-28") and not was.dates("2026-12-05")
