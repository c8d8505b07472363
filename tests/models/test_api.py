"""`chatmem.Memory`: one person's memory in one object."""

from __future__ import annotations

import doctest
from collections.abc import Iterator
from pathlib import Path

import pytest

import chatmem
from chatmem.memory.errors import InputError, ModelBroken, NotFound, StoreError
from chatmem.memory.store.store import Store
from chatmem.models import api
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.prompts.messages import NOTHING
from chatmem.models.prompts.tuned import Prompt, Prompts, Tuned, write_prompts
from chatmem.models.storage.agent import StorageAgent
from tests.models.storage.test_faithful import Draws, says


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[chatmem.Memory]:
    with chatmem.Memory(tmp_path / "m.db", user="ana", name="Ana", model=None) as made:
        yield made


def with_model(memory: chatmem.Memory, *texts: str) -> chatmem.Memory:
    return chatmem.Memory.over(memory.store, memory.user, StorageAgent(Draws(*texts), memory.store))


def test_what_is_said_is_kept_written_found_and_taken_back(memory: chatmem.Memory) -> None:
    told = with_model(memory, says("Ana has two cats, Nori and Wasabi."))
    said = told.say("I have two cats, Nori and Wasabi")
    assert (said.facts, said.refused, said.turn.speaker) == (["Ana has two cats, Nori and Wasabi."], (), "Ana")
    found = memory.recall("what are my cats called?")
    assert "Ana has two cats, Nori and Wasabi." in found.text.splitlines()
    assert len(found.why) == len(found.items) > 0 and all(found.why)
    (row,) = memory.search("cats")
    origin = memory.why(row.id)
    assert [turn.text for turn in origin.lines] == ["I have two cats, Nori and Wasabi"]
    assert [entry.kind for entry in origin.history] == ["insert"]
    memory.undo()
    assert memory.facts() == [] and "Nori and Wasabi" in memory.recall("what are my cats called?").text  # the line


def test_what_a_check_threw_away_is_told_and_stands_in_the_journal(memory: chatmem.Memory) -> None:
    said = with_model(memory, says("Ana likes coriander.")).say("I can't stand coriander")
    assert said.written == () and [entry.author.actor for entry in said.refused] == ["check:turned_round"]
    assert memory.journal(refused=True) == list(said.refused)


def test_what_may_be_over_is_told_and_closed_by_hand(memory: chatmem.Memory) -> None:
    home = memory.remember("Ana lives in Graz.", topic="home")
    said = with_model(memory, says("Ana lives in Linz.")).say("I live in Linz")
    assert [(doubt.row.id, doubt.fact) for doubt in said.doubts] == [(home.memory_id, "Ana lives in Linz.")]
    assert with_model(memory, says("Ana has a cat.")).say("I have a cat").doubts == ()
    assert {row.fact for row in memory.facts()} == {"Ana lives in Graz.", "Ana lives in Linz.", "Ana has a cat."}
    memory.end(said.doubts[0].row.id)
    assert {row.fact for row in memory.facts()} == {"Ana lives in Linz.", "Ana has a cat."}
    with pytest.raises(InputError):
        memory.end(said.doubts[0].row.id)
    memory.undo()
    assert "Ana lives in Graz." in {row.fact for row in memory.facts()}


def test_a_line_that_waits_is_caught_up_with(memory: chatmem.Memory) -> None:
    class Broken(Draws):
        def generate(self, messages: object, options: object) -> Iterator[object]:  # type: ignore[override]
            raise ModelBroken("the model is broken: take another.")

    broken = chatmem.Memory.over(memory.store, memory.user, StorageAgent(Broken(NOTHING), memory.store))
    with pytest.raises(ModelBroken):
        broken.say("I have a dog")
    assert [said.facts for said in with_model(memory, says("Ana has a dog.")).catch_up()] == [["Ana has a dog."]]
    assert memory.store.queue.pending(memory.user.id) == []


