"""Rows of one matter become one; what was said elsewhere, on another day or of somebody else stays apart."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.tidy.grouping import ROWS, matters
from chatmem.memory.tidy.merging import merged_text
from chatmem.memory.tidy.proposals import single_offers
from chatmem.memory.tidy.tool_reads import vectors_of
from chatmem.memory.tidy.toolbox import MemoryTools
from chatmem.memory.values import User
from chatmem.models.editor.agent import Budget
from chatmem.models.editor.join import consolidate
from tests.memory.lives import fresh
from tests.memory.tidy.test_tools import WordsEmbedder, dump

TOLD = (
    ("Ana", "Ana joined a choir in Graz.", "I joined a choir in Graz"),
    ("Ben", "Ben was never in a choir in Graz.", "I was never in a choir in Graz"),
    ("Ana", "Ana sings alto in the choir in Graz.", "I sing alto in the choir in Graz"),
    ("Ben", "Ben likes tea.", "I like tea"),
    ("Ana", "Ana paints her kitchen green.", "I paint my kitchen green"),
)


@pytest.fixture
def store() -> Iterator[Store]:
    with fresh(embedder=WordsEmbedder()) as opened:
        yield opened


def told(store: Store, name: str = "ana") -> User:
    user = store.users.get(name)
    session = store.sessions.start(user.id)
    for subject, fact, line in TOLD:
        turn = store.turns.add(session.id, subject, line, said_at="2026-01-01T10:00:00Z")
        store.facts.remember(user.id, subject, "", fact, turn_ids=[turn.id])
    return user


def test_neighbouring_rows_of_one_matter_become_one_row_with_all_lines_and_can_be_undone(store: Store) -> None:
    user = told(store)
    before, tools = dump(store, user), MemoryTools(store, user)
    steps = list(consolidate(tools))
    facts = [memory.fact for memory in store.facts.all(user.id)]
    assert len(facts) == len(TOLD) - 1
    joined = next(memory for memory in store.facts.all(user.id) if "alto" in memory.fact)
    assert joined.fact == "Ana joined a choir in Graz. Ana sings alto in the choir in Graz."
    lines = [turn.text for turn in store.facts.evidence([joined.id])[joined.id]]
    assert lines == [TOLD[0][2], TOLD[2][2]]
    assert [step.changed for step in steps] == [True]
    assert steps[0].call is not None
    assert steps[0].call.wrote[0].reason == "tell of one matter"
    assert "split" not in single_offers(joined, lines, ())
    assert list(consolidate(MemoryTools(store, user))) == []
    store.journal.undo_run(tools.run)
    assert dump(store, user) == before


def test_pinned_rows_other_days_and_rows_without_a_line_stay_apart(store: Store) -> None:
    user = told(store)
    first, _, third, *_ = store.facts.all(user.id)
    store.facts.pin(first.id, True)
    assert list(consolidate(MemoryTools(store, user))) == []
    store.facts.pin(first.id, False)
    assert list(consolidate(MemoryTools(store, user), Budget(ops=0))) == []
    memories = store.facts.all(user.id)
    vectors = vectors_of(MemoryTools(store, user), memories)
    turns = store.facts.evidence([memory.id for memory in memories])
    assert [{row.id for row in group} for group in matters(memories, vectors, turns)] == [{first.id, third.id}]
    assert matters(memories, vectors, {}) == []
    store.facts.edit(first.id, happened_on="2026-01-01")
    store.facts.edit(third.id, happened_on="2026-02-01")
    assert list(consolidate(MemoryTools(store, user))) == []


def test_a_row_never_takes_more_than_its_share(store: Store) -> None:
    user = store.users.get("ana")
    session = store.sessions.start(user.id)
    at = datetime(2026, 1, 1, tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    turn = store.turns.add(session.id, "Ana", "so many choirs", said_at=at)
    for number in range(7):
        store.facts.remember(user.id, "Ana", "", f"Ana sings in choir {number} in Graz.", turn_ids=[turn.id])
    list(consolidate(MemoryTools(store, user)))
    left = store.facts.all(user.id)
    assert len(left) == 3
    assert max(memory.fact.count("choir") for memory in left) == ROWS


def test_the_newest_replaces_only_the_statement_that_it_is_about(store: Store) -> None:
    user = store.users.get("ana")
    store.facts.remember(user.id, "Ana", "", "Ana lives in Graz. Ana has a sister named Vera.")
    store.facts.remember(user.id, "Ana", "", "Ana lives in Linz now.")
    rows = store.facts.all(user.id)
    assert merged_text(rows, [], "newest") == "Ana has a sister named Vera. Ana lives in Linz now."
