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
    if not later:
        return draft, tuple(doubts)
    new = [one for one in draft if not isinstance(one, Close) and one.fact and later.time(one.when)]
    alone = later.alone and bool(new) and all(one in new or isinstance(one, Close) for one in draft)
    told = {one.fact for one in new}
    left = [one for one in doubts if not (holds_now(one.row) and (one.fact in told or (alone and _is_told(one, new))))]
    held = [_held(one, rows, later, new if alone else []) for one in draft]
    if alone and len(new) == 1 and isinstance(new[0], Add):
        held = [_timed(new[0], later) if one == new[0] else one for one in held]
    return replace(draft, entries=tuple(one for one in held if one is not None)), tuple(left)


def _timed(new: Add, later: Later) -> Add:
    """The one new row with the day on which it begins, or with the words for that, where the model left them out."""
    return replace(
        new, fact=since(new.fact, later.words) if later.words else new.fact, when=new.when or later.day(None) or None
    )


def _is_told(doubt: Doubt, new: Sequence[Add | Change]) -> bool:
    """Whether a row is asked about for no more than what is told to begin later."""
    return not doubt.fact or any(one.fact and _tells_it(one.fact, doubt.fact, doubt.row) for one in new)


def _held(one: Entry, rows: Mapping[int, Memory], later: Later, new: Sequence[Add | Change]) -> Entry | None:
    """What stands for an entry: of a change that begins later a row of its own, of an end that comes with one (`new`)
    nothing."""
    row = rows.get(one.id) if not isinstance(one, Add) else None
    if isinstance(one, Add) or row is None or not holds_now(row):
        return one
    if isinstance(one, Close):
        over = any(add.fact and of_the_same(row.fact, add.fact) and _shares(row, add.fact) for add in new)
        return None if over else one
    time = later.time(one.when)
    if not time or not one.fact or not of_the_same(row.fact, one.fact):
        return one
    if any(isinstance(add, Add) and _tells_it(add.fact, one.fact, row) for add in new):
        return None
    return Add(row.subject, one.topic or row.topic, since(one.fact, time), later.day(one.when) or None)


def _tells_it(fact: str, change: str, row: Memory) -> bool:
    """Whether a new fact holds all that a change would put into the row: one of them is enough."""
    come = {*terms(change)} - {*terms(row.fact)}
    return bool(come) and come <= {*terms(fact)}


def _shares(row: Memory, fact: str) -> bool:
    """Whether a new fact is of the row's matter, or has a telling word of it beside whose it is."""
    kinds = [{matter.kind for part in parts(text) for matter in part.matters} for text in (row.fact, fact)]
    return bool(kinds[0] & kinds[1] or ({*terms(row.fact)} & {*terms(fact)}) - {*terms(row.subject), "user"})
