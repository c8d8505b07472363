"""What is said once in a chat, and what a session is called."""

from __future__ import annotations

from chatmem.app.chat.state import ENGLISH_ONLY
from chatmem.app.shown import events as e
from tests.app.conftest import Room


def test_that_the_small_model_speaks_english_only_is_said_once(room: Room) -> None:
    def told(*lines: str) -> list[str]:
        return [one.text for one in room.say(*lines) if isinstance(one, e.Notice) and one.text == ENGLISH_ONLY]

    assert told("I have two cats.") == []
    assert told("Ich wohne seit zwei Jahren mit meiner Schwester in Wien.") == [ENGLISH_ONLY]
    assert told("Wir haben zwei Katzen und einen großen Garten.", "and a dog") == []


def test_a_secret_is_no_title_of_a_session(room: Room) -> None:
    room.say("My laptop's password is Zwiebelkuchen3 and I live in Graz.")
    (session,) = room.store.sessions.all(room.chat.user.id)
    assert session.title == "I live in Graz."
