"""Names that were told by the way are read off the words that told them."""

from __future__ import annotations

import pytest

from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import Recall, RecallItem
from chatmem.models.chat.direct import direct, somebody
from chatmem.models.chat.told.people import Naming, Wish, asked, fits, namings

SAID = "2024-05-03T09:00:00Z"


@pytest.mark.parametrize(
    ("question", "wish"),
    [
        ("what's my girlfriend called?", Wish("girlfriend", calls=True)),
        ("hey, what is my teacher's name", Wish("teacher", calls=True)),
        ("do you know what my mum's name is?", Wish("mum", calls=True)),
        ("do you remember what my cat is called?", Wish("cat", calls=True)),
        ("Whats the name of my older sister?", Wish("older sister", calls=True)),
        ("who is my boss?", Wish("boss")),
        ("can you tell me who my landlord is?", Wish("landlord")),
        ("who's Mila?", Wish(name="Mila")),
        ("Who is Herr Vogt?", Wish(name="Herr Vogt")),
    ],
)
def test_questions_for_a_name_and_for_who_somebody_is(question: str, wish: Wish) -> None:
    assert asked(question) == wish


@pytest.mark.parametrize(
    "question",
    ["who am I?", "what's my name?", "who is the president?", "what is my sister's job?", "my sister is called Bea",
     "what does my girlfriend eat?", "who told my boss?"],
)  # fmt: skip
def test_other_lines_ask_for_no_name(question: str) -> None:
    assert asked(question) is None


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("Ana just moved to Ghent with Ana's girlfriend Mila.", "Ana", [Naming("girlfriend", ("Mila",))]),
        ("User's teacher Herr Vogt has a workshop.", "User", [Naming("teacher", ("Herr Vogt",))]),
        ("Ana's cats are called Tom and Jerry.", "Ana", [Naming("cats", ("Tom", "Jerry"), called=True)]),
        ("Mila is Ana's older sister.", "Ana", [Naming("older sister", ("Mila",))]),
        ("Ana's daughter's name is Zoe.", "Ana", [Naming("daughter", ("Zoe",))]),
        ("my best friend, Carla, is moving", None, [Naming("best friend", ("Carla",))]),
        ("I've got two rabbits, Pepe and Lola", None, [Naming("rabbits", ("Pepe", "Lola"))]),
        ("We have a dog named Rex and a cat named Tom", None,
         [Naming("dog", ("Rex",), called=True), Naming("cat", ("Tom",), called=True)]),
        ("Ana's sister Bea's dog Rex is old.", "Ana", [Naming("sister", ("Bea",))]),
        ("Ana's mother is Italian.", "Ana", []),
        ("Ana's ex-husband Bob plays chess.", "Ana", []),
        ("my dog ate my English homework", None, []),
        ("Tom has a dog named Rex.", "Ana", []),
        ("Ana's sister called Ben yesterday.", "Ana", []),
        ("Ana's got a cat named Tom.", "Ana", [Naming("cat", ("Tom",), called=True)]),
    ],
)  # fmt: skip
def test_a_name_beside_the_word_for_whose_it_is(text: str, name: str | None, found: list[Naming]) -> None:
    assert list(namings(text, name)) == found


def test_the_kind_that_is_asked_for() -> None:
    assert fits("mum", "mother")
    assert fits("sister", "older sister")
    assert fits("cat", "cats")
    assert not fits("younger sister", "sister")
    assert not fits("girlfriend", "friend")


def told(store: Store, question: str) -> str | None:
    user = store.users.get("me")
    found = direct(store, user, Recall(question), english())
    return found.text if found else None


@pytest.fixture
def home(store: Store) -> Store:
    user = store.users.get("me")
    session = store.sessions.start(user.id, at=SAID)
    for line, fact in {
        "just moved to Ghent with my girlfriend Mila": "User just moved to Ghent with User's girlfriend Mila.",
        "Mila can't have gluten": "Mila can't have gluten.",
        "a tortoise called Admiral, he's 41": "User has a tortoise called Admiral, he's 41 years old.",
        "my sister Bea's dog Rex bites": "User's sister Bea's dog Rex bites.",
        "my new Toyota broke down": "User's new Toyota broke down.",
    }.items():
        turn = store.turns.add(session.id, "User", line, said_at=SAID)
        store.facts.remember(user.id, "User", "life", fact, turn_ids=[turn.id], said_at=SAID)
    return store


