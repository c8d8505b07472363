"""Lines that a later change overtook: "My sister lives in Berlin" once the memory knows that she moved to Porto.

The changed memory keeps both lines as evidence, and a prompt that held the old one would answer with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..language.words import terms
from ..values import Memory, Turn

MOST_STEPS = 8
"""How many changes of one fact are looked back at."""


def stale(
    driver: Any, memories: Sequence[Memory], evidence: Mapping[int, Sequence[int]], turns: Sequence[Turn]
) -> set[int]:
    """The ids of those lines that tell only what their memory said before it was changed.

    Such a line holds a word that the change took out of the fact and none of those that it brought in, and is no other
    memory's evidence. `evidence`: turn ids by memory, of all that compete.
    """
    changed = [memory for memory in memories if memory.replaces is not None]
    if not changed:
        return set()
    before = _facts_before(driver, changed)
    said, owners = {turn.id: {*terms(turn.text)} for turn in turns}, _owners(evidence)
    found: set[int] = set()
    for memory in changed:
        now, was = {*terms(memory.fact)}, {*terms(" ".join(before[memory.id]))}
        mine = [turn for turn in evidence.get(memory.id, ()) if turn in said and owners[turn] == 1]
        found |= {turn for turn in mine if said[turn] & (was - now) and not said[turn] & (now - was)}
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
