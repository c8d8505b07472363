"""A long message: read for facts in parts, each told, nothing lost. Besides, what is said once in a chat, and what a
session is called."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chatmem.app.chat.state import ENGLISH_ONLY
from chatmem.app.shown.events import MemoryDelayed, Notice
from chatmem.memory.errors import EndpointError
from chatmem.memory.values import Turn, User, WriteResult
from tests.app.conftest import Room


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
