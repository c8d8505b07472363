"""What is known of an area of a life, though no fact has its name in it."""

from __future__ import annotations

from datetime import date

import pytest

from chatmem.memory.language.asked.about_memory import Wanted, wanted
from chatmem.memory.language.language import english
from chatmem.memory.values import OWN_NAME, Memory
from chatmem.models.chat.told.by_topic import of_area

WHEN = "2026-03-03T10:00:00Z"
TODAY = date(2026, 11, 27)


def row(number: int, topic: str, fact: str, day: str | None = None) -> Memory:
    return Memory(number, 1, "Ana", topic, fact, day, WHEN, WHEN)


ROWS = [
    row(1, "allergy", "Ana is allergic to penicillin."),
    row(2, "wedding", "Ana is getting married next June.", "2027-06"),
    row(3, "cousin", "Ana's cousin Pia has a van."),
    row(4, "friend", "Ana's friend Bo paints."),
    row(5, "name", f"{OWN_NAME}Ana."),
    row(6, "job", "Ana is a beekeeper."),
    row(7, "trip", "Ana was in Rome.", "2026-05"),
    row(8, "job", "Pia is a vet in Bergen."),
]


@pytest.mark.parametrize(
    ("about", "ids"),
    [
        ("my health", [1]),
        ("our family", [3, 8]),
        ("my friends", [4]),
        ("my work", [6]),
        ("my job", [6]),
        ("my plans", [2]),
        ("all of my trips", [7]),
        ("people", [3, 4]),
        ("my cats", []),
        ("Pia", []),
    ],
)
def test_an_area_is_asked_for_by_its_names_and_a_thing_by_its_own(about: str, ids: list[int]) -> None:
    assert [one.id for one in of_area(about, ROWS, TODAY, "Ana")] == ids


def test_what_will_be_this_month_is_a_plan_and_what_was_is_none() -> None:
    rows = [row(1, "party", "Ana has a party.", day) for day in ("2026-11-27", "2026-11-28", "2026-11", "2027")]
    assert [one.happened_on for one in of_area("my plans", rows, TODAY, "Ana")] == ["2026-11-28", "2027"]


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("What should a doctor know about me?", Wanted("about", "my health")),
        ("what does my new dentist need to know about me", Wanted("about", "my health")),
        ("What should a stranger know about me?", Wanted("everything")),
        ("What should a doctor know?", None),
        ("so what are my plans?", Wanted("about", "my plans")),
        ("What do I have coming up?", Wanted("about", "my plans")),
        ("Summarize what you know about me.", Wanted("everything")),
    ],
)
def test_what_is_of_use_to_somebody_is_of_their_area(line: str, asked: Wanted | None) -> None:
    assert wanted(line, english()) == asked


def test_a_name_of_two_words_is_ones_own_and_what_has_another_subject_is_not() -> None:
    mine = row(1, "allergy", "Ana Rita is allergic to penicillin.")
    theirs = Memory(2, 1, "Carol", "diabetes", "Carol has diabetes.", None, WHEN, WHEN)
    assert of_area("my health", [mine, theirs], TODAY, "Ana Rita") == [mine]


@pytest.mark.parametrize(
    "end", [" please", ", please?", " then", " again, please", ", thanks!", " then, thank you", " PLEASE"]
)
def test_polite_words_at_the_end_are_no_part_of_what_is_asked_about(end: str) -> None:
    assert wanted(f"Tell me everything you know about my family{end}", english()) == Wanted("about", "my family")
    assert wanted(f"What do you know about me{end}", english()) == Wanted("everything")


@pytest.mark.parametrize("about", ["The Now And Then", "cheers", "what Tom did for me"])
def test_what_is_asked_about_keeps_its_own_end(about: str) -> None:
    assert wanted(f"What do you know about {about}?", english()) == Wanted("about", about)
