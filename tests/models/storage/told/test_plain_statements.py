"""A plain statement is never lost, though the small model keeps nothing of it; a thought of the moment is no fact."""

from __future__ import annotations

import pytest

from chatmem.memory.language.language import english
from chatmem.memory.store.store import Store
from chatmem.models.prompts.messages import NOTHING, Line
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.told.plain_statements import plain_statements
from chatmem.models.storage.told.scene import Scene
from tests.models.storage.test_faithful import Draws, says


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("I do not like olives.", ["Ana does not like olives."]),
        ("On weekends I climb.", ["On weekends Ana climbs."]),
        ("I tune pianos, and I never drink coffee", ["Ana tunes pianos.", "Ana never drinks coffee."]),
        ("Now I go rowing on the lake.", ["Ana goes rowing on the lake."]),
        ("I'm allergic to nuts", ["Ana is allergic to nuts."]),
        ("My mum is the caretaker", ["Ana's mum is the caretaker."]),
        ("my brother lives on a boat", ["Ana's brother lives on a boat."]),
    ],
)
def test_a_plain_statement_is_told_as_it_was_said(line: str, facts: list[str]) -> None:
    assert plain_statements(Line("Ana", line)).facts == facts


@pytest.mark.parametrize(
    "line",
    [
        "I love it", "I think so too", "I totally understand you", "I just got home", "I recently read a good book",
        "I could eat a horse", "I wonder how that is", "Do I like olives?", "My mum is fine", "my sister says hello",
        "My brother is running late", "I haven't seen it yet", "I hope it stays dry",
        "Now I go home", "Now I think it's late",
    ],
)  # fmt: skip
def test_a_thought_of_the_moment_is_none(line: str) -> None:
    assert not plain_statements(Line("Ana", line))


def test_it_takes_the_place_of_nothing_and_is_noted(store: Store) -> None:
    agent = StorageAgent(Draws(NOTHING), store)
    reading = agent.read(Scene([], Line("Ana", "I do not like olives."), language=english()))
    assert reading.draft.facts == ["Ana does not like olives."]
    assert [one.check for one in reading.findings] == ["plain"]


def test_what_the_model_kept_stays_alone(store: Store) -> None:
    sql = says("Ana dislikes olives.")
    assert StorageAgent(Draws(sql), store).propose([], Line("Ana", "I do not like olives.")).sql() == sql


def test_what_a_line_leans_on_may_be_told(store: Store) -> None:
    """ "Them" are the olives of the line before: that is no invention."""
    before = [Line("Ana", "I do not like olives."), Line("assistant", "I see.")]
    sql = says("Ana's wife Irena loves olives.")
    agent = StorageAgent(Draws(sql, says("Ana's wife Irena loves them.")), store)
    assert agent.propose(before, Line("Ana", "My wife Irena loves them.")).sql() == sql
