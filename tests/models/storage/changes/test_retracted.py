"""What somebody says was noted and isn't so goes, and nothing else does."""

from __future__ import annotations

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.prompts.draft import Add, Close, Draft
from chatmem.models.prompts.messages import NOTHING
from chatmem.models.storage.changes.retracted import retracted
from tests.models.storage.changes.test_changed_facts import row
from tests.models.storage.test_quoted import insert, memory_with

LIKES, NOT, LENA = "Ana likes fish.", "Ana doesn't like fish.", "Ana likes Lena's work on Instagram."


@pytest.mark.parametrize(
    ("claim", "gone"),
    [
        ("I like fish", [1]),
        ("I don't like fish", [2]),
        ("I like Lena's work on Instagram", [3]),
        ("I like Milo", []),
        ("", []),
    ],
)
def test_the_rows_that_say_the_claim_go(claim: str, gone: list[int]) -> None:
    rows = [row(number, fact) for number, fact in enumerate((LIKES, NOT, LENA), 1)]
    draft, asked = retracted(Draft((Add("Ana", "food", "Ana hates cheese."),)), (), rows, claim, "Ana")
    assert [one.id for one in draft if isinstance(one, Close)] == gone
    assert draft.facts == ["Ana hates cheese."] and asked == ()


def test_no_new_fact_says_it_and_a_pinned_row_is_asked_about() -> None:
    draft, asked = retracted(
        Draft((Add("Ana", "food", LIKES),)), (), [row(1, LIKES, pinned=True)], "I like fish", "Ana"
    )
    assert not draft and [(one.row.id, one.fact) for one in asked] == [(1, "")]


@pytest.mark.parametrize(
    ("line", "reply", "left"),
    [
        ("You've noted that I like fish, but it was Milo who does.", NOTHING, []),
        ("You wrote that I like fish, that's wrong, I hate fish.", insert("User hates fish."), ["User hates fish."]),
        ("I never said that I like fish.", NOTHING, []),
        ("You've noted that I like cheese, but it was Milo.", NOTHING, ["User likes fish."]),
    ],
)
def test_a_line_that_disputes_a_fact_ends_it(store: Store, line: str, reply: str, left: list[str]) -> None:
    memory, _ = memory_with(store, insert("User likes fish."), reply)
    memory.say("I like fish")
    memory.say(line)
    assert [one.fact for one in store.facts.all(memory.user.id)] == left
