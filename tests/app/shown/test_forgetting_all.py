"""The whole memory goes by a typed word alone, and what is gone is told to be gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.app.chat.forgetting import EVERYTHING, unkept
from chatmem.app.shown import choices
from chatmem.app.shown import events as e
from chatmem.app.shown.forgetting import GONE, UNREAD
from tests.app.forgetting import Home, Told, home

TAX = Told("Lister does my tax", ("User's accountant Lister does User's tax.",), ("Lister",), "", "who?", "Lister.")
KNEE = Told("my knee hurts", ("User's knee hurts.",), ("knee",), "", "what hurts?", "Your knee.")


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path / "home") as made:
        made.tell(TAX)
        made.tell(KNEE)
        yield made


def asked(events: list[e.Event]) -> e.Asked:
    (found,) = [event for event in events if isinstance(event, e.Asked)]
    return found


def reply(events: list[e.Event]) -> str:
    return next(event.turn.text for event in events if isinstance(event, e.ReplyFinished))


def test_all_of_a_matter_is_asked_about_alone(person: Home) -> None:
    for line in ("And this Lister with the tax, forget all of it", "Lister with the tax: delete everything"):
        found = asked(person.say(line))
        assert TAX.facts[0] in found.question and KNEE.facts[0] not in found.question and not found.word


def test_in_doubt_nothing_is_asked_about(person: Home) -> None:
    events = person.say("I'm so done with Lister, forget everything")
    assert reply(events) == UNREAD and not [event for event in events if isinstance(event, e.Asked)]


def test_talk_asks_for_a_word_and_the_command_does_not(person: Home) -> None:
    found = asked(person.say("forget everything"))
    assert (found.word, found.command) == (EVERYTHING, "/reset --yes")
    assert not asked(person.say("/reset")).word


@pytest.mark.parametrize(
    ("line", "agreed", "told"),
    [("y", None, True), ("Yes, please", None, True), ("everything", True, False), ("“Everything”.", True, False),
     ("n", False, False), ("only the tax", None, False), ("everything about Tom", None, False)],
)  # fmt: skip
def test_a_yes_by_habit_is_told_what_to_type(line: str, agreed: bool | None, told: bool) -> None:
    one = e.Asked("Forget everything?", "/reset --yes", word=EVERYTHING)
    assert choices.agreed(one, line) is agreed and bool(choices.once_more(one, line)) is told
    assert f"“{EVERYTHING}”" in choices.prompt(one)


def test_a_yes_will_do_for_less() -> None:
    one = e.Asked("Erase this for good?", "/forget 1 --yes")
    assert choices.agreed(one, "go on then") and choices.agreed(one, "yeah go on")
    assert choices.agreed(one, "ok, go on") is None
    assert choices.agreed(one, "y") and not choices.once_more(one, "y") and choices.prompt(one) == choices.ANSWERS


@pytest.mark.parametrize("command", ["/reset --yes", "/forget 1 --yes"])
def test_what_was_erased_is_told_to_be_gone(person: Home, command: str) -> None:
    line = "Wait, what, I meant only the tax, bring it back please"
    assert reply(person.say(line)) != GONE
    assert any(isinstance(event, e.Forgotten) for event in person.say(command))
    events = person.say(line)
    assert reply(events) == GONE and not [event for event in events if isinstance(event, e.Notice)]
    (turn,) = [event.turn for event in events if isinstance(event, e.TurnSaved)]
    assert turn.storage == "skipped"
    person.say("/user Bea")
    assert reply(person.say(line)) != GONE


def test_a_false_claim_after_a_forget_is_of_that_line() -> None:
    (told,) = [event.text for event in unkept("Sure. I'll forget that.", again=True) if isinstance(event, e.Notice)]
    assert "nothing was forgotten" not in told and "by this line nothing more was forgotten" in told
