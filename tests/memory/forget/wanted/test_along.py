"""What a line tells of somebody without naming them goes with all that names them; what else it tells stays, and is
shown to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chatmem.app.shown.forgetting import question
from chatmem.memory.forget.asking import wish_for
from chatmem.memory.store.store import Store
from chatmem.memory.values import User
from tests.memory.lives import fresh


@pytest.fixture
def life() -> Iterator[tuple[Store, User]]:
    with fresh() as store:
        yield store, store.users.get("ana")


def told(life: tuple[Store, User], line: str, *facts: str) -> None:
    store, user = life
    turn = store.turns.add(store.sessions.start(user.id).id, "User", line)
    for fact in facts:
        store.facts.remember(user.id, "User", "talk", fact, turn_ids=[turn.id])


OF_THEM = [
    ("my boyfriend ruben thinks i work too much. we've been together three years",
     "User's boyfriend Ruben thinks User works too much.", "User has been together three years.", "ruben"),
    ("my boyfriend Ruben is a nurse and we have shared a flat since May",
     "User's boyfriend Ruben is a nurse.", "User has shared a flat since May.", "ruben"),
    ("Her neighbour Anton is 81 and collects clocks.", "User's mother-in-law's neighbour Anton is 81.",
     "User's mother collects clocks.", "Anton"),
    ("It's about my sister-in-law Rosalind, she drinks again, and I found bottles behind the washing machine.",
     "User's sister-in-law Rosalind drinks again.", "User found bottles behind the washing machine.", "Rosalind"),
    ("my neighbour Kaia has a boat. I owe her 200 kroner", "User's neighbour Kaia has a boat.",
     "User owes 200 kroner.", "my neighbour Kaia"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "naming", "fact", "who"), OF_THEM)
def test_what_is_told_of_them_by_we_or_her_goes(
    life: tuple[Store, User], line: str, naming: str, fact: str, who: str
) -> None:
    store, user = life
    told(life, line, naming, fact)
    plan = store.forget.wished(user.id, wish_for(f"everything about {who}"))
    assert {one.fact for one in plan.facts} == {naming, fact} and fact in question(plan)
    store.forget.carry_out(plan)
    assert store.facts.all(user.id, current=False) == []


def test_it_goes_too_where_what_names_them_was_changed_since(life: tuple[Store, User]) -> None:
    store, user = life
    told(life, *OF_THEM[0][:3])
    store.facts.edit(store.facts.all(user.id)[0].id, fact="User's ex-boyfriend Ruben thinks User works too much.")
    told(life, "ruben and i broke up last night", "User and Ruben broke up last night.")
    store.forget.carry_out(store.forget.wished(user.id, wish_for("everything about ruben")))
    assert store.facts.all(user.id, current=False) == []


APART = [
    ("Tom and I saw Porto, and I bought a kayak", "User saw Porto with Tom.", "User bought a kayak.", "Tom"),
    ("my boss Tom is nice. I work at the aquarium", "User's boss Tom is nice.", "User works at the aquarium.", "Tom"),
    ("my boss Tom is nice. my sister came and we ate eels", "User's boss Tom is nice.", "User ate eels.", "Tom"),
    ("Tom sold me a kayak", "Tom sold User a kayak.", "User has a kayak.", "Tom"),
    ("Tom and I collect clocks", "Tom collects clocks.", "User collects clocks.", "Tom"),
    ("Went to Bonn with Tom, bought a kayak", "User went to Bonn with Tom.", "User bought a kayak.", "Tom"),
    (
        "Tom's sister collects clocks, so does mine",
        "Tom's sister collects clocks.",
        "User's sister collects clocks.",
        "Tom",
    ),
    ("I live in Leeds. Greg lives in Leeds.", "Greg lives in Leeds.", "User lives in Leeds.", "Greg"),
    (
        "My boss Greg lives in Leeds. I live in Leeds.",
        "User's boss Greg lives in Leeds.",
        "User lives in Leeds.",
        "Greg",
    ),
    ("I have a dog. Ruben has a dog.", "Ruben has a dog.", "User has a dog.", "Ruben"),
    ("I own a kayak. Ruben has one.", "Ruben has a kayak.", "User has a kayak.", "Ruben"),
    ("Ruben has a kayak. So do I.", "Ruben has a kayak.", "User has a kayak.", "Ruben"),
    ("Greg and my mother collect clocks.", "Greg collects clocks.", "User's mother collects clocks.", "Greg"),
    ("Greg & mother collect clocks.", "Greg collects clocks.", "User's mother collects clocks.", "Greg"),
    ("My mother is a nurse. Ruben is a nurse.", "Ruben is a nurse.", "User's mother is a nurse.", "Ruben"),
    (
        "My sister lives in Leeds. Greg lives in Leeds too.",
        "Greg lives in Leeds.",
        "User's sister lives in Leeds.",
        "Greg",
    ),
    (
        "My mum called. She collects clocks. Anton collects clocks.",
        "Anton collects clocks.",
        "User's mum collects clocks.",
        "Anton",
    ),
    (
        "My mum plays the cello. Greg plays the cello and the flute.",
        "Greg plays the cello and the flute.",
        "User's mum plays the cello.",
        "Greg",
    ),
    ("my boss Tom plays chess with Ada", "User's boss Tom plays chess.", "Ada plays chess.", "Tom"),
    ("my boss Tom is nice. we met Ada in May", "User's boss Tom is nice.", "User met Ada in May.", "Tom"),
]


@pytest.mark.parametrize(("line", "naming", "fact", "who"), APART)
def test_what_else_the_line_tells_stays_and_is_shown_to(
    life: tuple[Store, User], line: str, naming: str, fact: str, who: str
) -> None:
    store, user = life
    told(life, line, naming, fact)
    plan = store.forget.wished(user.id, wish_for(f"everything about {who}"))
    assert [one.fact for one in plan.facts] == [naming] and [one.fact for one in plan.apart] == [fact]
    shown = question(plan)
    assert fact in shown[shown.index("told in the same lines, and stays") :]
    store.forget.carry_out(plan)
    assert [one.fact for one in store.facts.all(user.id)] == [fact]


def test_what_another_line_tells_as_well_is_not_asked_about(life: tuple[Store, User]) -> None:
    store, user = life
    line, naming, fact, who = OF_THEM[0]
    told(life, line, naming)
    lines = [turn.id for session in store.sessions.all(user.id) for turn in store.turns.of(session.id)]
    again = store.turns.add(store.sessions.start(user.id).id, "User", "three years now")
    store.facts.remember(user.id, "User", "talk", fact, turn_ids=[*lines, again.id])
    plan = store.forget.wished(user.id, wish_for(f"everything about {who}"))
    assert [one.fact for one in plan.facts] == [naming] and plan.apart == ()
