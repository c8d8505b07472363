"""A long message: read for facts in parts, each told, nothing lost. Besides, what is said once in a chat, and what a
session is called."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event, Thread

import pytest

from chatmem.app.chat.parts import UNDONE
from chatmem.app.chat.state import ENGLISH_ONLY, LATER
from chatmem.app.shown.events import MemoryDelayed, Notice, TurnSaved
from chatmem.memory.errors import EndpointError
from chatmem.memory.language.quoted import whose
from chatmem.memory.values import Turn, User, WriteResult
from tests.app.conftest import Room, open_room


def paste(lines: int) -> str:
    return "\n".join(
        f"fact: I own the boat called number {n:03d}, and " + "it is a fine boat " * 9 for n in range(lines)
    )


def notices(events: Sequence[object]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


def test_every_part_of_a_paste_is_read_and_what_came_of_it_is_told(room: Room) -> None:
    text = paste(30) + "\nwell, this line tells nothing of the kind, " + "and goes on " * 12 + "."
    told = notices(room.say(text))
    assert "31 lines" in told[0]
    assert "read for facts in 31 parts" in told[0]
    assert len(room.script.stored) == 31
    assert len(room.store.facts.all(room.chat.user.id)) == 30
    assert "31 parts: 30 changes" in told[-1]
    assert "1 part brought none (“well, this line" in told[-1]
    assert room.store.turns.of(room.chat.session.id)[0].text == text, "it is one message, kept as it was"  # type: ignore[union-attr]
    assert len(room.script.asked) == 1


def test_where_reading_ends_is_told(room: Room) -> None:
    told = notices(room.say(paste(100)))
    read = len(room.script.stored)
    assert 30 < read < 100
    assert f"from “fact: I own the boat called number {read:03d}" in told[0]
    assert "smaller messages" in told[0]


def test_a_long_message_that_was_left_off_in_the_middle_is_read_to_its_end_without_doubles(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = room.script.run

    def fails_later(turns: Sequence[Turn], user: User) -> WriteResult:
        if len(room.script.stored) == 7:
            raise EndpointError("The endpoint is gone; try again.")
        return whole(turns, user)

    monkeypatch.setattr(room.script, "run", fails_later)
    assert any(isinstance(event, MemoryDelayed) for event in room.say(paste(20)))
    assert len(room.store.facts.all(room.chat.user.id)) == 7
    monkeypatch.setattr(room.script, "run", whole)
    assert room.chat.retry_pending() == 1
    assert room.chat.wait(10)
    facts = [memory.fact for memory in room.store.facts.all(room.chat.user.id)]
    assert len(facts) == len(set(facts)) == 20


def test_in_incognito_nothing_is_said_of_facts(room: Room) -> None:
    list(room.chat.set_incognito(True))
    assert notices(room.say(paste(20))) == []


def test_that_the_small_model_speaks_english_only_is_said_once(room: Room) -> None:
    def told(*lines: str) -> list[str]:
        return [one for one in notices(room.say(*lines)) if one == ENGLISH_ONLY]

    assert told("I have two cats.") == []
    assert told("Ich wohne seit zwei Jahren mit meiner Schwester in Wien.") == [ENGLISH_ONLY]
    assert told("Wir haben zwei Katzen und einen großen Garten.", "and a dog") == []


def test_a_secret_is_no_title_of_a_session(room: Room) -> None:
    room.say("My laptop's password is Zwiebelkuchen3 and I live in Graz.")
    (session,) = room.store.sessions.all(room.chat.user.id)
    assert session.title == "I live in Graz."


class Halting:
    """The storage script, which stops before its n-th reading until it is let go."""

    def __init__(self, room: Room, monkeypatch: pytest.MonkeyPatch, before: int) -> None:
        self.here, self.go, self._before, self._whole, self._room = Event(), Event(), before, room.script.run, room
        monkeypatch.setattr(room.script, "run", self.run)

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult:
        if len(self._room.script.stored) == self._before:
            self.here.set()
            assert self.go.wait(10)
        return self._whole(turns, user)


def facts(room: Room) -> list[str]:
    return [memory.fact for memory in room.store.facts.all(room.chat.user.id)]


def test_lines_said_meanwhile_come_before_the_next_part(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    halting = Halting(room, monkeypatch, before=3)
    list(room.chat.submit(paste(10)))
    assert halting.here.wait(10)
    list(room.chat.submit("fact: I have a cat."))
    assert room.chat.worker.waiting == 2
    reading = room.chat.worker.reading
    assert reading is not None
    assert (reading.at, reading.parts) == (3, 10)
    halting.go.set()
    assert room.chat.wait(10)
    assert ["cat" in turns[0].text for turns in room.script.stored].index(True) == 4
    assert len(facts(room)) == 11


def test_a_chat_that_was_left_goes_on_with_the_part_that_comes_next(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    halting = Halting(room, monkeypatch, before=3)
    list(room.chat.submit(paste(10)))
    assert halting.here.wait(10)
    list(room.chat.leave())
    closed = Thread(target=room.chat.close)
    closed.start()
    halting.go.set()
    closed.join(10)
    assert len(room.script.stored) == 4
    later = open_room(room.path)
    assert later.chat.retry_pending() == 1
    assert later.chat.wait(10)
    assert len(later.script.stored) == 6
    assert len(facts(later)) == 10
    later.chat.close()


def test_what_is_undone_while_a_message_is_read_stops_the_reading(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    halting = Halting(room, monkeypatch, before=3)
    events = list(room.chat.submit(paste(10)))
    turn = next(event.turn for event in events if isinstance(event, TurnSaved))
    assert halting.here.wait(10)
    halting.go.set()
    with room.chat.worker.still():
        room.store.journal.undo_turn(turn.id, user_id=room.chat.user.id)
    assert room.chat.wait(10)
    assert facts(room) == []
    assert len(room.script.stored) == 4
    assert UNDONE in notices(room.background)
    assert not room.store.queue.pending(room.chat.user.id)


def test_incognito_is_on_at_once_and_what_waits_is_remembered_after_it(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    halting = Halting(room, monkeypatch, before=0)
    list(room.chat.submit("fact: I have a dog."))
    assert halting.here.wait(10)
    list(room.chat.submit("fact: I have a cat."))
    assert LATER.format(1) in notices(list(room.chat.set_incognito(True)))
    assert room.chat.incognito
    halting.go.set()
    assert room.chat.wait(10)
    assert [memory.fact for memory in room.store.facts.all(1)] == ["I have a dog."]
    list(room.chat.submit("fact: I have a hen."))
    list(room.chat.set_incognito(False))
    assert room.chat.wait(10)
    assert sorted(facts(room)) == ["I have a cat.", "I have a dog."]


@pytest.mark.parametrize("read", [0, 3])
def test_in_incognito_no_further_part_of_a_long_message_is_read(
    room: Room, monkeypatch: pytest.MonkeyPatch, read: int
) -> None:
    halting = Halting(room, monkeypatch, before=read)
    list(room.chat.submit(paste(10)))
    assert halting.here.wait(10)
    assert LATER.format(1) in notices(list(room.chat.set_incognito(True)))
    halting.go.set()
    assert room.chat.wait(10)
    assert len(room.script.stored) == read + 1
    list(room.chat.set_incognito(False))
    assert room.chat.wait(10)
    assert len(room.script.stored) == 10 and len(facts(room)) == 10


def test_incognito_begins_no_other_part_of_a_long_message(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    halting = Halting(room, monkeypatch, before=3)
    list(room.chat.submit(paste(10)))
    assert halting.here.wait(10)
    told = list(room.chat.set_incognito(True))
    assert notices(told[-1:]) == [LATER.format(1)], "a window that is emptied for incognito shows what comes after"
    halting.go.set()
    assert room.chat.wait(10)
    assert len(room.script.stored) == 4
    list(room.chat.set_incognito(False))
    assert room.chat.wait(10)
    assert len(room.script.stored) == 10
    assert len(facts(room)) == 10


def test_forgetting_waits_for_one_part_alone(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    halting = Halting(room, monkeypatch, before=5)
    list(room.chat.submit(paste(10)))
    assert halting.here.wait(10)
    (first, *_) = room.store.facts.all(room.chat.user.id)
    plan = room.store.forget.plan(room.chat.user.id, memory_ids=[first.id])
    halting.go.set()
    room.chat.state.forget(plan)
    assert room.chat.wait(10)
    assert len(room.script.stored) == 6
    assert facts(room) == []


def test_a_long_message_is_told_apart_and_its_passages_embedded_once(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[int] = []
    apart: list[str] = []
    whole = whose._whose
    monkeypatch.setattr(room.store.vectors, "embed_pending", lambda user, limit: embedded.append(limit))
    monkeypatch.setattr(whose, "_whose", lambda text, called: apart.append(text) or whole(text, called))
    text = paste(20) + "\nfact: no other test says this."
    told = notices(room.say(text))
    assert "20 parts" in told[-1], "each part is a job of its own"
    assert len(embedded) == 1
    assert 1 <= apart.count(text) <= 2, "by the chat and by the worker, which call the speaker by another name"
