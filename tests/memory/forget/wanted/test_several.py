"""Each of several that a wish names is looked for by itself; what nothing holds is said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chatmem.app.shown.forgetting import question
from chatmem.memory.forget.asking import wish_for
from chatmem.memory.store.store import Store
from chatmem.memory.values import User
from tests.memory.lives import fresh, remembered

TOLD = """My stay at the clinic cost me my job=User's stay at the clinic cost User a job.
Birkenhof is expensive, 4,200 euros=Birkenhof is expensive, 4,200 euros.
I drink green tea every day=User drinks green tea every day.
I love fish and chips=User loves fish and chips.
My goldfish is a fish called Bob=User has a fish called Bob.
My mum has a garden=User's mum has a garden.
My dad sails=User's dad sails.
Tom and Anna are moving=Tom and Anna are moving.
Tom is a baker=Tom is a baker."""
CLINIC, BIRKENHOF, TEA, CHIPS, _, MUM, DAD, BOTH, TOM = (row.partition("=")[2] for row in TOLD.splitlines())


@pytest.fixture(scope="module")
def told() -> Iterator[tuple[Store, User]]:
    with fresh() as store:
        yield store, remembered(store, TOLD)


@pytest.mark.parametrize(
    ("words", "goes", "unheld"),
    [
        ("everything about the clinic and Birkenhof", {CLINIC, BIRKENHOF}, ""),
        ("everything about Birkenhof, the clinic and about green tea", {CLINIC, BIRKENHOF, TEA}, ""),
        ("everything about tea and Mia", {TEA}, "Mia"),
        ("all about Mia, Birkenhof and Ingo", {BIRKENHOF}, "Mia and Ingo"),
        ("everything about fish and chips", {CHIPS}, ""),
        ("everything about my mum and dad", {MUM, DAD}, ""),
        ("everything about Tom and Anna", {BOTH, TOM}, ""),
        ("Tom and Birkenhof", {BOTH, TOM, BIRKENHOF}, ""),
        ("everything about Mia and Ingo", set[str](), ""),
    ],
)
def test_each_of_several_is_looked_for_by_itself(
    told: tuple[Store, User], words: str, goes: set[str], unheld: str
) -> None:
    store, user = told
    plan = store.forget.wished(user.id, wish_for(words))
    assert {one.fact for one in plan.facts} == goes
    assert plan.unheld == unheld and (plan.sure or unheld)
    assert question(plan).startswith(f"Nothing that is remembered or was said holds “{unheld}”.") == bool(unheld)


FIGHT = "Tom and Anna had a fight at Easter."
TRIP = "User took a trip to Rome with Mia and Ben."


@pytest.mark.parametrize(
    ("words", "goes"),
    [
        ("everything about the fight between Tom and Anna", {FIGHT}),
        ("everything about Tom and Anna's fight", {FIGHT}),
        ("everything about the trip with Mia and Ben", {TRIP}),
        ("everything about Ben and so on", {TRIP, "Ben is allergic to nuts."}),
        ("everything about Ben and me", {TRIP, "Ben is allergic to nuts."}),
    ],
)
def test_what_goes_on_about_one_matter_is_one(words: str, goes: set[str]) -> None:
    with fresh() as store:
        user = store.users.get("ana")
        for fact in (FIGHT, TRIP, "Tom is User's boss.", "Anna works in Bonn.", "Ben is allergic to nuts."):
            store.facts.remember(user.id, fact.split()[0], "talk", fact)
        plan = store.forget.wished(user.id, wish_for(words))
        assert {one.fact for one in plan.facts} == goes and not plan.unheld
