"""Of whom beside the asker a question asks, and which sentence isn't of them."""

from __future__ import annotations

import pytest

from chatmem.models.chat.reader.asked_of import AskedOf, asked_of, may_ask, of_another, of_name, told_of_another

KNOWN = (("wife", "Edda"), ("older sister", "Ida"))
PEOPLE = {"edda", "ida"}


@pytest.mark.parametrize(
    ("question", "names", "kin"),
    [
        ("What medicine did my wife take?", {"edda"}, {"wife"}),
        ("Was Ida a piano teacher?", {"ida"}, {"sister"}),
        ("What is Ida's blood pressure?", {"ida"}, {"sister"}),
        ("What's Ida's job?", {"ida"}, {"sister"}),
        ("Is my sister Ida allergic to nuts?", {"ida"}, {"sister"}),
        ("Where does my uncle live?", set(), {"uncle"}),
    ],
)
def test_whom_it_asks_of_is_known_by_name_and_by_what_they_are(question: str, names: set[str], kin: set[str]) -> None:
    assert may_ask(question)
    assert asked_of(question, KNOWN) == AskedOf(frozenset(names), frozenset(kin))


@pytest.mark.parametrize(
    "question",
    ["What did Ida give me?", "What is my wife's sister called?", "Is Oslo nice?", "When did I meet Ida?",
     "Does Ida's husband work?"],
)  # fmt: skip
def test_one_that_asks_of_several_or_of_no_one_known_is_left(question: str) -> None:
    assert asked_of(question, KNOWN) is None


@pytest.mark.parametrize(
    ("question", "sentence", "another"),
    [
        ("What medicine did my wife take?", "Ana Ruiz takes ramipril for Ana Ruiz's heart.", True),
        ("What medicine did my wife take?", "Ida takes metformin.", True),
        ("What medicine did my wife take?", "Edda took statins.", False),
        ("What medicine did my wife take?", "She took statins, not me.", False),
        ("Was Ida a teacher?", "Edda was a teacher.", True),
        ("Was Ida a teacher?", "My sister taught for years.", False),
        ("Where does my wife live?", "Ana Ruiz's sister Ida had her hip replaced in May.", True),
        ("Where does my uncle live?", "Bo lives in Graz.", False),  # he may be the uncle
        ("Where does my uncle live?", "I live in Graz.", True),
        ("What is my uncle called?", "Bo lives with his uncle Tim.", True),
        ("What is my uncle called?", "My wife's uncle is called Tim.", True),
        ("What is my uncle called?", "Ana Ruiz's uncle sings.", False),
        ("Was Ida a teacher?", "The wedding was on a Monday.", False),
    ],
)
def test_what_speaks_of_the_asker_or_begins_with_somebody_else_is_another_s(
    question: str, sentence: str, another: bool
) -> None:
    asked = asked_of(question, KNOWN)
    assert asked is not None
    assert of_another(asked, sentence, "Ana Ruiz", PEOPLE) is another


def test_what_only_another_s_sentence_tells_is_not_told_of_the_one_asked_of() -> None:
    pressure, diabetes = "Ana takes pills for her blood pressure.", "Ida has diabetes."
    assert told_of_another("What is Ida's blood pressure?", diabetes, [pressure])
    assert not told_of_another("What is Ida's job?", "Ida is a nurse.", ["Ana's job is dull."])
    assert told_of_another("Was Ida a vet?", "Ida was a nurse.", ["Bo was a vet."])
    assert not told_of_another("Was Ida a vet?", "Ida was a vet, then a nurse.", ["Bo was a vet."])


@pytest.mark.parametrize(
    ("name", "sentence", "another"),
    [
        ("Bo", "My son is 4.", False),
        ("Dr Holm", "My dentist's number is 01584 872310.", False),
        ("Rex", "My dog is 7.", False),
        ("Rex", "Ana Ruiz's dog is 7.", False),
        ("Zuzana", "My brother Pavel's birthday is on 9 May.", True),
        ("Bo", "My birthday is on 9 May.", True),
        ("Bo", "I turn 40 in May.", True),
        ("Ida", "My wife is 50.", True),
    ],
)
def test_a_matter_of_one_of_whom_it_is_not_known_what_they_are(name: str, sentence: str, another: bool) -> None:
    assert of_another(of_name(name, KNOWN), sentence, "Ana Ruiz", PEOPLE, matter=True) is another
