"""Facts that tell several things: how they are cut, and which statement is meant."""

from __future__ import annotations

import pytest

from chatmem.memory.forget.parting import named_parts, parts, rest_of
from chatmem.memory.language.words import stem

CUT = {
    "Dorothy lives at 3 Mill Street, her telephone number is 01743 355201.": (
        "Dorothy lives at 3 Mill Street.", "Dorothy's telephone number is 01743 355201.",
    ),
    "User lives in Graz and works as a nurse.": ("User lives in Graz.", "User works as a nurse."),
    "Toby plays the trumpet; he is allergic to nuts.": ("Toby plays the trumpet.", "Toby is allergic to nuts."),
    "User's salary is 4210 euros and User's rent is 900 euros.": (
        "User's salary is 4210 euros.", "User's rent is 900 euros.",
    ),
}  # fmt: skip
WHOLE = [
    "Arthur has a dog, his name is Rex.", "Arthur sees Dr Hughes, she is at the clinic.",
    "User's aunt's plumber Anton is 81 and collects clocks.",
    "User's locker number is 4471, it is downstairs.", "Arthur's wife Margaret was a piano teacher.",
]  # fmt: skip


@pytest.mark.parametrize("fact", CUT)
def test_each_statement_stands_by_itself(fact: str) -> None:
    assert parts(fact) == CUT[fact]


@pytest.mark.parametrize("fact", WHOLE)
def test_where_another_may_be_meant_nothing_is_cut(fact: str) -> None:
    assert parts(fact) == (fact,)


@pytest.mark.parametrize(
    ("fact", "words", "rest"),
    [
        ("Dorothy lives at 3 Mill Street, her telephone number is 01743 355201.", "dorothy telephone number",
         "Dorothy lives at 3 Mill Street."),
        ("User lives in Graz and works as a nurse.", "live", "User works as a nurse."),
        ("User has two cats, Nori and Wasabi.", "cat wasabi", "User has one cat, Nori."),
        ("User's friends are Tom, Anna and Rolf.", "tom rolf", "User's friend is Anna."),
        ("User lives in Graz and works in Graz.", "graz", ""), ("User has two cats, Nori and Wasabi.", "cats", ""),
        ("Dorothy lives at 3 Mill Street, her telephone number is 01743 355201.", "dorothy", ""),
        ("User married Margaret in 1976 and lived with her in Bath.", "margaret", ""),
    ],
)  # fmt: skip
def test_what_is_not_meant_stays(fact: str, words: str, rest: str) -> None:
    meant = named_parts(fact, {stem(word) for word in words.split()})
    assert (rest_of(fact, meant) if meant else "") == rest