def test_forgetting_and_correcting_touch_only_one_s_own(memory: chatmem.Memory, tmp_path: Path) -> None:
    entry = memory.remember("Ana lives in Porto.", topic="home", date="2024")
    edited = memory.edit(entry.memory_id or 0, "Ana lives in Lisbon.")
    with chatmem.Memory(tmp_path / "m.db", user="ben", model=None) as ben:
        assert ben.facts() == [] and ben.search("Lisbon") == [] and ben.recall("who lives in Lisbon?").text == ""
        for act in (ben.get, ben.forget, ben.why):
            with pytest.raises(NotFound):
                act(edited.memory_id or 0)
        with pytest.raises(NotFound):
            ben.edit(edited.memory_id or 0, "x")
    assert memory.forget(edited.memory_id or 0).rows == 2
    assert memory.facts() == []


def test_without_anything_to_do_it_says_so(memory: chatmem.Memory) -> None:
    memory.undo()  # the name that it was opened with
    assert memory.user.called is None
    for act in (memory.undo, memory.forget, lambda: memory.say("  ")):
        with pytest.raises(InputError):
            act()


def test_a_store_that_somebody_else_opened_stays_open(tmp_path: Path) -> None:
    with Store.open(tmp_path / "m.db") as store:
        with chatmem.Memory.over(store, store.users.get("ana")) as memory:
            memory.say("good morning")
        assert [one.ended_at is not None for one in store.sessions.all(store.users.get("ana").id)] == [True]
        assert memory.store.queue.pending(memory.user.id) == []


def test_a_closed_memory_does_nothing_more(tmp_path: Path) -> None:
    memory = chatmem.Memory(tmp_path / "m.db", model=None)
    entry = memory.remember("Ana sails.")
    plan = memory.to_forget(entry.memory_id or 0)
    memory.close()
    memory.close()
    calls = (
        lambda: memory.say("hello"), memory.catch_up, lambda: memory.own(1), lambda: memory.recall("sails?"),
        lambda: memory.search("sails"), memory.facts, lambda: memory.get(1), lambda: memory.why(1), memory.journal,
        lambda: memory.remember("Ana rows."), lambda: memory.edit(1, "Ana rows."), memory.undo,
        lambda: memory.to_forget(1), lambda: memory.forget(plan), lambda: memory.user, memory.__enter__,
    )  # fmt: skip
    for call in calls:
        with pytest.raises(StoreError, match="this memory is closed; open it anew"):
            call()
    with chatmem.Memory(tmp_path / "m.db", model=None) as again:
        assert [row.fact for row in again.facts()] == ["Ana sails."]


def test_numbers_that_no_row_can_have_are_not_found(memory: chatmem.Memory) -> None:
    for call in (memory.get, memory.why, memory.own, memory.undo, memory.forget, lambda n: memory.edit(n, "x")):
        for number in (10**30, -(10**30)):
            with pytest.raises(NotFound):
                call(number)


def test_a_model_that_is_no_name_is_refused_with_the_way_to_use_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no Draws: .*Memory\.over\(store"):
        chatmem.Memory(tmp_path / "m.db", model=Draws(NOTHING))  # type: ignore[arg-type]
    assert not (tmp_path / "m.db").exists()


def test_the_package_lists_what_it_offers() -> None:
    assert {"Memory", "__version__"} <= set(dir(chatmem))


def test_a_moment_that_is_none_is_refused(memory: chatmem.Memory) -> None:
    for now in ("2026-02-30T00:00:00Z", "soon", ""):
        with pytest.raises(InputError, match="now is"):
            memory.recall("cats", now=now)
    assert memory.recall("cats", now="2026-02-28").text == memory.recall("cats", now="2026-02-28T00:00:00Z").text


def test_the_examples_in_the_docs_of_the_class_run() -> None:
    found = doctest.testmod(api)
    assert found.attempted >= 3
    assert found.failed == 0


def test_a_model_is_told_what_was_tuned_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lm = ScriptedLM(["-- nothing"])
    monkeypatch.setattr("chatmem.models.registry.load", lambda *_, **__: lm)
    write_prompts(tmp_path / "p.json", Prompts({"storage": Tuned(Prompt("Keep what is told."), lm.name)}))
    with chatmem.Memory(tmp_path / "m.db", model="gguf:x", prompts=tmp_path / "p.json") as memory:
        memory.say("I have two cats.")
    assert lm.calls and lm.calls[0][0][0].content == "Keep what is told."
