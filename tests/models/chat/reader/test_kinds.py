"""What is just of the kind that is asked for, and what only looks so."""

from __future__ import annotations

import pytest

from chatmem.memory.language.words import terms
from chatmem.memory.store.store import Store
from chatmem.models.chat.reader.kinds import Matter, has_to_do, holds, matter_of
from chatmem.models.chat.reader.whose import thing_of


@pytest.mark.parametrize(
    ("question", "thing", "sentence"),
    [
        ("What is my address?", "address", "I live at 14 Canon Street, and never moved."),
        ("What is my sister's phone number?", "phone number", "My sister's telephone number is 01584 872310."),
        ("When exactly is my appointment, and where?", "appointment",
         "I have an appointment at the surgery on Tuesday 8 December at 10.15."),
    ],
)  # fmt: skip
def test_what_holds_it(question: str, thing: str, sentence: str) -> None:
    assert holds(question, frozenset(terms(thing)), sentence)


@pytest.mark.parametrize(
    ("question", "thing", "sentence"),
    [
        ("What is my address?", "address", "I live in Graz."),
        ("What is my email address?", "email address", "I live at 14 Canon Street."),
        ("What is the address of my bank?", "address bank", "I live at 14 Canon Street."),
        ("What is my sister's phone number?", "phone number", "My sister is 68."),
        ("What is my phone number?", "phone number", "My phone cost 400 euros."),
        ("When is my dentist appointment?", "dentist appointment", "My appointment at the surgery is on 8 December."),
        ("When is my appointment?", "appointment", "I may have an appointment on 8 December."),
        ("Where is my car?", "car", "My car is a Fiat from Turin."),
        ("What is my appointment for?", "appointment", "My appointment is on 8 December."),
    ],
)
def test_what_holds_something_else(question: str, thing: str, sentence: str) -> None:
    assert not holds(question, frozenset(terms(thing)), sentence)


def test_of_whom_a_sentence_surely_tells(store: Store) -> None:
    user = store.users.call(store.users.get("me").id, "Ana Ruiz")
    store.facts.remember(user.id, "Ana Ruiz", "sister", "Ana Ruiz's sister Ida paints.")

    def thing(question: str, sentence: str) -> frozenset[str] | None:
        return thing_of(store, user, question, sentence)

    assert thing("What is my address?", "Ana Ruiz lives in Graz.") == {*terms("address")}
    assert thing("What is my address?", "Ana Ruiz's sister lives in Graz.") is None
    assert thing("What is my sister's address?", "My sister lives in Graz.") == {*terms("address")}
    assert thing("What is my sister's address?", "I live in Graz.") is None
    assert thing("What is Ida's address?", "My sister lives in Graz.") == {*terms("address")}
    assert thing("What is Ida's address?", "Bo lives in Graz.") is None


@pytest.mark.parametrize(
    ("question", "matter"),
    [
        ("When is Ida's birthday?", Matter("Ida", "birthday")),
        ("when's ida's birthday", Matter("ida", "birthday")),
        ("When was Bo born?", Matter("Bo", "birthday")),
        ("How old is Bo?", Matter("Bo", "age")),
        ("Do you know how old my sister is?", None),
        ("how old is my sister", Matter("", "age")),
        ("Ida's phone number?", Matter("Ida", "phone")),
        ("How old is Mum?", Matter("", "age")),
        ("What is Grandpa's address?", Matter("", "address")),
        ("What is Ida's last name?", Matter("Ida", "surname")),
        ("What is the bank's address?", None),
        ("What is Ida's blood group?", None),
    ],
)
def test_whose_matter_is_asked_for(question: str, matter: Matter | None) -> None:
    assert matter_of(question, {"ida"}) == matter


@pytest.mark.parametrize(
    ("sentence", "does"),
    [
        ("Ida's birthday is on 9 May.", True),
        ("She was born in 1990.", True),
        ("Ida turns 40 on Friday.", True),
        ("Ida is on the 9th of May.", True),
        ("Ida will go to Ghent in April.", False),
        ("Ida's husband's birthday is on 9 May.", False),
        ("Bo's birthday is the day before Ida comes.", False),
        ("Bo's birthday is on 9 May, and Ida comes.", False),
        ("Ida came to Bo's birthday.", False),
        ("My mother's birthday is on 3 May and Ida's birthday is 9 May.", True),
        ("Ida and Bo's birthday is on 9 May.", True),
        ("Bo and Ida's birthday is on 9 May.", True),
        ("Ida's birthday is on 9 May, Bo's is on the 3rd.", True),
        ("Ida Holm's birthday is in May.", True),
        ("Ida will be 40 on 9 May.", True),
        ("Ida: May 9", True),
    ],
)
def test_what_has_to_do_with_a_birthday(sentence: str, does: bool) -> None:
    assert has_to_do(Matter("Ida", "birthday"), sentence) is does


@pytest.mark.parametrize(
    ("kind", "sentence", "does"),
    [
        ("address", "Ida lives at Bo's address.", True),
        ("address", "Ida is at 14 Canon St.", True),
        ("address", "Bo's address is 14 Canon Street, Ida knows.", False),
        ("age", "Ida is 12yo", True),
        ("surname", "Ida is now Mrs Holm.", True),
    ],
)
def test_what_has_to_do_with_another_matter(kind: str, sentence: str, does: bool) -> None:
    assert has_to_do(Matter("Ida", kind), sentence) is does
