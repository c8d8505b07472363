"""`chatmem.Memory`: one person's memory in one object."""

from __future__ import annotations

import doctest
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import chatmem
from chatmem.memory.errors import InputError, ModelBroken, NotFound, SettingsError, StoreError
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
    with pytest.raises(InputError, match=r"Draws: .*Memory\.over\(store"):
        chatmem.Memory(tmp_path / "m.db", model=Draws(NOTHING))  # type: ignore[arg-type]
    assert not (tmp_path / "m.db").exists()


def test_what_is_no_text_number_or_zone_is_refused_in_a_sentence(memory: chatmem.Memory, tmp_path: Path) -> None:
    path: Any = tmp_path / "n.db"
    wrong: list[Callable[[Any], object]] = [
        memory.say, memory.remember, memory.search, memory.recall, memory.get, memory.why, memory.end, memory.to_forget,
        lambda x: memory.remember("Ana sails.", topic=x), lambda x: memory.recall("x", words=x),
        lambda x: memory.edit(1, x), lambda x: memory.to_forget(words=x), lambda x: memory.search("x", limit=x),
        lambda x: chatmem.Memory(x), lambda x: chatmem.Memory(path, user=x), lambda x: chatmem.Memory(path, embedder=x),
    ]  # fmt: skip
    for value in (None, b"x", 1.5, True):
        for call in wrong:
            with pytest.raises(InputError, match=r"^\w+ is .{1,50}: give .*\.$"):
                call(value)
    for call in (memory.facts, memory.journal, lambda limit: memory.search("x", limit=limit)):
        with pytest.raises(InputError, match="limit is -1: give a whole number of 0 or more"):
            call(limit=-1)
    with pytest.raises(InputError, match="zone is 'Europe/Vienna': give a time zone"):
        chatmem.Memory(path, zone="Europe/Vienna")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"search\(\)"):
        memory.search()  # type: ignore[call-arg]
    assert not path.exists()


def test_what_is_named_too_little_or_twice_is_told(memory: chatmem.Memory) -> None:
    memory.remember("Ana has the two cats.")
    told = (
        ({}, "say which facts"), ({"words": "cats", "about": "Ana"}, "more than one matter"),
        ({"words": "the"}, "'the' may"), ({"words": "everything"}, "forget --all"),
    )  # fmt: skip
    for named, sentence in told:
        with pytest.raises(InputError, match=sentence):
            memory.to_forget(**named)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="more than one matter"):
        memory.to_forget(1, words="cats")
    assert memory.to_forget(words="submarine").empty and not memory.to_forget(words="the cats").empty


def test_an_empty_passphrase_keeps_nothing_in_the_open(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="passphrase is empty"):
        chatmem.Memory(tmp_path / "m.db", passphrase="")
    assert not (tmp_path / "m.db").exists()


def test_a_name_that_is_no_model_is_told_when_the_memory_is_opened(tmp_path: Path) -> None:
    for wrong in ({"model": "nope"}, {"embedder": "nope"}):
        with pytest.raises(SettingsError, match="'nope' names no"):
            chatmem.Memory(tmp_path / "m.db", **wrong)  # type: ignore[arg-type]
    assert not (tmp_path / "m.db").exists()


def test_a_failing_encoder_is_told_of(tmp_path: Path) -> None:
    with chatmem.Memory(tmp_path / "m.db", model=None, embedder="gguf:/nowhere.gguf") as memory:
        memory.remember("Ana has two cats.")
        with pytest.warns(UserWarning, match=r"words alone: There is no encoder at /nowhere\.gguf"):
            found = memory.recall("cats")
        assert found.items and "no encoder" in found.trouble
        with pytest.warns(UserWarning, match="words alone"):
            assert memory.search("cats")


def test_what_is_said_is_told_as_it_is_kept_now(memory: chatmem.Memory) -> None:
    assert memory.say("good morning").turn.storage == "done"
    turn = memory.say('Mia: "I live in Rome"').turn
    assert (turn.storage, turn.quoted) == ("quoted", ('"I live in Rome"',))
    turn = memory.own(turn.id).turn
    assert (turn.storage, turn.quoted) == ("kept", ())
    assert turn == replace(memory.store.turns.get(turn.id, user_id=memory.user.id), quoted=())


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


WISHES = """forget that my locker number is 4471=Please forget my two cats.=forget everything about Tom=delete my salary
don't remember this: my pin is 8812=what I told you about Leo must go from your memory=forget what I just said
can you forget where I work?=Could you please forget that I was ill, it's embarrassing=forget Ana's salary
I'd rather you forgot about my debts=unremember my address=everything I said today should be forgotten
Hi! Please forget my salary. I got a dog.=forget Anna, born in 1981=forget everything
forget my debts, my wife reads this"""
TALK = """I'll never forget that=don't forget to call mum=Forget Berlin. We're going to Lisbon in May=I forgot my keys
delete my rent=forget it=Forget Paris is a great film=my boss said forget the bonus=never mind
Remember that I like tea=I keep forgetting Tom's birthday=Mia said "forget my number"=He told me to forget the past
my dad forgets everything lately=We should erase the board before class=How do I delete a row in Excel?
Forget Berlin, we're going to Lisbon in May=Forget work, I'm on holiday until Monday=forget mum, dad is ill"""


@pytest.fixture
def paid(memory: chatmem.Memory) -> chatmem.Memory:
    memory.remember("Ana's salary is 4210 euros.", topic="salary")
    return memory


def told_in(text: str) -> list[str]:
    return text.replace("\n", "=").split("=")


@pytest.mark.parametrize("line", told_in(WISHES))
def test_a_wish_to_forget_is_kept_nowhere_and_tells_which_call_forgets(paid: chatmem.Memory, line: str) -> None:
    before = paid.store.stats(paid.user.id)
    with pytest.warns(UserWarning, match="nothing was erased") as told:
        said = paid.say(line)
    call = "memory.store.forget.user(" if line == "forget everything" else "memory.forget(plan)"
    assert call in said.unkept and str(told[0].message) == said.unkept and told[0].filename == __file__
    assert (said.turn.id, said.facts, said.refused) == (0, [], ())
    assert paid.store.stats(paid.user.id) == before and not paid.store.sessions.all(paid.user.id)
    assert said.unkept.endswith("in a line of its own.") == line.endswith("dog.")


@pytest.mark.parametrize("line", told_in(TALK))
def test_what_wishes_nothing_forgotten_is_kept(paid: chatmem.Memory, line: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = paid.say(line)
    assert said.turn.id and said.unkept == "" and said.turn.storage in ("done", "quoted")


def test_forget_that_is_a_wish_right_after_something_was_told(paid: chatmem.Memory) -> None:
    turn = paid.say("my locker number is 4471").turn
    paid.remember("Ana's locker number is 4471.", turn_ids=[turn.id])
    with pytest.warns(UserWarning):
        assert paid.say("forget that").unkept
    paid.say("good morning")
    assert not paid.say("forget that").unkept


def test_the_call_that_is_told_forgets(paid: chatmem.Memory) -> None:
    with pytest.warns(UserWarning):
        paid.say("forget my salary")
    paid.forget(paid.to_forget(words="my salary"))
    assert paid.facts() == []
