"""First-person facts become third-person ones with the speaker's name, and lose nothing on the way."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.memory.language.third_person import retold, split_facts, third_form, to_third_person

PAIRS = [
    ("I have a dog.", "Ana has a dog."),
    ("I am not good at math.", "Ana is not good at math."),
    ("I'm retired. I've been to Rome.", "Ana is retired. Ana has been to Rome."),
    ("My wife and I like to ski.", "Ana's wife and Ana like to ski."),
    ("I and my sister run a shop.", "Ana and Ana's sister run a shop."),
    ("i dont eat meat", "Ana doesn't eat meat"),
    ("I like to read and listen to music.", "Ana likes to read and listen to music."),
    ("I live in Rome and work at a bank.", "Ana lives in Rome and works at a bank."),
    ("I am a student and don't make much money.", "Ana is a student and doesn't make much money."),
    ("I got caught in a riptide and am now careful.", "Ana got caught in a riptide and is now careful."),
    ("I have two cats and I love them.", "Ana has two cats and Ana loves them."),
    ("My mom helps me cook pizza.", "Ana's mom helps Ana cook pizza."),
    ("We also have two boys.", "Ana also has two boys."),
    ("I used to live in Lima.", "Ana used to live in Lima."),
    ("I will marry Speaker 2 in June.", "Ana will marry Ben in June."),
    ("I am my own boss.", "Ana is their own boss."),
    ("I really enjoy tea. He owns a shop.", "Ana really enjoys tea. He owns a shop."),
    ("Will name the baby Drew.", "Ana will name the baby Drew."),
    ("Not a sports fan, but loves the country.", "Ana is not a sports fan, but loves the country."),
    ("Loves tea.", "Ana loves tea."),
    ("Just moved to Ghent with my girlfriend Mila.", "Ana just moved to Ghent with Ana's girlfriend Mila."),
    ("Recently got a new job at the docks.", "Ana recently got a new job at the docks."),
    ("Based in Ghent since May.", "Ana is based in Ghent since May."),
    ("Called my mother about the roof.", "Ana called Ana's mother about the roof."),
    ("Been learning Finnish for two years.", "Ana has been learning Finnish for two years."),
    ("Built in 1920 by a monk.", "Built in 1920 by a monk."),
    ("Painted walls look nice.", "Painted walls look nice."),
    ("Was a good day.", "Was a good day."),
    ("I study World War I.", "Ana studies World War I."),
    ("I\u2019d love a 1.5 litre kettle.", "Ana would love a 1.5 litre kettle."),
    ("I saw her when I was 6.", "Ana saw her when Ana was 6."),
    ("It rains a lot where I live.", "It rains a lot where Ana lives."),
]


@pytest.mark.parametrize(("fact", "wanted"), PAIRS)
def test_told_in_the_third_person(fact: str, wanted: str) -> None:
    assert to_third_person(fact, "Ana", "Ben") == wanted


@settings(deadline=None)
@given(st.lists(st.sampled_from([first for first, _ in PAIRS]), min_size=1, max_size=5))
def test_no_first_person_is_left_and_no_number_is_lost(facts: list[str]) -> None:
    text = " ".join(fact if fact.endswith(".") else fact + "." for fact in facts)
    told = to_third_person(text, "Zoe", "Ben")
    assert not re.search(r"\b(my|me|mine|we|our|am|I'm|i)\b", told)
    assert re.findall(r"\d+", told) == re.findall(r"\d+", text.replace("Speaker 2", ""))


def test_third_forms() -> None:
    verbs = {"go": "goes", "try": "tries", "play": "plays", "watch": "watches", "have": "has", "can": "can"}
    verbs |= {"went": "went", "painted": "painted", "need": "needs", "don't": "doesn't"}
    assert {verb: third_form(verb) for verb in verbs} == verbs
    assert [third_form(verb) for verb in ("works", "lives", "carries", "focus")] == [
        "works",
        "lives",
        "carries",
        "focuses",
    ]


def test_facts_are_split_at_sentences_but_not_in_numbers() -> None:
    assert split_facts("I own 1.5 acres. I sing! my cat is 3") == ["I own 1.5 acres.", "I sing!", "my cat is 3."]


@pytest.mark.parametrize(
    ("clause", "told"),
    [
        ("Well, I'm 72 with eight grandchildren", "Ana is 72 with eight grandchildren."),
        ("and my cat adores Bach!", "Ana's cat adores Bach!"),
        ("I think your town is like Oslo.", None),
        ("She's 5!", None),
        ("we all get older", None),
        ("We both love hiking.", None),
        ("one bit me when i was five", None),
        ("I went to Rome" + " and to Rome" * 20, None),
    ],
)
def test_a_clause_is_told_as_it_was_said_where_it_can_stand_alone(clause: str, told: str | None) -> None:
    assert retold(clause, "Ana") == told


@pytest.mark.parametrize(
    ("clause", "told"),
    [
        ("So no more fishing, I gave it up", "No more fishing, Ana gave it up."),
        ("no sugar for me", "No sugar for Ana."),
        ("no actually I live in Bonn", "Ana lives in Bonn."),
        ("no I live in Bonn", "Ana lives in Bonn."),
        ("no, I live in Bonn", "Ana lives in Bonn."),
    ],
)
def test_a_no_before_a_thing_denies_it(clause: str, told: str) -> None:
    assert retold(clause, "Ana") == told
