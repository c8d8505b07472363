"""How things were before: what a line changed or ended, and what the memory said until then.

A prompt that held "My sister lives in Berlin" would answer with it though the memory knows that she moved to Porto, so
lines that a later change overtook are left out, unless it is asked how things were.
A change that a person made by hand put something right, so what stood there before was never so; neither was what a
line calls a mistake ("not the 4th, the 5th").
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..language.facts.corrections import signals
from ..language.words import terms
from ..values import Memory, Overtaken, RecallItem, Turn
from .candidates import read_memories

MOST = 4
"""Earlier states that one recall tells."""
MOST_STEPS = 8
"""Changes of one fact that are looked back at."""
SIGN = "earlier"
"""Why such a state is in a recall."""
_ENDED = """
SELECT evidence.turn_id, max(memories.valid_to IS NULL AND NOT EXISTS (
    SELECT 1 FROM journal AS later WHERE later.memory_id = memories.id AND later.kind = 'update' AND NOT later.undone
    AND later.actor LIKE 'agent:%' AND later.turn_id > evidence.turn_id)),
    max(CASE WHEN journal.id IS NULL THEN 0 ELSE memories.id END)
FROM memory_evidence AS evidence JOIN memories ON memories.id = evidence.memory_id
LEFT JOIN journal ON journal.before_id = memories.id AND journal.kind = 'delete' AND NOT journal.undone
    AND journal.actor LIKE 'agent:%' AND journal.turn_id > evidence.turn_id
WHERE evidence.turn_id IN (SELECT value FROM json_each(?)) GROUP BY evidence.turn_id
"""
_CHANGED = """
WITH RECURSIVE chain(newest, id, older, steps) AS (
    SELECT id, id, replaces, 0 FROM memories WHERE id IN (SELECT value FROM json_each(?)) AND replaces IS NOT NULL
    UNION ALL SELECT chain.newest, memories.id, memories.replaces, steps + 1
    FROM chain JOIN memories ON memories.id = chain.older WHERE memories.replaces IS NOT NULL AND steps < ?
)
SELECT chain.newest, chain.older, turns.text FROM chain
JOIN journal ON journal.memory_id = chain.id AND journal.before_id = chain.older AND journal.kind = 'update'
    AND NOT journal.undone AND journal.actor LIKE 'agent:%'
JOIN turns ON turns.id = journal.turn_id ORDER BY chain.newest, chain.steps
"""


def ended(driver: Any, turns: Iterable[Turn]) -> Mapping[int, int]:
    """Of those lines each of which all that it told has ended, with the memory that a later line ended: "I go to the
    gym" once "I've cancelled the gym" was said. What a later line made of another of its facts tells that itself."""
    rows = driver.execute(_ENDED, (json.dumps([turn.id for turn in turns]),))
    return {turn: memory for turn, live, memory in rows if memory and not live}


def with_earlier(
    driver: Any, user_id: int, items: Sequence[RecallItem], over: Mapping[int, int]
) -> list[RecallItem]:  # fmt: skip
    """The items, each followed by the states before it: those of a fact, newest first, and what a line told that is
    over. `over`: as of `ended`."""
    wanted = _before(driver, [item.memory.id for item in items if item.memory])
    states = [
        (
            *wanted.get(item.memory.id if item.memory else 0, ()),
            *(over[turn.id] for turn in item.turns if turn.id in over),
        )
        for item in items
    ]
    ids = list(dict.fromkeys(one for each in states for one in each))[:MOST]
    rows = {row.id: row for row in read_memories(driver, user_id, ids)}
    found: list[RecallItem] = []
    for item, before in zip(items, states, strict=True):
        found.append(item)
        found += [RecallItem(item.score, rows.pop(one), (), (SIGN,)) for one in before if one in rows]
    return found


def _before(driver: Any, memories: Sequence[int]) -> dict[int, list[int]]:
    """By memory what it was before lines changed it."""
    found: dict[int, list[int]] = {}
    for newest, older, line in driver.execute(_CHANGED, (json.dumps(list(memories)), MOST_STEPS)):
        if not signals(line).corrects:
            found.setdefault(newest, []).append(older)
    return found


def stale(changed: Sequence[Overtaken], evidence: Mapping[int, Sequence[int]]) -> set[int]:
    """The ids of those lines that tell only what their memory said before it was changed, of what `overtaken` found:
    those that are no other memory's evidence. `evidence`: turn ids by memory, of all that compete."""
    owners = _owners(evidence)
    return {one.turn_id for one in changed if owners[one.turn_id] == 1}


def overtaken(
    driver: Any, memories: Sequence[Memory], evidence: Mapping[int, Sequence[int]], turns: Sequence[Turn]
) -> list[Overtaken]:
    """The lines that hold a word that a change took out of a fact of theirs, and none of those that it brought in."""
    changed = [memory for memory in memories if memory.replaces is not None]
    if not changed:
        return []
    before = _facts_before(driver, changed)
    said, found = {turn.id: {*terms(turn.text)} for turn in turns}, []
    for memory in changed:
        now, was = {*terms(memory.fact)}, {*terms(" ".join(before[memory.id]))}
        mine = [turn for turn in evidence.get(memory.id, ()) if turn in said]
        found += [
            Overtaken(turn, tuple(sorted(was - now)), tuple(sorted(now - was)))
            for turn in mine
            if said[turn] & (was - now) and not said[turn] & (now - was)
        ]
    return found


def _owners(evidence: Mapping[int, Sequence[int]]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for turns in evidence.values():
        for turn in turns:
            counts[turn] = counts.get(turn, 0) + 1
    return counts


def _facts_before(driver: Any, changed: Sequence[Memory]) -> dict[int, list[str]]:
    """What each memory said before, newest first."""
    query = "SELECT id, fact, replaces FROM memories WHERE id IN (SELECT value FROM json_each(?))"
    facts: dict[int, list[str]] = {memory.id: [] for memory in changed}
    at = {memory.id: memory.replaces for memory in changed}
    for _ in range(MOST_STEPS):
        wanted = {old for old in at.values() if old is not None}
        rows = (
            {row[0]: (row[1], row[2]) for row in driver.execute(query, (json.dumps(sorted(wanted)),))} if wanted else {}
        )
        for memory, old in list(at.items()):
            fact, at[memory] = rows.get(old, ("", None)) if old is not None else ("", None)
            facts[memory] += [fact] if fact else []
        if not rows:
            break
    return facts
