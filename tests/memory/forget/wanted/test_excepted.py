"""What a wish itself says is to stay, stays: the fact, or its part, and the line that told it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chatmem.app.shown.forgetting import nothing_of, question
from chatmem.memory.forget.asking import Wish, wish_for, wish_of
from chatmem.memory.store.store import Store
from chatmem.memory.values import User
from tests.memory.lives import fresh, remembered

TOLD = """Tom is my neighbour and his birthday is 3 May=Tom is User's neighbour and his birthday is 3 May.
Tom drinks too much since he lost his job=User's neighbour Tom lost his job.
Tom has a dog called Balder=User's neighbour Tom has a dog called Balder.
What do you know about Tom?=
Dorothy lives at 3 Mill Street, her telephone number is 01743 355201=Dorothy lives at 3 Mill Street, \
her telephone number is 01743 355201.
Dorothy sings in a choir=Dorothy sings in a choir."""
BIRTHDAY, JOB, DOG, HOME, CHOIR = (row.partition("=")[2] for row in TOLD.splitlines() if not row.endswith("="))


@pytest.fixture
def life() -> Iterator[tuple[Store, User]]:
    with fresh() as store:
        yield store, remembered(store, TOLD, subject="User")


@pytest.mark.parametrize(
    ("line", "wish"),
    [
        ("forget all about Tom except his birthday", Wish("about", "Tom", keeping="his birthday")),
        ("Forget everything about Tom but keep his birthday, please!", Wish("about", "Tom", keeping="his birthday")),
        ("Please forget my job, but not the salary.", Wish("matter", "my job", keeping="the salary")),
        ("forget everything except my name", Wish("whole", keeping="my name")),
        ("except for Tom, forget it", None),
        ("I can't forget anything except names", None),
    ],
)
def test_what_is_to_stay_is_no_part_of_what_is_to_go(line: str, wish: Wish | None) -> None:
    assert wish_of(line) == wish


@pytest.mark.parametrize(
    ("words", "stays", "rest", "goes"),
    [
        ("all about Tom except his birthday", {BIRTHDAY}, [], {JOB, DOG}),
        ("everything about Tom, but keep the dog", {DOG}, [], {BIRTHDAY, JOB}),
        ("all about Tom except that he drinks", {JOB}, [], {BIRTHDAY, DOG}),  # the line that tells it told the job
        ("all about Dorothy except where she lives", set[str](), ["Dorothy lives at 3 Mill Street."], {HOME, CHOIR}),
    ],
)  # fmt: skip
def test_what_is_to_stay_is_shown_and_stays(
    life: tuple[Store, User], words: str, stays: set[str], rest: list[str], goes: set[str]
) -> None:
    store, user = life
    plan = store.forget.wished(user.id, wish_for(words))
    assert {one.fact for one in plan.kept} == stays and {one.fact for one in plan.facts} == goes
    assert [text for _, text in plan.rests] == rest and not plan.others
    assert all(f"\n  stays, as you asked:\n    #{one.id}  {one.fact}" in question(plan) for one in plan.kept)
    store.forget.carry_out(plan)
    left = {one.fact for one in store.facts.all(user.id)}
    assert left >= stays | {*rest} and left.isdisjoint(goes)


def test_an_exception_that_nothing_holds_is_told_before_the_yes(life: tuple[Store, User]) -> None:
    store, user = life
    plan = store.forget.wished(user.id, wish_for("all about Tom except his shoe size"))
    assert not plan.sure and len(plan.facts) == 3
    assert question(plan).startswith("Nothing of this holds “his shoe size”, so nothing is left out for that. Erase")


def test_where_all_of_it_is_to_stay_nothing_goes(life: tuple[Store, User]) -> None:
    store, user = life
    plan = store.forget.wished(user.id, wish_for("Balder except Tom's dog"))
    assert plan.empty and nothing_of(plan).startswith("Nothing is erased: all that this means is to stay.")


@pytest.mark.parametrize("other", ["", "Tess's cousin Ivo plays chess."])
@pytest.mark.parametrize("words", ["except that he's my cousin", "but remember that Ivo is my cousin"])
def test_what_tells_more_than_was_to_stay_is_not_kept_for_it(words: str, other: str) -> None:
    with fresh() as store:
        user = store.users.call(store.users.get("tess").id, "Tess")
        session = store.sessions.start(user.id)
        line = "My cousin Ivo is in prison in Stein for arson"
        told = ["Tess's cousin Ivo is in prison in Stein for arson.", *filter(None, [other])]
        turn = store.turns.add(session.id, "Tess", line)
        for fact in told:
            store.facts.remember(user.id, "Tess", "talk", fact, turn_ids=[turn.id])
        plan = store.forget.wished(user.id, wish_for(f"everything about Ivo {words}"))
        assert {one.fact for one in plan.facts} == {*told} and not plan.kept and not plan.sure
        assert question(plan).startswith(f"What goes also holds “{plan.uncut}” and can't be cut: tell that again")
        own = store.facts.remember(user.id, "Tess", "family", "Ivo is Tess's cousin.").memory_id
        plan = store.forget.wished(user.id, wish_for(f"everything about Ivo {words}"))
        assert [one.id for one in plan.kept] == [own] and {one.fact for one in plan.facts} == {*told}


@pytest.mark.parametrize("words", ["except that she is my sister", "but not that she is my sister"])
def test_what_can_be_cut_is_cut_for_a_statement_that_is_to_stay(words: str) -> None:
    with fresh() as store:
        user = store.users.get("ana")
        store.facts.remember(user.id, "Anna", "people", "Anna is User's sister and works in Bonn.")
        store.forget.carry_out(store.forget.wished(user.id, wish_for(f"everything about Anna {words}")))
        assert [one.fact for one in store.facts.all(user.id)] == ["Anna is User's sister."]


def test_the_date_that_is_to_stay_is_that_of_the_facts_that_tell_one(life: tuple[Store, User]) -> None:
    store, user = life
    court = store.facts.remember(user.id, "User", "law", "The court case about the fence is on 9 December.").memory_id
    other = store.facts.remember(user.id, "User", "law", "The court is in Bonn.").memory_id
    plan = store.forget.wished(user.id, wish_for("everything about the court except the date"))
    assert [one.id for one in plan.kept] == [court] and not plan.unkept
    assert [one.id for one in plan.facts] == [other]


@pytest.mark.parametrize(
    "words", ["everything I said today except the thing about Tom", "all I said in this chat, but not Tom"]
)
def test_what_is_to_stay_of_lines_stays_with_its_facts(life: tuple[Store, User], words: str) -> None:
    store, user = life
    last = store.turns.of(1)[-1].id
    plan = store.forget.wished(user.id, wish_for(words), last_line=last)
    assert {one.fact for one in plan.kept} == {BIRTHDAY, JOB, DOG}
    assert {one.fact for one in plan.others} == {HOME, CHOIR}
    store.forget.carry_out(plan)
    assert {one.fact for one in store.facts.all(user.id)} == {BIRTHDAY, JOB, DOG}


def test_what_was_told_with_an_exception_goes_with_it() -> None:
    with fresh() as store:
        user = store.users.get("ana")
        for fact in ("User eats anything except peanuts.", "Tom likes fish but not meat."):
            store.facts.remember(user.id, "User", "food", fact)
        for words in ("that I eat anything except peanuts", "that Tom likes fish but not meat"):
            plan = store.forget.wished(user.id, wish_for(words))
            assert len(plan.facts) == 1 and not plan.kept and plan.sure
