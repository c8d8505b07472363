"""A plain question for one's own work or home is read off the facts by their matter."""

from __future__ import annotations

import pytest

from chatmem.memory.values import Memory
from chatmem.models.chat.told.own_matters import MOST, own_matter

WHEN = "2026-03-03T10:00:00Z"
FACTS = (
    ("work", "Ana is a weather presenter on local radio."),
    ("work", "Ana's cousin Rui is a plumber."),
    ("work", "Ana used to be a nurse."),
    ("home", "Ana lives at Heron Lane 48."),
    ("home", "Ana's parents live in Lae."),
    ("food", "Ana likes figs."),
)


def rows(*facts: tuple[str, str]) -> list[Memory]:
    return [Memory(n, 1, "Ana", topic, fact, None, WHEN, WHEN) for n, (topic, fact) in enumerate(facts, 1)]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What do I do for a living?", "Ana is a weather presenter on local radio."),
        ("so what's my job now", "Ana is a weather presenter on local radio."),
        ("Where do I live?", "Ana lives at Heron Lane 48."),
        ("in which town do we live?", "Ana lives at Heron Lane 48."),
    ],
)
def test_what_tells_it_is_found(question: str, told: str) -> None:
    assert [one.fact for one in own_matter(question, "Ana", rows(*FACTS))] == [told]


@pytest.mark.parametrize(
    "question", ["Where does Rui live?", "what do I do?", "what do I do when it rains?", "where did I live?", "where?"]
)
def test_nothing_else_is_asked(question: str) -> None:
    assert own_matter(question, "Ana", rows(*FACTS)) == []


def test_a_deed_tells_a_trade_where_no_trade_is_named_and_many_tell_none() -> None:
    deed = ("work", "Ana tunes pianos.")
    trade = ("trade", "Ana's own trade is upholstery.")
    assert [one.fact for one in own_matter("what do i do for a living", "Ana", rows(trade, FACTS[1]))] == [trade[1]]
    assert [one.fact for one in own_matter("what's my job?", "Ana", rows(deed, FACTS[1]))] == [deed[1]]
    many = [("work", f"Ana works at shop {n}.") for n in range(MOST + 1)]
    assert own_matter("what's my job?", "Ana", rows(*many)) == []
