"""What a storage model may take a fact from: what the user said, never a question and never only a reply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, Author, Turn, WriteResult
from chatmem.models.api import Memory
from chatmem.models.backends.llama import engine
from chatmem.models.chat.forgetting.wished import wishes
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.lm import LM, Message, Options
from chatmem.models.prompts.messages import insert_sql
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.own_evidence import as_read, own_part
from tests.models.conftest import THREADS

QUESTIONS = (
    (Path(__file__).parents[2] / "memory" / "language" / "asked" / "questions.txt")
    .read_text(encoding="utf-8")
    .splitlines()
)


def stores_all(messages: Sequence[Message], options: Options) -> str:
    """The worst model that there can be: of whatever it reads, it makes facts."""
    said = messages[-1].content.rsplit(": ", 1)[-1].replace("'", "''")
    return f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('User', 'talk', '{said}', NULL);"


def table(store: Store) -> list[tuple[object, ...]]:
    """The tables of memories and of their evidence, byte for byte."""
    with store.db.read() as connection:
        return [
            tuple(row)
            for name in ("memories", "memory_evidence")
            for row in connection.exec_driver_sql(f"SELECT * FROM {name}")
        ]


def told(store: Store, lm: LM, *lines: str, language: str | None = None) -> WriteResult:
    """Lines said by turns, the user's first; the last one is stored."""
    user = store.users.get("me")
    session = store.sessions.start(user.id)
    who = [user.subject, ASSISTANT]
    first = (len(lines) + 1) % 2
    turns = [store.turns.add(session.id, who[(first + n) % 2], line) for n, line in enumerate(lines)]
    return StorageAgent(lm, store, language=language).run(turns[-1:], user)


@pytest.mark.parametrize("adapter", [None, "storage"])
def test_a_hundred_questions_leave_the_memory_byte_for_byte(store: Store, adapter: str | None) -> None:
    lm = ScriptedLM([stores_all], adapter=adapter)
    memory = Memory.over(store, store.users.get("me"), StorageAgent(lm, store))
    memory.say("My sister Vera lives in Oslo.")
    before, asked = table(store), len(lm.calls)
    assert before
    assert len(QUESTIONS) >= 100
    for question in QUESTIONS:
        assert memory.say(question).written == ()
    assert table(store) == before
    assert len(lm.calls) == asked  # none of them was shown to the model


def test_the_embedded_model_stores_nothing_of_questions_either(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "default_threads", lambda: THREADS)
    with Memory.over(store, store.users.get("me")) as memory:
        memory._model = "embedded"
        memory.say("My sister Vera lives in Oslo.")
        before = table(store)
        assert before
        for question in QUESTIONS[::12]:
            memory.say(question)
        assert table(store) == before


def test_of_a_line_that_tells_and_asks_only_the_telling_part_is_read(store: Store) -> None:
    lm = ScriptedLM([stores_all])
    told(store, lm, "My sister Vera lives in Oslo, where should I stay?")
    ((messages, _),) = lm.calls
    assert "Vera lives in Oslo" in messages[-1].content
    assert "stay" not in messages[-1].content
    assert [memory.fact for memory in store.facts.all(store.users.get("me").id)] == ["My sister Vera lives in Oslo."]


