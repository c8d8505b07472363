"""Which replies and questions repeat what goes, and which only share a word that everybody says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, ForgetPlan
from tests.memory.lives import fresh


@pytest.fixture
def store() -> Iterator[Store]:
    with fresh() as one:
        yield one


def plan(store: Store, fact: str, talk: list[str], *, line: bool = False) -> ForgetPlan:
    """`talk`: lines and replies in turn, the first of which told the fact; `line`: it is asked for, too."""
    user = store.users.get("ana")
    session = store.sessions.start(user.id)
    turns = [store.turns.add(session.id, ASSISTANT if place % 2 else "User", said) for place, said in enumerate(talk)]
    key = store.facts.remember(user.id, "User", "", fact, turn_ids=[turns[0].id]).memory_id or 0
    return store.forget.plan(user.id, [key], line_ids=[turns[0].id] if line else [])


def gone(found: ForgetPlan) -> list[str]:
    return [turn.text for turn in sorted((*found.lines, *found.replies), key=lambda turn: turn.id)]


@pytest.mark.parametrize(("fact", "talk"), [
    ("User is gay.", ["I am gay", "Good to know.", "am I gay?", "You are gay."]),
    ("User is trans.", ["I am trans", "Transgender people are many.", "am I trans?", "Yes, trans."]),
    ("User lost their job.", ["I lost my job", "Thanks for telling me.", "did I lose my job?", "You lost your job."]),
])  # fmt: skip
def test_a_question_and_the_reply_that_tells_it_go(store: Store, fact: str, talk: list[str]) -> None:
    assert [one for one in talk if one not in ("Good to know.", "Thanks for telling me.")] == gone(
        plan(store, fact, talk)
    )


def test_who_has_the_word_too_keeps_it_and_what_is_said_of_the_person_goes(store: Store) -> None:
    talk = ["I am gay", "Good to know.", "My brother is gay", "Your brother? Gay?", "who is gay?", "You are gay."]
    store.facts.remember(store.users.get("ana").id, "User", "", "User's brother is gay.")
    assert {"I am gay", "You are gay."} <= {*gone(plan(store, "User is gay.", talk))}


def test_a_reply_that_quotes_a_line_and_its_question_go(store: Store) -> None:
    quote = "You told me: “I once hit my wife Agnieszka”"
    talk = ["I once hit my wife Agnieszka", "Thanks for telling me.", "Agnieszka is a dentist in Lublin", "Got it.",
            "did I ever hit Agnieszka?", quote, "who is Agnieszka?", "She is a dentist."]  # fmt: skip
    user = store.users.get("ana")
    store.facts.remember(user.id, "User", "", "User's wife Agnieszka is a dentist in Lublin.")
    found = gone(plan(store, "User's wife is called Agnieszka.", talk, line=True))
    assert found == [talk[0], "did I ever hit Agnieszka?", quote]


def test_a_quote_goes_where_all_of_its_words_stay_by_right(store: Store) -> None:
    quote = "You told me: “I once hit my wife Agnieszka”"
    talk = ["I once hit my wife Agnieszka", "Thanks.", "The ball once hit a car", "Oh no.", "what was that?", quote]
    for fact in ("User's wife Agnieszka is a dentist.", "A ball once hit a car."):
        store.facts.remember(store.users.get("ana").id, "User", "", fact)
    assert quote in gone(plan(store, "User has a short temper.", talk, line=True))


def test_a_verb_that_everybody_says_repeats_nothing(store: Store) -> None:
    talk = ["We meet at Café Größenwahn on Fridays", "Thanks for telling me.", "hello", "Good to meet you, Zoe."]
    assert gone(plan(store, "User meets at Café Größenwahn on Fridays.", talk)) == talk[:1]


@pytest.mark.parametrize(
    ("fact", "talk"),
    [
        ("User has herpes.", ["Good morning! I have herpes", "Thanks.", "hello", "Good morning! How can I help you?"]),
        (
            "User cheated on Eva.",
            ["I like tea. I cheated on Eva", "Oh.", "tea?", "You like tea and so do I, with milk."],
        ),
    ],
)
def test_a_greeting_and_a_few_common_words_are_no_quote(store: Store, fact: str, talk: list[str]) -> None:
    for known in ("Ana says good morning.", "User likes tea with milk."):
        store.facts.remember(store.users.get("ana").id, "User", "", known)
    assert talk[3] not in gone(plan(store, fact, talk, line=True))


def test_what_is_said_of_somebody_else_is_not_said_of_the_person(store: Store) -> None:
    reply = "Your sister is vegan and you like her."
    talk = ["I am vegan", "Good to know.", "who is vegan?", reply]
    store.facts.remember(store.users.get("ana").id, "User", "", "User's sister is vegan.")
    assert reply not in gone(plan(store, "User is vegan.", talk))
