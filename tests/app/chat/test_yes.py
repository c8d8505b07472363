"""A yes that goes on answers the question whether a memory is over; what else it tells is a line like any other."""

from __future__ import annotations

import pytest

from chatmem.app.chat.worker import asked
from chatmem.app.shown import events as e
from chatmem.memory.language.own_name import agrees_first
from chatmem.memory.values import Doubt
from tests.app.chat.test_quoted import facts, insert, real_agent
from tests.app.conftest import Room
from tests.app.test_controller import only

LIVES, NOW = "User lives in Bristol.", "User lives in Porto."


@pytest.mark.parametrize(
    ("answer", "left", "more"),
    [
        ("Yes, that's right, Bristol is over.", [NOW], False),
        ("yes, it is Porto now", [NOW], False),
        ("Yes. I found a flat near the river.", [NOW, "User found a flat near the river."], True),
        ("Yes, but I still have the flat there.", [LIVES, NOW], True),
        ("My sister Ida is here.", [LIVES, NOW], True),
    ],
)
def test_a_yes_that_goes_on(room: Room, answer: str, left: list[str], more: bool) -> None:
    more_told = insert("User found a flat near the river.") if "river" in answer else "-- nothing"
    lm = real_agent(room, insert(LIVES), insert(NOW), *[more_told] * 6)
    room.say("I live in Bristol")
    turn = only(room.say("I also live in Porto"), e.TurnSaved).turn
    assert facts(room) == [LIVES, NOW]
    (bristol, _) = room.store.facts.all(room.chat.user.id)
    (room.chat.state.asked,) = asked([Doubt(bristol, NOW)], turn.id, None)
    before = len(lm.calls)
    room.say(answer)
    assert sorted(facts(room)) == sorted(left)
    assert (len(lm.calls) > before) is more  # read for facts, or no more than an answer


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("Yes, that's right, the 12th is off.", "the 12th is off."),
        ("Yes. He left in May", "He left in May"),
        ("yes but not yet", None),
        ("yes, both are true", None),
        ("yes I like tea", None),
        ("no, two", None),
        ("ok, so what now?", None),
    ],
)
def test_what_follows_a_yes(line: str, rest: str | None) -> None:
    assert agrees_first(line) == rest