def says(fact: str) -> ScriptedLM:
    return ScriptedLM(
        [f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('User', 'talk', '{fact}', NULL);"]
    )


REPLY = "Is it Leo, who is 42 and lives in Bergen? I would read Middlemarch."


@pytest.mark.parametrize(
    "fact", ["User has a brother called Leo.", "User has a brother who is 42.", "Leo lives in Bergen."]
)
@pytest.mark.parametrize("language", [None, "de"])
def test_what_only_the_reply_said_is_refused_with_its_reason(store: Store, fact: str, language: str | None) -> None:
    result = told(
        store, says(fact), "I have to tell you something", REPLY, "I called my brother today", language=language
    )
    (entry,) = result.entries
    assert (entry.kind, entry.author.actor) == ("refused", "check:not_said")
    assert fact in entry.sql
    assert re.search("Only the assistant said it", entry.reason or "")
    assert store.facts.all(store.users.get("me").id) == []


@pytest.mark.parametrize("line", ["Yes, that's him", "right, he does", "Exactly."])
def test_what_the_user_affirms_is_told_by_the_user(store: Store, line: str) -> None:
    result = told(store, says("Leo lives in Bergen."), "I called my brother", REPLY, line)
    assert [entry.kind for entry in result.entries] == ["insert"]


@pytest.mark.parametrize("adapter", [None, "storage"])
def test_what_the_user_affirms_and_then_asks_of_something_else_is_told(store: Store, adapter: str | None) -> None:
    lm = says("Leo lives in Bergen.")
    lm.adapter = adapter
    result = told(store, lm, "I called my brother", REPLY, "right, he does. And where is my coat?")
    assert [entry.kind for entry in result.entries] == ["insert"]


def test_an_answer_to_a_question_of_the_assistant_stands(store: Store) -> None:
    result = told(store, says("User has a cat called Miso."), "I got a pet", "A cat? What is it called?", "Miso")
    assert [entry.kind for entry in result.entries] == ["insert"]


def test_what_stood_in_an_earlier_question_is_not_told_by_the_next_line(store: Store) -> None:
    result = told(store, says("Vera lives in Oslo."), "does Vera live in Oslo?", "I don't know.", "never mind, thanks")
    assert [entry.author.actor for entry in result.entries] == ["check:not_said"]


@pytest.mark.parametrize(
    ("fact", "kept"),
    [("User met Ben in Ghent.", True), ("User met Ben at Lidl.", False), ("Ben works at Lidl.", False)],
)
def test_whom_a_question_names_the_rest_of_the_line_may_mean(store: Store, fact: str, kept: bool) -> None:
    lm = says(fact)
    lm.adapter = "storage"
    told(store, lm, "Ben works at Lidl, doesn't he? I met him in Ghent")
    facts = [memory.fact for memory in store.facts.all(store.users.get("me").id)]
    assert (fact in facts) is kept
    assert not any("Lidl" in one for one in facts)


@pytest.mark.parametrize(
    ("fact", "kept"), [("User sings in a choir in Ghent.", True), ("User likes Aretha Franklin.", False)]
)
def test_a_trained_model_sees_what_a_line_asks_before_what_it_tells(store: Store, fact: str, kept: bool) -> None:
    lm = says(fact)
    lm.adapter = "storage"
    told(store, lm, "Do you like Aretha Franklin or another singer? I sing in a choir in Ghent.")
    shown = lm.calls[0][0][-1].content
    assert 0 <= shown.index("Aretha Franklin") < shown.index("I sing in a choir in Ghent.")
    facts = [memory.fact for memory in store.facts.all(store.users.get("me").id)]
    assert (fact in facts) is kept and not any("Aretha" in one for one in facts)


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("actually they moved it to the 11th, same time", "User''s dentist appointment is on 11 December at 2:30."),
        ("no, the 2nd of January it is", "User''s dentist appointment is on the 2nd of January at 2:30."),
    ],
)
def test_a_day_that_is_told_by_its_ordinal_is_told(store: Store, line: str, fact: str) -> None:
    me, author = store.users.get("me").id, Author("human")
    known = insert_sql([("User", "dentist", "User's dentist appointment is on 4 December at 2:30.", None)])
    store.facts.write(me, known, author=author, subjects=["User"])
    lm = ScriptedLM([f"UPDATE memory SET fact = '{fact}' WHERE id = 1;"], adapter="storage")
    result = told(
        store, lm, "my dentist appointment is on 4 December at 2:30", "Good luck with your appointment!", line
    )
    assert [memory.fact for memory in store.facts.all(me)] == [fact.replace("''", "'")], result


@pytest.mark.parametrize(
    ("line", "nods"),
    [
        ("You know I live in Bonn, right?", True),
        ("Did I tell you that I'm divorced?", True),
        ("I live in Bonn.", False),
        ("I moved. Did I tell you that I'm divorced?", False),
        ("Where do I live?", False),
    ],
)
def test_what_is_only_told_in_the_form_of_a_question_is_known(line: str, nods: bool) -> None:
    assert own_part(Turn(1, 1, 1, "Ana", line, "2026-03-03T10:00:00Z")).nods is nods


def test_an_answer_to_ones_own_question_puts_nothing_right() -> None:
    turn = Turn(1, 1, 1, "Ana", "Can you smell chestnuts? No. Pity.", "2026-11-24T09:00:00Z")
    told = own_part(turn).turn
    assert told is not None and told.text == "Pity."


@pytest.mark.parametrize("line", ["Did I say 640? No, 460.", "Did I tell you Bath? No, Bristol."])
def test_an_answer_about_ones_own_words_may_put_them_right(line: str) -> None:
    told = own_part(Turn(1, 1, 1, "Ana", line, "2026-11-24T09:00:00Z")).turn
    assert told is not None and told.text.startswith("No, ")


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("we went to york on sunday and it was nice my brother came with us he has a new dog called rex", True),
        ("we went to york on sunday and it was nice but please forget that i told you about my brother in prison",
         False),
        ("please delete everything i told you about my sister and her husband and the money they owe me", False),
        ("i moved to york in may", False),
    ],
)  # fmt: skip
def test_a_dictated_line_is_read_with_marks_unless_it_wishes_something_forgotten(line: str, marked: bool) -> None:
    [read] = as_read([Turn(1, 1, 1, "Ana", line, "2026-11-24T09:00:00Z")], None, lambda turn: (), wishes())
    assert (read.text != line) is marked
