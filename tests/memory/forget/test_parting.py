"""Facts that tell several things: how they are cut, and which statement is meant."""

from __future__ import annotations

import pytest

from chatmem.memory.forget.parting import STAYS, named_parts, part_of, parts, rest_of
from chatmem.memory.language.words import stem
from tests.memory.lives import fresh

CUT = {
    "Dorothy lives at 3 Mill Street, her telephone number is 01743 355201.": (
        "Dorothy lives at 3 Mill Street.", "Dorothy's telephone number is 01743 355201.",
    ),
    "User lives in Graz and works as a nurse.": ("User lives in Graz.", "User works as a nurse."),
    "Toby plays the trumpet; he is allergic to nuts.": ("Toby plays the trumpet.", "Toby is allergic to nuts."),
    "User's salary is 4210 euros and User's rent is 900 euros.": (
        "User's salary is 4210 euros.", "User's rent is 900 euros.",
    ),
    "User's aunt's plumber Anton is 81 and collects clocks.": (
        "User's aunt's plumber Anton is 81.", "User's aunt's plumber Anton collects clocks.",
    ),
}  # fmt: skip
WHOLE = [
    "Arthur has a dog, his name is Rex.", "Arthur sees Dr Hughes, she is at the clinic.",
    "User's aunt's plumber is 81 and collects clocks.",
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


TWICE, TEA = "Ana lives in Graz and works in Graz.", "Ana likes tea and has a dog called Rex."
GRAZ, PHONE = "Ana lives in Graz and works as a nurse.", "Dorothy lives at 3 Mill Street, her number is 01743 355201."


@pytest.mark.parametrize(
    ("was", "place", "now", "left"),
    [
        (GRAZ, 1, "Ana lives in Linz and works as a nurse.", "Ana lives in Linz."),
        (GRAZ, 0, "Ana lives in Graz and works as a cook.", "Ana works as a cook."),
        (GRAZ, 0, "Ana lives in Linz and works as a nurse.", "Ana lives in Linz and works as a nurse."),
        (GRAZ, 1, "Ana lives in Linz.", "Ana lives in Linz."), (GRAZ, 1, "Ana works as a nurse.", ""),
        (GRAZ, 1, "Ana works as a nurse in Linz.", ""),
        (GRAZ, 1, "Ana works as a nurse and lives in Linz.", "Ana lives in Linz."),
        ("User has two cats, Nori and Wasabi.", 1, "User has three cats, Nori, Wasabi and Miso.",
         "User has two cats, Nori and Miso."),
        (PHONE, 1, "Dorothy lives at 5 Mill Street, her phone is 01743 355201.", "Dorothy lives at 5 Mill Street."),
        (PHONE, 1, "Dorothy lives at 5 Mill Street, her phone is 01743 355202.",
         "Dorothy lives at 5 Mill Street, her phone is 01743 355202."),
        (TWICE, 0, "Ana lives in Linz and works in Graz.", "Ana lives in Linz and works in Graz."),
        (TWICE, 1, "Ana lives in Linz and works in Graz.", "Ana lives in Linz."),
        (TEA, 0, "Ana likes coffee and has a dog called Rex who likes tea.",
         "Ana likes coffee and has a dog called Rex who likes tea."),
        (TEA, 1, "Ana likes coffee and has a dog called Rex.", "Ana likes coffee."),
        ("Ana lives in Graz, her PIN is 471.", 1, "Ana lives in Linz, her card code is 471.", "Ana lives in Linz."),
        ("Ana lives in Graz, her number is 0171 5551234.", 1, "Ana lives in Linz, her phone is 01715551234.",
         "Ana lives in Linz."),
        ("Ana pays 200 for rent and owns 200 books.", 0, "Ana pays 250 for rent and owns 200 books.",
         "Ana pays 250 for rent and owns 200 books."),
        ("Ana moved in 2019 and works as a nurse.", 0, "Ana married in 2019 and works as a nurse.",
         "Ana married in 2019 and works as a nurse."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("steps", [1, 2])
def test_what_stays_of_a_fact_that_was_changed_since_is_of_what_holds_now(
    was: str, place: int, now: str, left: str, steps: int
) -> None:
    with fresh() as store:
        user = store.users.get("ana")
        key = store.facts.remember(user.id, "User", "talk", was).memory_id or 0
        for step in (f"{was[:-1]}, they say.", now)[-steps:]:
            newest = store.facts.edit(max(one.id for one in store.facts.all(user.id)), fact=step).memory_id
        plan = store.forget.plan(user.id, [key], parts=[(key, place)])
        assert plan.rests == (((newest, left),) if left else ())
        report = store.forget.carry_out(plan)
        assert [one.fact for one in store.facts.all(user.id)] == ([left] if left else []) and not report.found_in
        with store.db.read() as db:
            assert db.exec_driver_sql("SELECT count(*) FROM memories").scalar() == len(plan.rests)


def test_what_is_over_stays_over_and_what_is_named_whole_goes() -> None:
    with fresh() as store:
        user = store.users.get("ana")
        key = store.facts.remember(user.id, "User", "talk", GRAZ).memory_id or 0
        store.facts.retire(key)
        store.forget.carry_out(store.forget.plan(user.id, [key], parts=[(key, 1)]))
        assert store.facts.all(user.id) == []
        key = store.facts.remember(user.id, "User", "talk", GRAZ).memory_id or 0
        newer = store.facts.edit(key, fact="Ana lives in Linz and works as a nurse.").memory_id or 0
        assert not store.forget.plan(user.id, [key, newer], parts=[(key, 1)]).rests
        store.facts.retire(newer)
        plan = store.forget.plan(user.id, [key], parts=[(key, 1)])
        assert plan.rests == ((newer, "Ana lives in Linz."),) and len(plan.facts) == 2
        store.forget.carry_out(plan)
        assert store.facts.all(user.id) == []


def test_a_fact_that_stays_as_it_is_keeps_its_date() -> None:
    with fresh() as store:
        user = store.users.get("ana")
        key = store.facts.remember(user.id, "User", "talk", GRAZ).memory_id or 0
        told = "Ana works as a nurse and has a locker."
        newer = store.facts.edit(key, fact=told, happened_on="2026-03-01").memory_id or 0
        store.forget.carry_out(store.forget.plan(user.id, [key, newer], parts=[(newer, STAYS)]))
        assert [(one.fact, one.happened_on) for one in store.facts.all(user.id)] == [(told, "2026-03-01")]


def test_of_a_quotation_one_sentence_may_go() -> None:
    fact = 'Ana said: "My licence needs 30 hours. I sell the drum kit. Tom lends me a lorry."'
    assert parts(fact)[1] == 'Ana said: "I sell the drum kit."'
    assert rest_of(fact, [1]) == 'Ana said: "My licence needs 30 hours. Tom lends me a lorry."'
    assert part_of(fact, [1, 2]) == 'Ana said: "I sell the drum kit. Tom lends me a lorry."'
    assert named_parts(fact, {"drum"}) == (1,) and rest_of(fact, [0, 1, 2]) == ""
    assert named_parts('Ana said: "I sell the drum kit. It is red."', {"drum"}) == ()
