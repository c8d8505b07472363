"""Replies that are read off the memory reach a person like any other: shown, kept, and explained by `/why`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chatmem.app.chat import panels
from chatmem.app.shown import events as e
from chatmem.app.shown.reasons import MOST_LEFT, left_out
from chatmem.app.shown.render import lines
from chatmem.memory.values import ASSISTANT, LeftOut, Recall
from chatmem.models.chat.direct import Direct
from chatmem.models.files.profiles.profile import SHIPPED
from tests.app.conftest import Room


def replies(events: list[e.Event]) -> list[str]:
    return [event.turn.text for event in events if isinstance(event, e.ReplyFinished)]


def test_who_am_i_is_answered_kept_and_explained_without_a_model(room: Room) -> None:
    room.say("my name is Owen")
    before = len(room.script.asked)
    events = room.say("who am I?")
    assert replies(events) == ["You're Owen."]
    assert len(room.script.asked) == before  # the model was not asked
    session = room.chat.session
    assert session is not None
    assert room.store.turns.of(session.id)[-1].text == "You're Owen."
    (explained,) = (event for event in room.say("/why") if isinstance(event, e.Explained))
    assert [memory.fact for memory in explained.recall.memories] == ["The user's name is Owen."]
    text = "\n".join(line for line, _ in lines(explained))
    assert "read off this row" in text
    assert "my name is Owen" in text


def test_what_was_read_off_has_no_prompt(room: Room) -> None:
    room.say("my name is Owen", "who am I?")
    c = room.chat.state
    assert panels.last_prompt(c) == [] and "without a model" in panels.no_prompt(c)
    [told] = room.say("/context")
    assert isinstance(told, e.Failed) and told.text == panels.no_prompt(c)
    found = panels.last_why(c)
    assert found is not None and [row.in_context for row in found.rows] == [False]
    room.say("/regenerate")
    assert panels.last_prompt(c)


def test_asked_again_a_model_replies(room: Room) -> None:
    room.say("my name is Owen", "who am I?")
    assert replies(room.say("/regenerate")) == ["Nice to meet you."]


def test_in_incognito_nothing_is_read_off(room: Room) -> None:
    room.say("my name is Owen", "/incognito")
    assert replies(room.say("who am I?")) == ["Nice to meet you."]


def test_what_is_untold_is_said_and_why_shows_what_was_left_out(room: Room) -> None:
    left = (LeftOut("unrelated", "Owen plays the trombone.", 3), LeftOut("assistant", "You like drums.", None, 4))
    recall = Recall("What am I allergic to?", left_out=left, untold=True)
    room.script.recall = lambda *args, **options: recall  # type: ignore[method-assign]
    assert replies(room.say("What am I allergic to?")) == [
        "You haven't told me what you're allergic to, as far as I can find: tell me, and I can answer."
    ]
    shown = panels.last_why(room.chat.state)
    assert shown is not None
    assert shown.rows == ()
    assert shown.left_out[0] == "Left out as no evidence: 2"
    assert "Owen plays the trombone." in shown.left_out[1]
    assert "the assistant said it" in shown.left_out[2]
    (explained,) = (event for event in room.say("/why") if isinstance(event, e.Explained))
    assert {*shown.left_out} <= {line.strip() for line, _ in lines(explained)}


def test_of_much_that_was_left_out_the_rest_is_counted() -> None:
    left = tuple(LeftOut("asked", f"question {number}?") for number in range(MOST_LEFT + 3))
    told = left_out(Recall("", left_out=left))
    assert len(told) == MOST_LEFT + 2
    assert told[-1] == "and 3 more"
    assert ASSISTANT not in told[1]


def test_a_number_that_nobody_told_is_said_to_be_untold_and_one_that_was_told_stays(room: Room) -> None:
    room.script.words = ("Jonas ", "is ", "12.")
    recall = Recall("How old is Jonas?")
    room.script.recall = lambda *args, **options: recall  # type: ignore[method-assign]
    assert replies(room.say("How old is Jonas?")) == [
        "You haven't told me how old Jonas is, as far as I can find: tell me, and I can answer."
    ]
    room.say("my cousin Jonas is 12")
    assert replies(room.say("and how old is Jonas?")) == ["Jonas is 12."]


def said(room: Room, line: str) -> str:
    return next(one.turn.text for one in room.say(line) if isinstance(one, e.ReplyFinished))


def test_a_small_chat_tells_back_what_was_told_and_a_large_one_answers(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "chatmem.models.chat.reader.reply.read_out", lambda _store, _user, recall, *_, **__: Direct("You sail.", recall)
    )
    agents = room.script.get()
    assert said(room, "what do I do?") == "Nice to meet you."
    monkeypatch.setattr(room.script, "get", lambda: replace(agents, reads="told back"))
    assert said(room, "what do I do now?") == "You sail."
    monkeypatch.setattr(room.script, "get", lambda: replace(agents, profile=replace(SHIPPED, capable=True)))
    assert said(room, "what do I do there?") == "Nice to meet you."
