"""English of those who learn it, in the forms that a small model knows; plain English stays."""

from __future__ import annotations

import pytest

from chatmem.memory.language.told.plainer import plainer
from chatmem.memory.language.typed.learner import as_learned


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("My mother she have diabetes, she live alone", "My mother has diabetes, she lives alone"),
        ("my wife work in a school and she like it", "my wife works in a school and she likes it"),
        ("I have 50 years, I drive a lorry", "I am 50 years old, I drive a lorry"),
        ("My son he has 6 years and plays football", "My son is 6 years old and plays football"),
        ("Andreea not nurse more, now she learn", "Andreea not nurse any more, now she learns"),
        ("The trip in august is not more. We go in october", "The trip in august is no more. We go in october"),
        ("Dispatcher Dave, he not so good", "Dispatcher Dave, he is not so good"),
        ("Fish I not like, never.", "I don't like fish, never."),
        ("Also I not live in Rosewood!", "Also I don't live in Rosewood!"),
        ("from 2018 we not speak", "from 2018 we don't speak"),
    ],
)
def test_what_is_surely_meant_is_told_in_plain_english(line: str, told: str) -> None:
    assert as_learned(line) == told
    assert plainer(line) == plainer(told)


@pytest.mark.parametrize(
    "line",
    [
        "why not go there", "do I not like fish", "I not only like tea but coffee", "I hope he's not late",
        "I have 5 years left on the lease", "not much more, not a lot more", "My wife works here, she not",
        "it's not more than 5", "I can not swim", "It was I who did it, not her", "They have 3 months to pay",
        "made my mother cry", "did she work there", "my parents work here", "my sister and my brother work here",
        "she put it there", "my kids love it", "my dad read to us", "Music I don't know",
        "I have 3 months, then the visa ends", "my dad has 6 months", "Porto not lisbon", "Maybe not today",
        "I have 2 years",
    ],
)  # fmt: skip
def test_plain_english_stays(line: str) -> None:
    assert as_learned(line) == line
