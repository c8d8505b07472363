"""Where somebody lives is told by the row that holds, not by an older line."""

from __future__ import annotations

import pytest

from chatmem.memory.values import Memory, Recall, RecallItem, Turn
from chatmem.models.chat.honest import honest
from chatmem.models.chat.told.outdated import Told, put_off
from chatmem.models.lm import Chunk

EARLY, LATE = "2026-11-20T10:00:00Z", "2026-11-21T10:00:00Z"


def said(fact: str, line: str, reply: str, *, when: str = EARLY) -> str:
    rows = RecallItem(1.0, Memory(1, 1, "Odile", "home", fact, None, LATE, LATE))
    lines = RecallItem(0.9, None, (Turn(1, 1, 1, "Odile", line, when, "complete", "stored"),))
    recall = Recall("Where do I live?", (rows, lines))
    return "".join(one.text for one in honest(iter([Chunk(reply, "stop")]), recall))


def test_the_row_that_holds_is_told() -> None:
    line = "My name is Odile and I live in Namur."
    assert said("Odile moved to Dinant.", line, "You live in Namur.") == "You moved to Dinant."


@pytest.mark.parametrize(
    ("fact", "line", "reply", "when"),
    [
        ("Odile lives in Dinant.", "I live in Namur.", "You live in Dinant.", EARLY),
        ("Odile lives in Dinant.", "I live in Namur.", "You live in Dinant, before in Namur.", EARLY),
        ("Odile lives in a small flat.", "I live in Namur.", "You live in Namur.", EARLY),
        ("Odile lives in Dinant.", "I live in Namur now.", "You live in Namur.", "2026-11-22T10:00:00Z"),
    ],
)
def test_what_holds_or_came_later_stays(fact: str, line: str, reply: str, when: str) -> None:
    assert said(fact, line, reply, when=when) == reply


PILOT = Told("The pilot is in Abeokuta and it goes live on 3 June.", EARLY)
MOVED = Told("Customs are sitting on our batteries, so the pilot moves to 17 June.", LATE)


def test_the_later_time_of_what_was_put_off_is_told() -> None:
    others = [PILOT, Told("The party was moved to Friday.", LATE), MOVED, Told("The pilot is in Abeokuta.", LATE)]
    assert put_off("When does the pilot go live?", PILOT, others) == MOVED


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("Where is the pilot?", PILOT, MOVED),  # no time is asked for
        ("When does the pilot go live?", MOVED, PILOT._replace(text="The pilot moved to 3 June.")),  # said before
        ("When is my dentist?", Told("Dentist on 3 June.", EARLY), MOVED),
        ("When does the pilot go live?", PILOT, Told("The pilot was moved to the harbour.", LATE)),
        ("When does the pilot go live?", PILOT, Told("The pilot was moved to 12 Elm Street.", LATE)),
    ],
)
def test_a_time_stays_that_nothing_told_later_puts_off(question: str, answer: Told, other: Told) -> None:
    assert put_off(question, answer, [answer, other]) is None
