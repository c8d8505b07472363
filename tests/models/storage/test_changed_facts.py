"""What a draft does to known rows: replaced is what surely ends, asked what may, and nothing else is lost."""

from __future__ import annotations

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.values import Memory
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.prompts.draft import Add, Change, Close, Draft
from chatmem.models.prompts.messages import insert_sql
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.changed_facts import is_mistaken, with_changes

WHEN = "2026-03-03T10:00:00Z"


def row(number: int, fact: str, *, pinned: bool = False, subject: str = "Ana") -> Memory:
    return Memory(number, 1, subject, "topic", fact, None, WHEN, WHEN, pinned=pinned)


def now(rows: list[Memory], draft: Draft, line: str) -> set[str]:
    """What the memory says after the draft was written."""
    facts = {one.id: one.fact for one in rows}
    added = []
    for entry in with_changes(draft, rows, line, "Ana").draft:
        if isinstance(entry, Add):
            added.append(entry.fact)
        elif isinstance(entry, Close):
            del facts[entry.id]
        else:
            facts[entry.id] = entry.fact or facts[entry.id]
    return {*facts.values(), *added}


@pytest.mark.parametrize(
    ("old", "fact", "line", "new"),
    [
        ("Ana's sister Mia lives in Berlin.", "Ana's sister Mia lives in Porto.", "Mia moved to Porto", True),
        ("Ana lives in Graz.", "Ana moved to Linz.", "I moved to Linz.", True),
        ("Ana's friend Mia lives in Berlin.", "Mia lives in Rome.", "Mia moved", "Ana's friend Mia lives in Rome."),
        ("Zoe is 4 years old.", "Zoe is 5 years old.", "Zoe had her birthday", True),
        ("Ana has a dog named Rex.", "Ana has a dog named Max.", "I got a dog named Max", False),  # there may be two
        ("Ana has a dog named Rex.", "Ana has a dog named Max.", "Actually, he is called Max", True),
        ("Ana has a dog named Rex.", "Ana has a dog named Max.", "Actually I also have Max", False),
        ("Ana's sister Mia lives in Berlin.", "Ana's brother Leo lives in Porto.", "Leo moved to Porto", False),
        ("Ana lives in Graz.", "Ana lives in a small flat.", "I live in a small flat", False),
        ("Ana is a nurse.", "Ana is a mother.", "Actually, I am a mother", False),
        ("Ana has a cat named Nori.", "Ana has a cat named Nori.", "our cat Nori died", "Ana's cat Nori died."),
        ("Ana owns a kayak.", "Ana has a kayak.", "I sold my kayak", "Ana sold Ana's kayak."),
        ("Ana's name is Ana B.", "Ana has a dog named Max.", "I have a dog named Max", False),
    ],
)
def test_the_new_state_of_a_known_fact(old: str, fact: str, line: str, new: str | bool) -> None:
    expected = {old, fact} if new is False else {fact if new is True else new}
    assert now([row(3, "Ana's name is Ana."), row(7, old)], Draft((Add("Ana", "t", fact),)), line) == {
        "Ana's name is Ana.", *expected,
    }  # fmt: skip


def test_a_change_of_another_matter_is_added_beside_and_read_anew() -> None:
    rows = [row(7, "Ana's husband Leo is allergic to nuts.")]
    draft = Draft((Change(7, "Ana's husband Leo is now a teacher."),))
    line = "Leo changed jobs, he's a teacher now"
    assert is_mistaken(draft, rows, line, "Ana")
    assert now(rows, draft, line) == {rows[0].fact, "Ana's husband Leo is now a teacher."}
    right = Draft((Change(7, "Ana's husband Leo is no longer allergic to nuts."),))
    assert not is_mistaken(right, rows, "Leo isn't allergic to nuts any more", "Ana")


def test_a_row_of_two_matters_keeps_the_one_that_holds() -> None:
    rows = [row(7, "Ana is a vet and lives in Graz.")]
    draft = Draft((Add("Ana", "home", "Ana moved to Linz."),))
    assert now(rows, draft, "we moved to Linz") == {"Ana is a vet.", "Ana moved to Linz."}


def test_an_end_needs_words_that_end_it() -> None:
    rows = [row(7, "Ana has a boat.")]
    assert with_changes(Draft((Close(7),)), rows, "I went sailing", "Ana").draft == Draft()
    assert with_changes(Draft((Close(7),)), rows, "I sold the boat", "Ana").draft.touched == [7]


def test_what_the_model_did_not_write_is_taken_from_the_line() -> None:
    assert now([row(7, "Ana plays the cello.")], Draft(), "I don't play the cello any more") == {
        "Ana doesn't play the cello any more."
    }
    assert now([row(7, "Ana's locker number is 47.")], Draft(), "no, it's 74, not 47") == {"Ana's locker number is 74."}
    assert now([row(7, "Ana sees the dentist on Friday.")], Draft(), "dentist on Monday at 3pm instead of Friday") == {
        "Ana sees the dentist on Monday at 3pm."
    }


def test_it_is_asked_where_two_rows_could_be_meant() -> None:
    rows = [row(7, "Ana's brother Tom lives in Leeds."), row(8, "Ana's brother Sam lives in Bath.")]
    settled = with_changes(
        Draft((Add("Ana", "b", "Ana's brother moved to York."),)), rows, "my brother moved to York", "Ana"
    )
    assert settled.draft.touched == []
    assert [one.row.id for one in settled.doubts] == [8, 7]


def test_a_pinned_row_is_asked_about_and_never_changed() -> None:
    rows = [row(7, "Ana lives in Graz.", pinned=True)]
    settled = with_changes(Draft((Add("Ana", "home", "Ana moved to Linz."),)), rows, "I moved to Linz", "Ana")
    assert settled.draft.touched == []
    assert [(one.row.id, one.fact) for one in settled.doubts] == [(7, "Ana moved to Linz.")]


def test_a_line_that_ends_more_than_two_facts_of_the_speaker_is_asked_about() -> None:
    rows = [row(1, "Ana has a boat."), row(2, "Ana has a car."), row(3, "Ana has a house.")]
    closes, line = Draft((Close(1), Close(2), Close(3))), "I sold the boat, the car and the house"
    assert with_changes(Draft((Close(1), Close(2))), rows[:2], line, "Ana").draft.touched == [1, 2]
    settled = with_changes(closes, rows, line, "Ana")
    assert settled.draft.touched == []
    assert sorted(one.row.id for one in settled.doubts) == [1, 2, 3]


def test_two_homes_without_a_word_of_change_are_asked_about() -> None:
    settled = with_changes(
        Draft((Add("Ana", "home", "Ana lives in Linz."),)), [row(7, "Ana lives in Graz.")], "I live in Linz", "Ana"
    )
    assert settled.draft.facts == ["Ana lives in Linz."]
    assert [one.row.id for one in settled.doubts] == [7]


def test_a_date_is_read_with_the_tense_of_its_line(store: Store) -> None:
    """Said in November, "in March" of what was is the last March; "on Friday at 3pm" is to come, and the hour stays."""
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    said = [
        ("Leo had his hip replaced in March", "Ana's father had a hip replaced.", "in March"),
        ("I have the dentist on Friday at 3pm", "Ana has the dentist on Friday.", "on Friday"),
    ]
    for line, fact, when in said:
        turn = store.turns.add(session.id, "Ana", line, said_at="2026-11-22T10:00:00Z")
        StorageAgent(ScriptedLM([insert_sql([("Ana", "health", fact, when)])]), store).run([turn], user)
    assert [one.happened_on for one in store.facts.all(user.id)] == ["2026-03", "2026-11-27"]
