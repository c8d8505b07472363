"""What is forgotten while a reply is written, or was copied before, doesn't come back; files that hold it are named."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chatmem.app import cli
from chatmem.app.chat import panels
from chatmem.app.shown import events as e
from chatmem.app.shown.render import lines
from chatmem.memory.errors import InputError
from chatmem.memory.forget.basis import Basis
from chatmem.memory.repair.copies import backup, restore
from chatmem.memory.store.store import Store
from chatmem.memory.transfer.exchange import export_file
from chatmem.memory.values import FORGOTTEN, Hop, LeftOut, Recall, RecallItem
from chatmem.models.api import Memory
from chatmem.models.lm import Chunk
from tests.app.forgetting import Home, Told, home

LOCKER = Told(
    "my locker number is 44710382", ("User's locker number is 44710382.",), ("44710382", "locker"),
    "please forget my locker number", "what is my locker number?", "Your locker number is 44710382.",
)  # fmt: skip


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path / "home") as made:
        yield made


def elsewhere(person: Home, change: str, *ids: int) -> None:
    """Another program forgets these facts, or undoes the last write."""
    with person.context.open_store() as store:
        memory = Memory.over(store, store.users.get(person.user.name))
        if change == "forgets":
            memory.forget(memory.to_forget(*ids))
        else:
            memory.undo()


TEA = Told("I drink green tea", ("User drinks green tea.",), (), "", "what do I drink?", "Green tea, you said.")


def told_why(person: Home) -> str:
    """All that /why and /context tell in every front end."""
    found = person.desk.why()
    lined = [told_line(event) for line in ("/why", "/context") for event in person.chat.submit(line)]
    return "\n".join([*lined, repr(found), repr(panels.last_why(person.chat.state)), repr(person.chat.last_recall)])


def told_line(event: e.Event) -> str:
    return "\n".join([*(text for text, _ in lines(event)), repr(event)])


@pytest.mark.parametrize("asked", ["what do I drink?", "what is my locker number?"])
def test_why_tells_nothing_that_another_chat_erased(person: Home, asked: str) -> None:
    for matter in (LOCKER, TEA):
        person.tell(matter)
    person.say(asked)
    state = person.chat.state
    recall = state.last_recall
    assert recall is not None and "44710382" in told_why(person) and len(recall.memories) == 2
    more = LeftOut("unrelated", LOCKER.line, turn_id=1), LeftOut("unrelated", TEA.facts[0], memory_id=2)
    hop = Hop(1, "search", "44710382", "1 fact")
    state.recalled(replace(recall, left_out=more, hops=(hop,), sql="SELECT 44710382;"), state.recent[-2])
    elsewhere(person, "forgets", *person.facts_of(LOCKER))
    told = told_why(person)
    assert "44710382" not in told and "locker" not in told
    assert ("green tea" in told) == (asked == TEA.question)


def test_why_stays_as_it_is_where_nothing_of_it_was_erased(person: Home) -> None:
    for matter in (LOCKER, TEA):
        person.tell(matter)
    person.say("what do I drink?")
    before = told_why(person)
    with person.context.open_store() as store:
        user = store.users.get(person.user.name)
        noted = store.facts.remember(user.id, "User", "talk", "User has a boat.").memory_id or 0
        Memory.over(store, user).forget(noted)
    assert told_why(person) == before
    elsewhere(person, "undoes")
    assert "44710382" in told_why(person) and "not remembered any more" in told_why(person)


@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize("asked", ["what do I drink?", "what is my locker number?"])
def test_what_was_thought_before_a_reply_goes_with_what_it_may_name(person: Home, asked: str, here: bool) -> None:
    for matter in (LOCKER, TEA):
        person.tell(matter)
    person.say(asked)
    person.chat.state.thought = "The locker is 44710382."
    assert "44710382" in "\n".join(map(told_line, person.say("/thinking")))
    if here:
        person.say("/forget 1 --yes")
    else:
        elsewhere(person, "forgets", *person.facts_of(LOCKER))
    assert "44710382" not in "\n".join(map(told_line, person.say("/thinking")))


@pytest.mark.parametrize("asks", ["forget my locker number", "/forget 1", "/reset", "forget everything"])
@pytest.mark.parametrize("line", ["yes but keep the dog", "hm, maybe", "only the first", "what would go?", "no wait"])
def test_half_an_answer_is_kept_nowhere_and_the_question_stays_open(person: Home, asks: str, line: str) -> None:
    person.tell(LOCKER)
    before = person.store.stats(person.user.id)
    (asked,) = [event for event in person.say(asks) if isinstance(event, e.Asked)]
    for one in (line, line):
        told, again = person.say(one)
        assert isinstance(told, e.Notice) and "the question stands: " in told.text and again == asked
        assert person.store.stats(person.user.id) == before
    assert any(isinstance(event, e.Forgotten) for event in person.chat.submit(asked.command))


@pytest.mark.parametrize("line", ["keep it", "I changed my mind", "nothing", "no"])
def test_a_no_closes_the_question_and_is_kept_nowhere(person: Home, line: str) -> None:
    person.tell(LOCKER)
    before = person.store.stats(person.user.id)
    person.say("/forget 1")
    (told,) = person.say(line)
    assert isinstance(told, e.Notice) and person.chat.state.offered is None
    assert person.store.stats(person.user.id) == before


def test_new_talk_closes_the_question_and_is_kept(person: Home) -> None:
    person.tell(LOCKER)
    person.say("/forget 1")
    assert any(isinstance(event, e.TurnSaved) for event in person.say("my sister Ida moved to Bonn yesterday, finally"))
    assert any(isinstance(event, e.TurnSaved) for event in person.say("hm, maybe"))  # nothing is asked any more


def test_what_an_answer_picks_is_asked_anew_and_half_an_answer_to_that_too(person: Home) -> None:
    for fact in ("User has a dog, Rex.", "User has a cat, Nori."):
        person.say(f"/remember {fact}")
    person.say("/forget 1 2")
    (asked,) = [event for event in person.say("yes but keep the dog") if isinstance(event, e.Asked)]
    assert asked.command == "/forget 2 --keep-others --yes"
    told, again = person.say("hm, not sure")
    assert isinstance(told, e.Notice) and again == asked


@pytest.mark.parametrize("pieces", [("Your locker number ", "is 44710382, "), ()])
@pytest.mark.parametrize("change", ["forgets", "undoes"])
def test_a_reply_in_the_making_is_kept_only_of_what_is_not_forgotten(
    person: Home, pieces: tuple[str, ...], change: str
) -> None:
    person.tell(LOCKER)
    list(person.chat.submit("/new"))
    ids, go, reached = person.facts_of(LOCKER), threading.Event(), threading.Event()

    def reply(*_: Any, **__: Any) -> Iterator[Chunk]:
        yield from map(Chunk, pieces)
        reached.set()
        assert go.wait(30)
        yield Chunk("44710382, as you told me.")
        yield Chunk("", "stop", 10, 0, 3)

    person.script.reply = reply
    heard: list[e.Event] = []
    asking = threading.Thread(target=lambda: heard.extend(person.chat.submit(LOCKER.question)))
    asking.start()
    assert reached.wait(30)
    elsewhere(person, change, *ids)
    go.set()
    asking.join(30)
    assert person.chat.wait(30)
    last = person.store.turns.of(person.store.sessions.all(person.user.id)[0].id)[-1]
    told = [one for one in heard if isinstance(one, e.Notice) and "forgotten meanwhile" in one.text]
    if change == "forgets":
        assert last.text == FORGOTTEN and len(told) == 1
        assert person.grep("44710382") == []
        assert not person.store.search(person.user.id, "locker number").items
    else:
        assert "44710382, as you told me." in last.text and not told


def test_what_was_said_is_kept_as_forgotten_where_its_basis_is(person: Home) -> None:
    store, user = person.store, person.user
    session = store.sessions.start(user.id)
    basis = Basis().with_turns(0, store.turns.add(session.id, user.subject, "I like tea").id)
    assert store.turns.add(session.id, "assistant", "Tea!", basis=basis).text == "Tea!"
    assert store.turns.add(session.id, "assistant", "Tea!", basis=Basis(rows=frozenset({999}))).text == FORGOTTEN
    gone = Basis().with_turns(12345)
    reply = store.turns.add(session.id, "assistant", "Green tea!")
    assert store.turns.set(reply.id, text="Green tea, with milk!", basis=gone).text == FORGOTTEN
    found = [turn.id for item in store.search(user.id, "green tea milk").items for turn in item.turns]
    assert found and reply.id not in found


def test_a_fact_whose_line_was_forgotten_before_can_be_told_of(person: Home) -> None:
    store, session = person.store, person.store.sessions.start(person.user.id)
    line = store.turns.add(session.id, person.user.subject, "Dan bakes")
    recall = Recall(
        "what does Dan do?",
        (RecallItem(1.0, turns=(line,)), RecallItem(1.0, turns=(replace(line, id=9_999, text=FORGOTTEN),))),
    )
    basis = Basis().with_recall(recall)
    assert basis.turns == {line.id}
    assert store.turns.add(session.id, "assistant", "He bakes.", basis=basis).text == "He bakes."


def test_copies_are_known_after_one_of_them_was_brought_back(person: Home, tmp_path: Path) -> None:
    person.tell(LOCKER)
    first, second, kept = (tmp_path / name for name in ("b1.db", "b2.db", "before.db"))
    backup(person.store, first)
    backup(person.store, second)
    restore(person.store, first, keep=kept)
    assert set(person.store.forget.exports(person.user.id)) == {first, second, kept}


def test_who_comes_back_with_a_copy_is_not_told_of_other_peoples_exports(person: Home, tmp_path: Path) -> None:
    first, kept, mine = (tmp_path / name for name in ("b1.db", "before.db", "mine.json"))
    export_file(person.store, person.user.id, mine)
    with Store.open(tmp_path / "other.db") as other:
        assert {other.users.get(name).name for name in (person.user.name, "ben")} == {person.user.name, "ben"}
        backup(other, first)
    restore(person.store, first, keep=kept)
    ben = person.store.users.get("ben")
    assert set(person.store.forget.exports(ben.id)) == {first, kept}
    assert set(person.store.forget.exports(person.store.users.get(person.user.name).id)) == {first, kept, mine}


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("2026-05-08", "2026-05-08T00:00:00Z"),
        ("2026-05-08T15:56:00+02:00", "2026-05-08T13:56:00Z"),
        ("2026-05-08T13:56:00Z", "2026-05-08T13:56:00Z"),
        ("0999-05-08", "0999-05-08T00:00:00Z"),
        ("nonsense", None),
        ("2026-02-30T00:00:00Z", None),
    ],
)
def test_a_line_is_kept_under_a_moment_or_not_at_all(person: Home, told: str, kept: str | None) -> None:
    session = person.store.sessions.start(person.user.id)
    if kept is None:
        with pytest.raises(InputError, match="write a day or a moment"):
            person.store.turns.add(session.id, "User", "I like tea", said_at=told)
        assert person.store.turns.of(session.id) == []
    else:
        assert person.store.turns.add(session.id, "User", "I like tea", said_at=told).said_at == kept


def test_talk_that_was_saved_as_a_file_is_named(person: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATMEM_USER", person.user.name)
    person.tell(LOCKER)
    saved, written = tmp_path / "talk.md", tmp_path / "talk.json"
    person.say("/resume 1")
    (wrote,) = [one.text for one in person.say(f"/save {saved}") if isinstance(one, e.Notice)]
    assert wrote.startswith("Wrote 2 lines")
    assert cli.main(["sessions", "export", "1", str(written)]) == 0
    plan = Memory.over(person.store, person.user).to_forget(*person.facts_of(LOCKER))
    assert {*plan.exports} == {str(saved), str(written)}
