"""Rows of one matter become one; what was said elsewhere, on another day or of somebody else stays apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from chatmem.memory.errors import InputError
from chatmem.memory.store.store import Store
from chatmem.memory.tidy.grouping import ROWS, matters
from chatmem.memory.tidy.merging import clauses, merged_text, parts_of
from chatmem.memory.tidy.proposals import Proposal, single_offers
from chatmem.memory.tidy.tool_reads import vectors_of
from chatmem.memory.tidy.toolbox import MemoryTools
from chatmem.memory.values import Memory, Turn, User
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.editor.agent import Budget, EditorAgent, LMDecider, find_proposals
from chatmem.models.editor.join import consolidate
from chatmem.models.editor.prompts import editor_messages, editor_options, options_of
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


NOW = "2026-01-01T10:00:00.000Z"
MEMORY = Memory(1, 1, "Ana", "", "Ana sings.", None, NOW, NOW)
SAID = 'Ana said: "He has it on Friday. She has turned her ankle."'
LATER = 'Ana said: "The audit is on Thursday", then: "The audit got cancelled"'


def merged(*facts: str, strategy: str = "concatenate") -> str:
    rows = [replace(MEMORY, id=number, fact=fact) for number, fact in enumerate(facts, 1)]
    return merged_text(rows, facts, strategy)


def test_quotations_become_one_quotation_and_none_is_cut() -> None:
    assert merged('Ana said: "Margaret has telephoned."', SAID) == (
        'Ana said: "Margaret has telephoned. He has it on Friday. She has turned her ankle."'
    )
    assert merged(SAID, SAID, strategy="summarize") == SAID
    assert merged(LATER, LATER, strategy="summarize") == LATER
    assert merged(SAID, "Ana has a new cat.", strategy="newest") == "Ana has a new cat."
    assert clauses(SAID, "Ana") == [SAID]
    with pytest.raises(InputError, match="one statement only"):
        parts_of(replace(MEMORY, fact=SAID), "thematic", 4, ["Ana"])
    told = 'Ana said: "' + "He has it on Friday and Margaret has turned her ankle there. " * 5 + '"'
    assert single_offers(replace(MEMORY, fact=told), [told], ()) == ()


@pytest.mark.parametrize("other", ["Ana has a new cat.", LATER, 'Ben said: "The cat is new."'])
def test_a_quotation_is_put_into_no_row_with_anything_else(other: str) -> None:
    with pytest.raises(InputError, match="stays as it was said"):
        merged(SAID, other)
    rows = [replace(MEMORY, id=1, fact='Ana said: "He has it on Friday."'), replace(MEMORY, id=2, fact=other)]
    turn = Turn(1, 1, 1, "Ana", "He has it on Friday.", rows[0].said_at)
    assert matters(rows, np.ones((2, 1), np.float32), {1: [turn], 2: [turn]}) == []
    alike = [rows[0], replace(rows[0], id=2, fact='Ana said: "She has turned her ankle."')]
    assert matters(alike, np.ones((2, 1), np.float32), {1: [turn], 2: [turn]}) == [tuple(alike)]


def test_a_model_may_be_asked_which_rows_to_join(store: Store) -> None:
    """A question of its own, beside the pair's; what the model says apart stays apart, and only where it is asked."""
    user = told(store)
    before, tools = dump(store, user), MemoryTools(store, user)
    assert not any("join" in one.offers for one in find_proposals(tools)[0])
    proposals, lines = find_proposals(tools, join=True)
    [asked] = [one for one in proposals if "join" in one.offers]
    assert [row.fact for row in asked.rows] == [TOLD[0][1], TOLD[2][1]]
    question = editor_messages(asked, lines)[-1].content
    assert question.endswith("Apart or join?")
    assert editor_options(asked).grammar == options_of(question).grammar == 'root ::= "apart" | "join"\n'
    for word, rows in (("apart", len(TOLD)), ("join", len(TOLD) - 1)):
        lm = ScriptedLM([lambda messages, _, word=word: word if "join" in messages[-1].content else "both"])
        steps = list(EditorAgent(LMDecider(lm), tools).tidy(Budget(ops=None), find_proposals(tools, join=True)))
        assert len(store.facts.all(user.id)) == rows
        assert [step.reason for step in steps if step.changed] == ["tell of one matter"][: len(TOLD) - rows]
    store.journal.undo_run(tools.run)
    assert dump(store, user) == before


def test_a_group_of_which_a_row_has_become_another_is_not_joined(store: Store) -> None:
    user = told(store)
    tools = MemoryTools(store, user)
    [group] = [one for one in find_proposals(tools, join=True)[0] if "join" in one.offers]
    pair = Proposal(group.rows, ("same", "changed"), 1.0)
    lm = ScriptedLM(["changed", "join"])
    steps = list(EditorAgent(LMDecider(lm), tools).tidy(Budget(), ([pair, group], {})))
    assert [step.decision.act for step in steps] == ["changed", "keep"]
    assert len(lm.calls) == 1


def test_three_rows_have_names_and_a_model_without_an_adapter_is_told_what_join_means(store: Store) -> None:
    user = told(store)
    rows = tuple(row for row in store.facts.all(user.id) if row.subject == "Ana")
    system, asked = editor_messages(Proposal(rows, ("join",), 0.5), {}, guide=True, asked="Where does Ana sing?")
    assert '"join" makes one row' in system.content
    assert [line.split(" ")[0] for line in asked.content.split("\n")] == [
        "Older",
        "Next",
        "Newer",
        "Said:",
        "Asked:",
        "Apart",
    ]
    system, _ = editor_messages(Proposal(rows[:2], ("same",), 0.5), {}, guide=True)
    assert "join" not in system.content


def test_a_statement_goes_to_the_longest_name_that_it_begins_with() -> None:
    now = "2026-03-03T10:00:00Z"
    row = Memory(1, 1, "Ana", "hobby", "Ana plays chess. Ana Maria plays golf.", None, now, now)
    told = parts_of(row, "speaker", 3, ["Ana", "Ana Maria", "Tom"])
    assert [(subject, fact) for subject, fact, _ in told] == [
        ("Ana", "Ana plays chess."), ("Ana Maria", "Ana Maria plays golf."),
    ]  # fmt: skip
