"""Sentences without a subject get the one that is meant, where that is plain; orders and fragments stay."""

from __future__ import annotations

import pytest

from chatmem.memory.language.leaning.dropped import with_subjects


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "Wife's Carmel. Does the books for the chandler.",
            "My wife is Carmel. My wife Carmel does the books for the chandler.",
        ),
        ("Three children. Aoife, nurse in Perth.", "I have three children. Aoife is a nurse in Perth."),
        ("Drive a lorry for Gallagher's.", "I drive a lorry for Gallagher's."),
        ("Brother Hughie never comes.", "My brother Hughie never comes."),
        ("Sold the van. Got a bike.", "I sold the van. I got a bike."),
        ("My brother Paul is ill. Fell off a ladder.", "My brother Paul is ill. My brother Paul fell off a ladder."),
        ("Started at Lidl on Monday.", "I started at Lidl on Monday."),
        ("I met Tom. Works at the bank.", "I met Tom. Tom works at the bank."),
        ("Dog is called Bran. Sleeps in the cab.", "My dog is called Bran. My dog Bran sleeps in the cab."),
        ("Mam is 84. In a home since June.", "My mam is 84. My mam is in a home since June."),
        ("Two kids, Mia and Tom.", "I have two kids, Mia and Tom."),
        ("i've got a job! at a bike shop, i start monday", "i've got a job at a bike shop, i start monday"),
        ("I sold the car. In the evening I read.", "I sold the car. In the evening I read."),
        ("Wife's birthday is on Friday.", "My wife's birthday is on Friday."),
        ("Son Inoke, four, says he's a shark.", "My son Inoke, four, says he's a shark."),
        ("...Aarne asked me. Loved it.", "...Aarne asked me. I loved it."),
    ],
)  # fmt: skip
def test_a_subject_is_put_in(line: str, told: str) -> None:
    assert with_subjects(line) == told


@pytest.mark.parametrize(
    "line",
    [
        "Keep it short.",
        "Write me a poem.",
        "Work out for me how long it takes.",
        "Walking the dog is fun.",
        "Nothing torn, but no racing.",
        "Father Anselm lets me the ground.",
        "Landlord is here?",
        "Built in 1920.",
        "Used to smoke.",
        "started at lidl monday",
        "The wife of a friend. Sells shoes?",
        "",
    ],
)
def test_what_needs_none_or_tells_none_stays(line: str) -> None:
    assert with_subjects(line) == line


def test_whose_it_is_stays_whose_it_is() -> None:
    assert with_subjects("Landlord's nephew wants the cellar.") == "My landlord's nephew wants the cellar."
    assert with_subjects("We moved to Cork. Bought a boat.") == "We moved to Cork. I bought a boat."
