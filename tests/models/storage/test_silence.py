"""Nothing that a model wrote is dropped in silence, wherever in the reading it goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.values import JournalEntry
from chatmem.models.lm import Chunk, Message, Options
from chatmem.models.prompts.draft import read_draft
from chatmem.models.prompts.messages import NOTHING, Line
from chatmem.models.prompts.notes import read_notes
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.told.plain_statements import jottings
from tests.models.storage.test_checks import talked
from tests.models.storage.test_faithful import Draws, says
from tests.models.storage.test_notes import facts, memory_with


def thrown(entries: Sequence[JournalEntry], check: str) -> str:
    return " ".join(one.sql for one in entries if one.author.actor == f"check:{check}")


def test_what_a_clause_alone_was_read_as(store: Store) -> None:
    memories, refused = talked(
        store, "I have a dog and I play the piano in a small band", says("Ana has a dog."),
        says("Ana plays the drums with Zork in Paris."),
    )  # fmt: skip
    assert "Ana has a dog." in [one.fact for one in memories]
    assert "Ana plays the drums with Zork in Paris." in thrown(refused, "left_out")
    assert not any("Zork" in one.fact for one in memories)


def test_a_first_reading_of_which_a_check_took_something_and_another_took_the_place(store: Store) -> None:
    memories, refused = talked(
        store, "Themba works nights at the port, mostly in Durban", says("Ana's aunt Themba works nights."),
        says("Themba works nights at the port, mostly in Durban."),
    )  # fmt: skip
    assert [one.fact for one in memories if one.topic != "name"] == [
        "Themba works nights at the port, mostly in Durban."
    ]
    assert "aunt Themba" in thrown(refused, "faithful")
    assert any((one.reason or "").endswith("Told instead: Themba works nights at the port, mostly in Durban.")
               for one in refused)  # fmt: skip


def test_the_row_that_the_token_limit_broke() -> None:
    whole = says("Ana has a dog.").rstrip(";")
    draft = read_draft(f"{whole}, ('Ana', 'home', 'Ana lives in Gh", cut=True)
    assert draft.facts == ["Ana has a dog."]
    assert "Ana lives in Gh" in draft.broken
    assert "Ana has a dog" not in draft.broken
    assert (
        read_draft("INSERT INTO memory (subject, topic, fa", cut=True).broken
        == "INSERT INTO memory (subject, topic, fa"
    )
    assert read_draft(says("Ana has a dog.")).broken == ""
    assert read_draft(NOTHING, cut=True).broken == ""
    assert read_notes("+ pets: Ana has a dog.\n+ home: Ana liv", "Ana", cut=True).broken == "+ home: Ana liv"


class CutShort(Draws):
    """One whose replies end at the token limit."""

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        yield next(iter(super().generate(messages, options)))
        yield Chunk("", "length")


def test_a_broken_row_is_in_the_journal(store: Store) -> None:
    user = store.users.call(store.users.get("ana").id, "Ana")
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", "I have a dog")
    lm = CutShort(f"{says('Ana has a dog.').rstrip(';')}, ('Ana', 'home', 'Ana lives in Gh")
    entries = list(StorageAgent(lm, store).run([turn], user).entries)
    assert [one.fact for one in store.facts.all(user.id) if one.topic != "name"] == ["Ana has a dog."]
    assert "Ana lives in Gh" in thrown(entries, "readable")


def test_a_note_that_says_a_known_row_again_or_changes_one_of_which_nothing_was_said(store: Store) -> None:
    memory, _ = memory_with(
        store, "+ pets: User has a cat named Bo.", "+ pets: User has a cat named Bo.\n= 1: User sings."
    )
    memory.say("I have a cat named Bo")
    said = memory.say("Bo the cat is asleep on my piano again")
    assert facts(memory)[:1] == ["User has a cat named Bo."]
    assert "User has a cat named Bo." in thrown(said.refused, "other_row")


def test_a_first_reply_that_can_not_be_read_though_the_second_can(store: Store) -> None:
    memory, _ = memory_with(store, "Sure! I noted it.", "+ pets: User has a cat.")
    said = memory.say("I have a cat now")
    assert facts(memory) == ["User has a cat."]
    assert thrown(said.refused, "readable") == "-- Sure! I noted it."


def test_jottings_about_somebody_are_told_of_them_without_a_model(store: Store) -> None:
    memories, _ = talked(store, "Freya: 9, nut allergy, size 32 shoes\nTeo: 12, wants a skateboard")
    assert {one.fact for one in memories if one.topic != "name"} == {
        "Freya is 9.", "Freya has a nut allergy.", "Freya: size 32 shoes.", "Teo is 12.", "Teo wants a skateboard.",
    }  # fmt: skip


def test_a_note_of_which_a_model_tells_somebody_else_is_kept_in_its_own_words(store: Store) -> None:
    memories, refused = talked(store, "kiva: penicillin allergy, 7", *[says("Ana has a penicillin allergy.")] * 5)
    assert [one.fact for one in memories if one.topic != "name"] == ["kiva: penicillin allergy, 7."]
    assert "Ana has a penicillin allergy." in " ".join(one.sql for one in refused)


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("shopping: milk, eggs", "Ana's shopping: milk, eggs."),
        ("My packing list: the blue tent, two lamps.", "Ana's packing list: the blue tent, two lamps."),
        ("To do: pay the rent", "Ana's to do: pay the rent."),
        ("to do: clear the garage, call mum", "Ana's to do: clear the garage, call mum."),
        ("Shopping list: eggs, 2.5 kg flour.", "Ana's shopping list: eggs, 2.5 kg flour."),
        ("packing list: phone, key", "Ana's packing list: phone, key."),
    ],
)
def test_what_stands_on_a_list_is_told_of_the_list(store: Store, line: str, fact: str) -> None:
    """A model made of it that Ana has milk and eggs."""
    memories, _ = talked(store, line)
    assert [one.fact for one in memories if one.topic != "name"] == [fact]


@pytest.mark.parametrize(
    "line",
    [
        "shopping list: remove milk",
        "to do: nothing",
        "todo: change wifi password, new one hunter2",
        "Shopping: milk, eggs. I'm vegan now.",
        "shopping: Ben is vegan now",
        "Reading: 19C inside",
        "Ben's shopping: milk",
    ],
)
def test_what_is_no_plain_list_is_the_models_to_read(line: str) -> None:
    assert not jottings(Line("Ana", line)).entries


def test_what_is_to_be_done_has_its_day() -> None:
    (row,) = jottings(Line("Ana", "to do: pay the rent tomorrow")).added
    assert row.when == "tomorrow"
