"""What a number or a letter tells apart, and what was counted."""

from __future__ import annotations

import pytest

from chatmem.memory.language.told.numbered import (
    counted_otherwise,
    counts_another,
    labels,
    of_another_number,
    one_of_counted,
)


@pytest.mark.parametrize(
    ("known", "line"),
    [
        ("Ana's hive three queen died.", "we gave hive two away to my cousin Pia"),
        ("Ana is writing chapter 3 of the thesis.", "chapter 4 is finished"),
        ("Ana lives in flat 3.", "we sold flat 5"),
        ("Ana's tooth number 14 hurts.", "they pulled tooth 22"),
    ],
)
def test_two_things_of_one_kind_are_apart(known: str, line: str) -> None:
    assert of_another_number(known, line)
    assert not of_another_number(known, known), "the same one"


@pytest.mark.parametrize(
    ("known", "line"),
    [
        ("Ana's course is in room 12.", "the course moved to room 14"),
        ("Leo is in grade 4.", "Leo started grade 5 today"),
        ("Bo wears size 38.", "Bo needs size 40 now"),
        ("Ana's train leaves from platform 4.", "no, platform 6"),
        ("Ana pays 850 euros of rent.", "rent went up, I pay 900"),
        ("Theo turned 7.", "Theo turned 8 on Saturday"),
        ("Ana has hens.", "we gave hive two away"),
    ],
)
def test_who_goes_from_one_to_the_other_or_puts_it_right_tells_of_the_same(known: str, line: str) -> None:
    assert not of_another_number(known, line)


def test_verbs_and_small_words_tell_nothing_apart() -> None:
    assert labels("Bo costs 12, turned 7, pays 850 and is at 6") == {}
    assert labels("flat B and hive Two, not I") == {"flat": {"b"}, "hive": {"2"}}


@pytest.mark.parametrize(
    ("known", "line", "one"),
    [
        ("Ana has four hives this year.", "we gave hive two away", True),
        ("Ana has three old cats.", "one of my cats died", True),
        ("Ana has two boys.", "another of the boys is ill", True),
        ("Ana has three cats.", "the cats are gone", False),
        ("Ana works two days at the bakery.", "I quit the bakery", False),
        ("Ana has a cat.", "one of my cats died", False),
    ],
)
def test_of_what_was_counted_one_is_told_of(known: str, line: str, one: bool) -> None:
    assert one_of_counted(known, line) is one


@pytest.mark.parametrize(
    ("fact", "line", "another"),
    [
        ("Ana has five dogs.", "five to go. then I'll walk the dogs", True),
        ("Ana has eight more kids.", "eight more sleeps until the kids are back", True),
        ("Ana has 12 grandchildren.", "12 down, then I can bake with the grandchildren", True),
        ("Ana has three dogs now.", "we've got three dogs now, a beagle came", False),
        ("Ana has four kids.", "my kids, all four of them, are ill", False),
        ("Ana has eleven ewes.", "we keep eleven very old, grumpy ewes", False),
        ("Ana has five cousins, Jo came on Monday.", "the cousins are five now, Jo came on Monday", False),
        ("Ana is 41 years old.", "I'm 41 and the house is a hundred years old", False),
        ("Ana's account is 12k a month.", "12k leaving my account every month", False),
        ("Ana has two sons.", "three of us, and my sons are twins", False),
    ],
)
def test_a_number_is_not_that_of_another_thing(fact: str, line: str, another: bool) -> None:
    assert counts_another(fact, line) is another


@pytest.mark.parametrize(
    ("known", "line", "otherwise"),
    [
        ("Ana has four hens.", "two down, one to go. then I get eggs from my hens", True),
        ("Ana has four hens.", "the fox took one, only three hens left", False),
        ("Ana has four hens.", "my hens are down to three", False),
        ("Ana has four hens.", "the hens are gone", False),
        ("Ana has hens.", "two down. then I see to the hens", False),
    ],
)
def test_what_a_line_counts_may_be_something_else_than_what_a_fact_counts(
    known: str, line: str, otherwise: bool
) -> None:
    assert counted_otherwise(known, line) is otherwise