def test_names_are_told_with_what_they_are_made_of(home: Store) -> None:
    assert told(home, "what's my girlfriend called?") == "Your girlfriend is called Mila."
    assert told(home, "who is my sister?") == "Your sister is Bea."
    assert told(home, "Who is Mila?") == "Mila is your girlfriend.\n- Mila can't have gluten."
    assert told(home, "who's Admiral?") == "Admiral is your tortoise."
    found = direct(home, home.users.get("me"), Recall("what is my girlfriend's name?"), english())
    assert found is not None
    assert [item.memory.fact for item in found.recall.items if item.memory] == [
        "User just moved to Ghent with User's girlfriend Mila."
    ]
    assert found.recall.items[0].turns[0].text == "just moved to Ghent with my girlfriend Mila"


def test_several_names(store: Store) -> None:
    user = store.users.get("me")
    for fact in ("User has two cats named Nori and Wasabi.", "User's sister Bea sings.", "User's sister Ida paints."):
        store.facts.remember(user.id, "User", "life", fact)
    assert told(store, "what are my cats called?") == "Your cats are called Nori and Wasabi."
    assert told(store, "who are my sisters?") in ("Your sisters are Bea and Ida.", "Your sisters are Ida and Bea.")
    assert str(told(store, "what's my sister called?")).endswith(", as far as you've told me.")


def test_one_of_those_who_were_asked_for_is_all_that_was_told(store: Store) -> None:
    user = store.users.get("me")
    for fact in (
        "User's new flatmate Priya studies physics.",
        "User shares a flat with Tess.",
        "Jonas lives with Bea.",
    ):
        store.facts.remember(user.id, "User", "home", fact)
    assert told(store, "who are my flatmates?") == "Priya, as far as you've told me."
    assert told(store, "who is my flatmate?") == "Your flatmate is Priya."
    both = "You share a flat with Tess. Your new flatmate Priya studies physics."
    for question in ("who do I live with?", "Who am I living with now?", "who lives with me?"):
        assert told(store, question) == both
    assert told(store, "who does Jonas live with?") is None


def test_what_nothing_tells_is_left_to_the_others(home: Store) -> None:
    for question in ("what's my dog called?", "who is Rex?", "who is Toyota?", "what's my brother's name?"):
        assert told(home, question) is None


def test_a_line_tells_a_name_of_which_no_fact_was_made(store: Store) -> None:
    user = store.users.get("me")
    session = store.sessions.start(user.id, at=SAID)
    line = store.turns.add(session.id, "User", "spent the day with my aunt Rosa", said_at=SAID)
    other = store.turns.add(session.id, "assistant", "I like my aunt Berta.", said_at=SAID)
    recall = Recall("what is my aunt called?", (RecallItem(1.0, None, (other, line), ()),))
    found = direct(store, user, recall, english())
    assert found is not None
    assert found.text == "Your aunt is called Rosa."
    assert [turn.id for item in found.recall.items for turn in item.turns] == [line.id]


def test_a_fact_that_ended_tells_no_name(home: Store) -> None:
    user = home.users.get("me")
    row = next(one for one in home.facts.all(user.id) if "girlfriend" in one.fact)
    home.facts.retire(row.id)
    assert told(home, "what's my girlfriend called?") is None


def test_who_somebody_is_is_told_from_what_names_them(home: Store) -> None:
    user = home.users.get("me")
    found = somebody(home, user, Recall("Who is Rex?"))
    assert found is not None
    assert found.text == "What I have about Rex:\n- Your sister Bea's dog Rex bites."
    assert somebody(home, user, Recall("Who is Napoleon?")) is None
    assert somebody(home, user, Recall("Where is Rex?")) is None
