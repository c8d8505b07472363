"""A former name is that of the person, no dog's that is "called" something and no other Thomas's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chatmem.memory.forget.asking import wish_for
from chatmem.memory.forget.wanted.meant import wanted_of
from chatmem.memory.store.store import Store
from chatmem.memory.values import OWN_NAME, User
from tests.memory.lives import fresh


@pytest.fixture
def greta() -> Iterator[tuple[Store, User]]:
    with fresh() as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)

        def tell(line: str, fact: str = "", name: str = "") -> User:
            turn = store.turns.add(session.id, "User", line)
            one = store.users.call(user.id, name, turn_id=turn.id) if name else store.users.by_id(user.id)
            if fact:
                store.facts.remember(user.id, one.subject, "talk", fact, turn_ids=[turn.id])
            return one

        tell("Hi, my name is Thomas", f"{OWN_NAME}Thomas.", "Thomas")
        tell("I have a dog called Bello", "Thomas has a dog called Bello.")
        user = tell("Call me Greta from now on", "", "Greta")
        tell("My doctor is Dr Thomas Reiter", "Greta's doctor is Dr Thomas Reiter.")
        tell("I know a man called Thomas", "Greta knows a man called Thomas.")
        yield store, user


@pytest.mark.parametrize(
    "words",
    ["that I was ever called Thomas", "that I used to be called Thomas", "my old name", "my former name, Thomas",
     "the name Thomas", "that my name was once Thomas", "everything about my old name"],
)  # fmt: skip
def test_a_former_name_goes_and_the_name_of_today_stays(greta: tuple[Store, User], words: str) -> None:
    store, user = greta
    plan = store.forget.wished(user.id, wish_for(words))
    stays = {key for key, _ in plan.rests}
    assert {one.fact for one in plan.facts if one.id not in stays} == {f"{OWN_NAME}Thomas."}
    assert [text for _, text in plan.rests] == [f"{OWN_NAME}Greta."] and not plan.others
    assert [turn.text for turn in plan.lines] == ["Hi, my name is Thomas"] and plan.sure
    store.forget.carry_out(plan)
    left = {one.fact for one in store.facts.all(user.id)}
    assert left >= {f"{OWN_NAME}Greta.", "Greta has a dog called Bello.", "Greta's doctor is Dr Thomas Reiter."}
    assert store.users.by_id(user.id).called == "Greta"
    assert f"{OWN_NAME}Thomas." not in {one.fact for one in store.facts.all(user.id, current=False)}


@pytest.mark.parametrize("words", ["my doctor Thomas", "that I was ever called Rex", "my name"])
def test_what_is_no_former_name_is_looked_for_as_ever(greta: tuple[Store, User], words: str) -> None:
    store, user = greta
    assert f"{OWN_NAME}Thomas." not in {one.fact for one in store.forget.wished(user.id, wish_for(words)).facts}


def test_that_somebody_is_called_so_tells_nothing() -> None:
    assert wanted_of("I was ever called Thomas") == wanted_of("Thomas")
    assert wanted_of("my dog called Bello") == wanted_of("my dog Bello")
    assert wanted_of("that Tom called me") != wanted_of("Tom")
