"""Whose reply a question about what was told gets: the told sentence in a small chat, a large model's own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chatmem.app.shown import events as e
from chatmem.models.chat.direct import Direct
from chatmem.models.files.profiles.profile import SHIPPED
from tests.app.conftest import Room


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
    monkeypatch.setattr(room.script, "get", lambda: replace(agents, reads=True))
    assert said(room, "what do I do now?") == "You sail."
    monkeypatch.setattr(room.script, "get", lambda: replace(agents, reads=True, profile=replace(SHIPPED, capable=True)))
    assert said(room, "what do I do there?") == "Nice to meet you."
