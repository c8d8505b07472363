"""What was told since is told with what it ends, whether or not the memory took it in."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.memory.values import Author, User
from chatmem.models.chat.reader.led import led
from chatmem.models.chat.reader.reply import SINCE, read_out
from chatmem.models.chat.reader.since import took_its_place
from chatmem.models.embedder.minilm import LlamaEmbedder

SAID, LATER = "2024-05-03T09:00:00Z", "2024-06-12T12:00:00Z"
KEEPS = "I keep my grandfather's old harmonium in the hallway at home."
SOLD = "We have sold the old harmonium to a collector from Swansea."


def asked(store: Store, user: User, question: str) -> str:
    recall = store.search(user.id, question, speaker=user.subject, word_budget=200, now=LATER)
    direct = read_out(store, user, recall, english())
    assert direct is not None
    return direct.text


def test_a_model_that_is_led_is_not_left_to_tell_both(tmp_path: Path, embedder: LlamaEmbedder) -> None:
    """Of what was told and what was told since a model of 1.5 billion parameters says the first alone."""
    with Store.open(tmp_path / "a.db", embedder=embedder) as store:
        user = told(store, (KEEPS, SAID), (SOLD, LATER))
        asks = "Where do I keep the harmonium?"
        recall = store.search(user.id, asks, speaker=user.subject, word_budget=200, now=LATER)
        found = led(store, user, recall, english())
        assert found is not None and SINCE in found.text and "Swansea" in found.text and not found.recall.chosen


def told(store: Store, *lines: tuple[str, str]) -> User:
    user = store.users.call(store.users.get("me").id, "Gwilym")
    session = store.sessions.start(user.id, at=SAID)
    for line, at in lines:
        store.turns.add(session.id, user.subject, line, said_at=at)
    fact = "Gwilym keeps Gwilym's grandfather's old harmonium in the hallway at home."
    store.facts.remember(user.id, user.subject, "things", fact, turn_ids=[1], said_at=SAID)
    store.vectors.embed_pending(user.id, limit=100)
    return user


@pytest.mark.parametrize(
    ("line", "at", "tells"),
    [
        (SOLD, LATER, True),
        ("My daughter wants to learn the harmonium in the hallway.", LATER, False),
        ("What would a collector pay for the harmonium?", LATER, False),
        (SOLD, "2024-04-02T09:00:00Z", False),
    ],
)
def test_a_later_line_that_ends_it_is_told_with_it(
    tmp_path: Path, embedder: LlamaEmbedder, line: str, at: str, tells: bool
) -> None:
    with Store.open(tmp_path / "since.db", embedder=embedder) as store:
        user = told(store, (KEEPS, SAID), (line, at))
        reply = asked(store, user, "Where do I keep the harmonium?")
        assert "hallway" in reply
        assert (f"Since then you told me: “{line}”" in reply) is tells


def test_who_asks_what_was_is_told_that(tmp_path: Path, embedder: LlamaEmbedder) -> None:
    with Store.open(tmp_path / "since.db", embedder=embedder) as store:
        user = told(store, (KEEPS, SAID), (SOLD, LATER))
        assert "Since then" not in asked(store, user, "Where did I use to keep the harmonium?")


def test_of_two_states_that_both_stand_the_later_is_told(tmp_path: Path, embedder: LlamaEmbedder) -> None:
    with Store.open(tmp_path / "since.db", embedder=embedder) as store:
        user = told(store, (KEEPS, SAID), ("I work in the bank on the corner.", SAID), ("I work in a bakery.", LATER))
        assert "bakery" in asked(store, user, "Where do I work?").split(".")[0]
        assert "bank" in asked(store, user, "Where did I use to work?")


@pytest.mark.parametrize(
    ("line", "fact", "instead"),
    [
        ("Trygve was put to sleep.", "Gwilym had to have the cat put to sleep.", True),
        ("Trygve is fifteen now.", "Gwilym has an old cat called Trygve, who is fifteen.", False),
    ],
)
def test_what_the_memory_took_in_is_told_of_a_line_whose_facts_are_over(
    tmp_path: Path, line: str, fact: str, instead: bool
) -> None:
    with Store.open(tmp_path / "since.db") as store:
        user = told(store, (KEEPS, SAID))
        session = store.sessions.start(user.id, at=SAID)
        had = store.turns.add(session.id, user.subject, "I have an old cat called Trygve.", said_at=SAID)
        made = "Gwilym has an old cat called Trygve."
        store.facts.write(user.id, _sql(made), author=AGENT, turn_ids=[had.id], subjects=[user.subject])
        assert took_its_place(store, user, had) is None
        later = store.turns.add(session.id, user.subject, line, said_at=LATER)
        row = next(one for one in store.facts.all(user.id) if one.fact == made)
        change = f"UPDATE memory SET fact = '{fact}' WHERE id = {row.id};"
        store.facts.write(user.id, change, author=AGENT, turn_ids=[later.id], subjects=[user.subject])
        found = took_its_place(store, user, had)
        assert (found is not None and found.id == later.id) is instead


AGENT = Author("agent:storage", "scripted")


def _sql(fact: str) -> str:
    return f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('Gwilym', 'pets', '{fact}', NULL);"
