"""What holds until a change that begins later: its row stays, and what is new stands beside it.

"Rent's going up to 690 from January", told in November, ends no rent of 640: both are so, and there is nothing to ask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....memory.language.facts.matters import parts
from ....memory.language.later.begins import Later, holds_now, of_the_same, since
from ....memory.language.words import terms
from ....memory.values import Doubt, Memory
from ...prompts.draft import Add, Change, Close, Draft, Entry


def kept_until(
    draft: Draft, doubts: Sequence[Doubt], rows: Mapping[int, Memory], later: Later
) -> tuple[Draft, tuple[Doubt, ...]]:
    """The draft that leaves rows as they are which hold until a day to come, and what is left to ask. `later`: what the
    line says to begin then."""
    if not later.days:
        return draft, tuple(doubts)
    new = [one for one in draft if not isinstance(one, Close) and one.fact and later.day(one.when)]
    alone = later.alone and bool(new) and all(one in new or isinstance(one, Close) for one in draft)
    told = {one.fact for one in new}
    left = [one for one in doubts if not (holds_now(one.row) and (one.fact in told or (alone and not one.fact)))]
    held = [_held(one, rows, later, new if alone else []) for one in draft]
    return replace(draft, entries=tuple(one for one in held if one is not None)), tuple(left)


def _held(one: Entry, rows: Mapping[int, Memory], later: Later, new: Sequence[Add | Change]) -> Entry | None:
    """What stands for an entry: of a change that begins later a row of its own, of an end that comes with one (`new`)
    nothing."""
    row = rows.get(one.id) if not isinstance(one, Add) else None
    if isinstance(one, Add) or row is None or not holds_now(row):
        return one
    if isinstance(one, Close):
        over = any(add.fact and of_the_same(row.fact, add.fact) and _shares(row, add.fact) for add in new)
        return None if over else one
    day = later.day(one.when)
    if not day or not one.fact or not of_the_same(row.fact, one.fact):
        return one
    return Add(row.subject, one.topic or row.topic, since(one.fact, day), day)


def _shares(row: Memory, fact: str) -> bool:
    """Whether a new fact is of the row's matter, or has a telling word of it beside whose it is."""
    kinds = [{matter.kind for part in parts(text) for matter in part.matters} for text in (row.fact, fact)]
    return bool(kinds[0] & kinds[1] or ({*terms(row.fact)} & {*terms(fact)}) - {*terms(row.subject), "user"})
