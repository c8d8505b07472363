"""What plain words mean: whom they name, by name or by role, whose matter it is, and what else tells it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chatmem.memory.forget.asking import wish_for
from chatmem.memory.store.store import Store
from chatmem.memory.values import ForgetPlan, User
from tests.memory.lives import fresh, remembered

TOLD = """My aunt is called Rosa.=User's aunt is Rosa.
Rosa grows olives in Crete.=Rosa grows olives in Crete.
My aunt also keeps bees.=User's aunt keeps bees.
Tom's aunt Vera is a dentist.=Tom's aunt Vera is a dentist.
My friend Tom lives in Bergen.=User's friend Tom lives in Bergen.
My friend sails.=User's friend sails.
I live in Graz.=User lives in Graz.
My dog Bruno snores.=User has a dog named Bruno.
I met Bruno's vet, Dr Holm.=Bruno's vet is Dr Holm.
I take lithium in the evening.=User takes lithium in the evening.
My boss is Spanish.=User's boss is Spanish.
I speak Spanish.=User speaks Spanish.
I'm pregnant.=User is pregnant.
My sister was pregnant last year.=User's sister was pregnant last year.
I can't believe I'm pregnant!=
Do you like people who are pregnant?=
Pregnant women get a seat here.=
I own two kayaks.=User owns two kayaks.
Vera's mum and dad are splitting up.=Vera's mum and dad are splitting up."""


@pytest.fixture(scope="module")
def told() -> Iterator[tuple[Store, User]]:
    with fresh() as store:
        yield store, remembered(store, TOLD)


def plan(told: tuple[Store, User], words: str) -> ForgetPlan:
    store, user = told
    return store.forget.wished(user.id, wish_for(words))


def facts(found: ForgetPlan) -> set[str]:
    return {one.fact for one in (*found.facts, *found.others)}


AUNT = {"User's aunt is Rosa.", "Rosa grows olives in Crete.", "User's aunt keeps bees."}
BRUNO = {"User has a dog named Bruno.", "Bruno's vet is Dr Holm."}


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("my aunt", AUNT), ("about my aunt", AUNT), ("Rosa", AUNT), ("my aunt Rosa", AUNT), ("who Rosa is", AUNT),
        ("everything about my aunt", AUNT), ("everything about Rosa", AUNT), ("who my aunt is", AUNT),
        ("what you know about my aunt", AUNT),
        ("Vera", {"Tom's aunt Vera is a dentist.", "Vera's mum and dad are splitting up."}),
        ("Vera's parents", {"Vera's mum and dad are splitting up."}), ("my parents", set()),
        ("Tom", {"Tom's aunt Vera is a dentist.", "User's friend Tom lives in Bergen."}),
        ("my dog", BRUNO), ("Bruno", BRUNO),
        ("my boss", {"User's boss is Spanish."}),
        ("where I live", {"User lives in Graz."}), ("that I live in Graz", {"User lives in Graz."}),
        ("where Tom lives", {"User's friend Tom lives in Bergen."}),
        ("the lithium thing", {"User takes lithium in the evening."}),
        ("the note about lithium", {"User takes lithium in the evening."}),
        ("that I'm pregnant", {"User is pregnant."}),
        ("that I own two kayaks", {"User owns two kayaks."}), ("my 2 kayaks", {"User owns two kayaks."}),
        ("how much I earn", set()), ("my uncle", set()), ("the submarine", set()),
    ],
)  # fmt: skip
def test_what_words_mean(told: tuple[Store, User], words: str, meant: set[str]) -> None:
    assert facts(plan(told, words)) == meant


def test_lines_without_a_fact_go_where_they_tell_it_and_others_stay(told: tuple[Store, User]) -> None:
    said = {turn.text for turn in plan(told, "that I'm pregnant").lines}
    assert {"I'm pregnant.", "I can't believe I'm pregnant!"} <= said
    assert not said & {"Pregnant women get a seat here.", "My sister was pregnant last year."}


def test_a_fact_of_one_word_takes_the_lines_with_it_in_which_the_person_says_it(told: tuple[Store, User]) -> None:
    store, user = told
    (fact,) = [one for one in store.facts.all(user.id) if one.fact == "User is pregnant."]
    said = {turn.text for turn in store.forget.plan(user.id, (fact.id,)).lines}
    assert {"I'm pregnant.", "I can't believe I'm pregnant!"} <= said
    assert not said & {"Pregnant women get a seat here.", "My sister was pregnant last year."}


def test_a_friend_who_is_not_named_may_be_another(told: tuple[Store, User]) -> None:
    assert "User's friend sails." not in facts(plan(told, "Tom"))


def test_the_lines_of_whom_it_names_go_with_the_facts(told: tuple[Store, User]) -> None:
    said = {turn.text for turn in plan(told, "my aunt").lines}
    assert said == {"My aunt is called Rosa.", "Rosa grows olives in Crete.", "My aunt also keeps bees."}
