"""What is told of somebody by the way becomes a sentence of its own; what is no such aside stays."""

from __future__ import annotations

import pytest

from chatmem.memory.language.leaning.apposed import apposed, as_sentences


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("they are Ximena, 16, and Rafael, 13.", "they are Ximena and Rafael. Ximena is 16. Rafael is 13."),
        ("We have two kids, Mia (9) and Tom (6).", "We have two kids, Mia and Tom. Mia is 9. Tom is 6."),
        ("I live with my cousin Bo, who drives a taxi.", "I live with my cousin Bo. My cousin Bo drives a taxi."),
        ("Mrs Quinn, our vice principal, thinks so.", "Mrs Quinn thinks so. Mrs Quinn is our vice principal."),
        ("My sister Eva, a vet, visits her.", "My sister Eva visits her. My sister Eva is a vet."),
        ("My sister Eva, who lives in Oslo, is a nurse.", "My sister Eva is a nurse. My sister Eva lives in Oslo."),
        (
            "My mates are Cillian, who was a jockey, and Bo, who was a cook.",
            "My mates are Cillian and Bo. Cillian was a jockey. Bo was a cook.",
        ),
        ("Our dog Rex, 11, is deaf.", "Our dog Rex is deaf. Our dog Rex is 11."),
        ("I raised our son Timur, 24, soldier now.", "I raised our son Timur, soldier now. Our son Timur is 24."),
        ("Ben, 3, has asthma", "Ben has asthma. Ben is 3."),
        ("It rained. We have Dasha, 9. She sings.", "It rained. We have Dasha. Dasha is 9. She sings."),
        (
            "my neighbour Mr. Oduya, who is deaf, plays the drums.",
            "my neighbour Mr. Oduya plays the drums. My neighbour Mr. Oduya is deaf.",
        ),
    ],
)  # fmt: skip
def test_an_aside_becomes_a_sentence(line: str, told: str) -> None:
    assert apposed(line) == told


@pytest.mark.parametrize(
    "line",
    [
        "I'm Tendai, 24, innocent",
        "hey, Mateus, 19, Recife",
        "It's in Leeds, 20 minutes from here",
        "On Friday, 16, we met",
        "Ana, who knows.",
        "Guess who, Ana",
        "Do you know Tom, who lives next door?",
        "we have Orla, 2 and a half",
        "The road to Bonn, 12, is closed",
        "(I wouldn't say that before Solveig, who minds)",
        " ".join(["word"] * 40) + " my son Leo, 4, sings.",
    ],
)
def test_what_is_no_aside_stays(line: str) -> None:
    assert apposed(line) == line


def test_a_point_in_a_number_ends_no_sentence_and_lines_stay_lines() -> None:
    assert apposed("My son Leo, 4, is up at 7.30 daily.") == "My son Leo is up at 7.30 daily. My son Leo is 4."
    assert apposed("We have Mia, 9\nTom sings at 8.15.") == "We have Mia. Mia is 9.\nTom sings at 8.15."


def test_both_together() -> None:
    assert as_sentences("My wife Lea, 29, is a vet. Has a dog called Rex, who is deaf.") == (
        "My wife Lea is a vet. My wife Lea is 29. My wife Lea has a dog called Rex. Rex is deaf."
    )


def test_a_page_stays_as_it_is() -> None:
    page = "My brother Paul, 30, is a roofer. " * 70
    assert as_sentences(page) == page


@pytest.mark.parametrize(
    "line",
    [
        "Sorry, my mistake, was thinking of Tom",
        "Tom, my brother, lives in Bonn.",
        "I bought bread, a cake, and milk",
        "Anna, my cat, and I sat there",
    ],
)
def test_kin_and_lists_stay_where_they_stand(line: str) -> None:
    assert as_sentences(line) == line


def test_who_comes_next_may_be_little() -> None:
    assert apposed("Ida's children are Mia, who is eight, and little Tom, who is five.") == (
        "Ida's children are Mia and little Tom. Mia is eight. Tom is five."
    )
