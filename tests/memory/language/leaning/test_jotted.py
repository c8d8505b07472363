"""Jottings about somebody, and labels that are nobody."""

from __future__ import annotations

import pytest

from chatmem.memory.language.leaning.apposed import as_sentences
from chatmem.memory.language.leaning.jotted import jotted


def told(line: str) -> list[str]:
    return [fact for one in jotted(line) for fact in one.facts("Ana")]


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("Freya: 9, size 32 shoes now, nut allergy, hates peas",
         ["Freya is 9.", "Freya has a nut allergy.", "Freya hates peas.", "Freya: size 32 shoes now."]),
        ("Mum: hip op 12 March, no stairs", ["Ana's mum: hip op 12 March.", "Ana's mum: no stairs."]),
        ("Mum: hip op, 12 March, 9.30, no stairs", ["Ana's mum: hip op, 12 March, 9.30.", "Ana's mum: no stairs."]),
        ("my sister: vegan, lives in Leeds, two kids",
         ["Ana's sister is vegan.", "Ana's sister lives in Leeds.", "Ana's sister has two kids."]),
        ("Yusuf (flatmate): allergic to shellfish, retired",
         ["Ana's flatmate Yusuf is allergic to shellfish.", "Ana's flatmate Yusuf is retired."]),
        ("Otto: 6, loves trains. Rosa: 12 now", ["Otto is 6.", "Otto loves trains.", "Rosa is 12."]),
        ("Otto: bee sting allergy\nRosa: in Leeds, doesn't drive",
         ["Otto has a bee sting allergy.", "Rosa is in Leeds.", "Rosa doesn't drive."]),
        ("Emma: 9, bring cake", ["Emma: 9, bring cake."]),
        ("Dad: tests on Monday, can't drive", ["Ana's dad can't drive.", "Ana's dad: tests on Monday."]),
        ("Sam: diagnosed with asthma, broke his arm", ["Sam broke his arm.", "Sam: diagnosed with asthma."]),
    ],
)  # fmt: skip
def test_each_piece_tells_of_the_one_before_the_colon(line: str, facts: list[str]) -> None:
    assert sorted(told(line)) == sorted(facts)
    assert as_sentences(line) == line


@pytest.mark.parametrize(
    "line",
    [
        "shopping: milk, eggs", "Re: your mail, thanks", "Note: 9, nut allergy", "10:30: dentist, bring card",
        "PS: hates peas", "Packing: tent, two mugs", "Tuesday: swimming, 4pm", "London: sunny, 20 degrees",
        "Mia: I live in Rome", "Leo: see you at nine, bring your racket", "Leo: hates peas. We saw him today.",
        "Ana: 3, Leo: 2", "Leo: what does he eat?", "Kids: 9, 12",
    ],
)  # fmt: skip
def test_what_is_about_nobody_or_said_by_somebody_is_none(line: str) -> None:
    assert told(line) == []
