"""Which known facts a line ends, told by the small model with an adapter of its own: what words alone don't tell.

"They sawed the plaster off this morning" ends "has her wrist in a cast", and no list of words says so. The adapter is
asked which of a few known facts is over; of what it is sure is closed, of what it is nearly sure is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ....memory.language.facts.matters import VALUE, parts, undated
from ....memory.language.words import terms
from ....memory.values import Doubt, Memory
from ...decoding.choosing import SHOWN, Choosing
from ...prompts.draft import Add, Change, Close, Draft, Entry
from ...prompts.messages import Line, over_messages

MOST = 2
"""Rows that one line may end in this way."""
SURE, LIKELY = 0.93, 0.80
"""Chances from which a row is closed, and from which it is asked about (measured in docs/log/storage.md)."""

LOOSE = frozenset({"does", "has", "plan", VALUE})
"""Kinds of matters under which anything may be told."""


class Ended(NamedTuple):
    """A known row, and how likely the line ends it."""

    row: Memory
    chance: float


def ended(choosing: Choosing, rows: Sequence[Memory], line: Line, least: float = LIKELY) -> list[Ended]:
    """The rows that the line ends with at least that chance, the surest first; of each that is found the others are
    asked about anew. Raises ModelError."""
    left, found = list(rows)[:SHOWN], list[Ended]()
    while left and choosing.adapter is not None and len(found) < MOST:
        messages = over_messages([row.fact for row in left], line)
        *chances, _ = choosing.chances(messages, len(left), background=True)
        best = max(range(len(left)), key=chances.__getitem__)
        if chances[best] < least:
            break
        found.append(Ended(left.pop(best), chances[best]))
    return found


def of_another_matter(row: Memory, told: Iterable[str]) -> bool:
    """Whether what is told is of a plain matter (a job, a home, health), and the row of another one: whoever has a new
    job is as allergic as before."""
    now = {kind for text in told for kind in _kinds(text)}
    known = _kinds(row.fact)
    return bool(now and known) and not now & known


def _kinds(text: str) -> set[str]:
    return {matter.kind.split(".")[0] for part in parts(text) for matter in part.matters} - LOOSE


def settled(draft: Draft, found: Sequence[Ended], speaker: str) -> tuple[Draft, tuple[Doubt, ...]]:
    """The draft with the rows that a line surely ends closed, or changed to what now holds of their matter, and what is
    to be asked: of rows that it only likely ends, and of pinned ones."""
    doubts: list[Doubt] = []
    for row, chance in found:
        told = _in_its_place(draft, row, speaker)
        if chance < SURE or row.pinned:
            doubts.append(Doubt(row, told.fact if told else ""))
            continue
        end: Entry = Change(row.id, told.fact, when=told.when or undated(row.fact)) if told else Close(row.id)
        kept = tuple(one for one in draft if one != told and not _says_it_again(one, row))
        draft = replace(draft, entries=(*kept, end))
    return draft, tuple(doubts)


def _in_its_place(draft: Draft, row: Memory, speaker: str) -> Add | None:
    """The new row that tells most of the same matter, if any does."""
    about = {*terms(row.fact)} - {*terms(speaker), *terms(row.subject)}
    told = [one for one in draft.added if one.subject == row.subject and not _says_it_again(one, row)]
    shared = {one: len(about & {*terms(one.fact)}) + (one.topic == row.topic) for one in told}
    best = max(shared, key=shared.__getitem__, default=None)
    return best if best is not None and shared[best] else None


def _says_it_again(entry: Entry, row: Memory) -> bool:
    """Whether a new row only says what is over."""
    return isinstance(entry, Add) and {*terms(entry.fact)} <= {*terms(row.fact)}
