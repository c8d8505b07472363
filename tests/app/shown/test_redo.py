"""`/redo` after a later write: what can be done again is named, and how."""

from __future__ import annotations

from chatmem.app.shown import events as e
from tests.app.conftest import Room
from tests.app.test_controller import only


def test_redo_names_what_can_be_done_again_after_a_later_write(room: Room) -> None:
    assert only(room.say("/redo"), e.Failed).text == "There is nothing to do again."
    room.say("fact: I like rain.")
    (entry,) = room.store.journal.entries(room.chat.user.id)
    room.say("/undo", "fact: I like snow.")
    told = only(room.say("/redo"), e.Failed).text
    assert f"/redo {entry.id} does “+ I like rain." in told
    room.say(f"/redo {entry.id}")
    assert {m.fact for m in room.store.facts.all(room.chat.user.id)} == {"I like snow.", "I like rain."}
