"""What is known of somebody: all of it, the most telling first, and nobody else's in the asker's place."""

from __future__ import annotations

import pytest

from chatmem.app.chat.slash.registry import ALIASES, commands
from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import OWN_NAME, Recall, User
from chatmem.models.chat.direct import direct

SAID = "2024-05-03T09:00:00Z"
TOLD = {
    "My name is Ana Ruiz.": ("name", f"{OWN_NAME}Ana Ruiz."),
    "My late husband was called Bo. He died in 2019.": ("husband", "Ana Ruiz's late husband Bo died in 2019."),
    "I'm 70.": ("age", "Ana Ruiz is 70 years old."),
    "My sister Ida is 68.": ("sister", "Ana Ruiz's sister Ida is 68."),
    "I drive a Fiat.": ("car", "Ana's car is a Fiat."),
    "Ida takes metformin.": ("medicine", "Ida takes metformin."),
    "Ida lives in Bern.": ("home", "Ida lives in Bern."),
    "My sister's address is 3 Mill Street.": ("address", "Ana Ruiz's sister's address is 3 Mill Street."),
    "Bo was allergic to nuts.": ("allergy", "Bo was allergic to nuts."),
    "I live in Graz.": ("home", "Ana Ruiz lives in Graz."),
    "I have asthma.": ("health", "Ana Ruiz has asthma."),
    "Ida's eye test is on Monday.": ("appointment", "Ida's eye test is on Monday."),
}
LINES = ("I gave Bo's piano to my niece.", "The car insurance was 612 euros.", "What did Bo like?")


@pytest.fixture
def user(store: Store) -> User:
    user = store.users.call(store.users.get("me").id, "Ana Ruiz")
    session = store.sessions.start(user.id, at=SAID)
    for line, (topic, fact) in TOLD.items():
        turn = store.turns.add(session.id, "Ana Ruiz", line, said_at=SAID)
        store.facts.remember(user.id, "Ana Ruiz", topic, fact, turn_ids=[turn.id], said_at=SAID)
    for line in LINES:
        store.turns.add(session.id, "Ana Ruiz", line, said_at=SAID)
    return user


def said(store: Store, user: User, text: str) -> str:
    found = direct(store, user, Recall(text), english())
    return found.text if found else ""


def test_of_the_asker_come_first_who_they_are_and_theirs_and_others_last(store: Store, user: User) -> None:
    told = said(store, user, "What do you know about me?").splitlines()
    assert told[1:5] == [
        "- Your name is Ana Ruiz. You are 70 years old.",
        "- You live in Graz.",
        "- Your sister Ida is 68.",
        "- Your late husband Bo died in 2019.",
    ]
    others = [place for place, line in enumerate(told) if line.startswith(("- Ida", "- Bo"))]
    assert told[5] == "- You have asthma."
    assert told.index("- Your car is a Fiat.") < min(others)


@pytest.mark.parametrize("about", ["my husband", "Bo", "my late husband"])
def test_somebody_is_meant_by_what_they_are_as_by_their_name(store: Store, user: User, about: str) -> None:
    told = said(store, user, f"What do you know about {about}?")
    assert "- Your late husband Bo died in 2019." in told and "- Bo was allergic to nuts." in told
    assert "- You told me on 3 May 2024: “I gave Bo's piano to my niece.”" in told
    assert "Ida" not in told and "asthma" not in told


def test_what_is_told_of_the_one_sister_is_told_of_her_by_name(store: Store, user: User) -> None:
    told = said(store, user, "What do you know about Ida?")
    assert told.startswith("What I have about Ida:\n- Your sister Ida is 68.\n")
    for fact in ("address is 3 Mill Street", "lives in Bern", "takes metformin", "eye test"):
        assert fact in told
    turn = store.turns.add(store.sessions.all(user.id)[0].id, "Ana Ruiz", "My sister Eva sings.", said_at=SAID)
    store.facts.remember(user.id, "Ana Ruiz", "sister", "Ana Ruiz's sister Eva sings.", turn_ids=[turn.id])
    assert "address" not in said(store, user, "What do you know about Eva?")


def test_what_was_said_about_something_are_facts_and_the_lines_of_which_none_was_made(store: Store, user: User) -> None:
    assert said(store, user, "What did I say about the car?") == (
        "What I have about the car:\n- Your car is a Fiat.\n"
        "- You told me on 3 May 2024: “The car insurance was 612 euros.”"
    )
    assert "piano" in said(store, user, "What did I say about Bo?")
    assert said(store, user, "What did I say about the weather?") == ""  # a told sentence may still answer


def test_what_holds_no_longer_is_told_only_of_what_was_said(store: Store, user: User) -> None:
    row = next(row for row in store.facts.all(user.id) if "metformin" in row.fact)
    store.facts.retire(row.id)
    assert "metformin" not in said(store, user, "What do you know about Ida?")
    assert "You told me on 3 May 2024: “Ida takes metformin.”" in said(store, user, "What did I say about Ida?")


def test_the_rest_is_counted_and_where_it_is_told_is_a_command_of_help(store: Store, user: User) -> None:
    for number in range(9):
        store.facts.remember(user.id, "Ana Ruiz", "code", f"Ana Ruiz's locker {number} is blue.")
    told = said(store, user, "What do you know about me?")
    assert told.endswith("and 9 more; /memory lists what I keep.")
    named = {word.strip(".;").removeprefix("/") for word in told.split() if word.startswith("/")}
    assert named <= commands().keys() - ALIASES.keys()


def test_a_son_of_the_same_name_is_another(store: Store, user: User) -> None:
    session = store.sessions.all(user.id)[0].id
    for line, topic, fact in (
        ("My daughter Ana sings.", "daughter", "Ana Ruiz's daughter Ana sings."),
        ("Ana is 30 years old.", "age", "Ana is 30 years old."),
    ):
        turn = store.turns.add(session, "Ana Ruiz", line, said_at=SAID)
        store.facts.remember(user.id, "Ana Ruiz", topic, fact, turn_ids=[turn.id])
    hers = "What I have about {}:\n- Your daughter Ana sings.\n- Ana is 30 years old."
    assert said(store, user, "What do you know about Ana?") == hers.format("Ana")
    assert said(store, user, "What do you know about my daughter?") == hers.format("your daughter")
    own = said(store, user, "What do you know about me?")
    assert own.index("Your car is a Fiat") < own.index("Ana is 30")
