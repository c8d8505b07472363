"""What holds until a change that begins later: the row says its end, and what is new stands beside it.

"Rent's going up to 690 from January", told in November, ends no rent of 640: "User's rent is 640 a month, until January
2027." and "User's rent is going up to 690 from January." are both so, and there is nothing to ask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ....memory.language.facts.matters import parts
from ....memory.language.later.begins import Later, ends_on, holds_now, of_the_same, since, until
from ....memory.language.words import terms
from ....memory.values import Doubt, Memory
from ...prompts.draft import Add, Change, Close, Draft, Entry


def until_then(
    draft: Draft, doubts: Sequence[Doubt], rows: Mapping[int, Memory], later: Later, sure: Callable[[Memory], bool]
) -> tuple[Draft, tuple[Doubt, ...]]:  # fmt: skip
    """The draft in which rows that hold until a day to come say so, beside what begins then, and what is left to ask.

    `later`: what the line says to begin later; `sure`: whether the reader of ends is sure of a row. Where it isn't, and
    of pinned rows, both stand as they are.
    """
    if not later.days:
        return draft, tuple(doubts)
    new = [one for one in draft if not isinstance(one, Close) and one.fact and later.day(one.when)]
    alone = later.alone and bool(new) and all(one in new or isinstance(one, Close) for one in draft)
    left, ended = list[Doubt](), list[Entry]()
    for doubt in doubts:
        row, told = doubt.row, next((one for one in new if one.fact == doubt.fact), None)
        if not holds_now(row) or not (told or (alone and not doubt.fact)):
            left.append(doubt)
        elif told and not row.pinned and of_the_same(row.fact, doubt.fact) and sure(row):
            ended.append(Change(row.id, until(row.fact, later.day(told.when))))
    asked = {doubt.fact for doubt in left}
    begun = [
        replace(one, fact=since(one.fact, later.day(one.when)))
        if isinstance(one, Add) and one in new and one.fact not in asked else one for one in draft
    ]  # fmt: skip
    held = [each for one in begun for each in _held(one, rows, later, new)]
    return replace(draft, entries=()).plus([*held, *ended]), tuple(left)


def _held(one: Entry, rows: Mapping[int, Memory], later: Later, new: Sequence[Add | Change]) -> list[Entry]:
    """What stands for an entry: of a change that begins later two rows, of an end that goes with one the row with its
    day."""
    row = rows.get(one.id) if not isinstance(one, Add) else None
    if isinstance(one, Add) or row is None or row.pinned or not holds_now(row):
        return [one]
    if isinstance(one, Close):
        told = [add for add in new if add.fact and of_the_same(row.fact, add.fact) and _shares(row, add.fact)]
        return [Change(row.id, until(row.fact, later.day(told[0].when)))] if told else [one]
    day = later.day(one.when)
    if not day or not one.fact or not of_the_same(row.fact, one.fact):
        return [one]
    return [Change(row.id, until(row.fact, day)), Add(row.subject, one.topic or row.topic, since(one.fact, day), day)]


def _shares(row: Memory, fact: str) -> bool:
    """Whether a new fact is of the row's matter, or has a telling word of it beside whose it is."""
    kinds = [{matter.kind for part in parts(text) for matter in part.matters} for text in (row.fact, fact)]
    return bool(kinds[0] & kinds[1] or ({*terms(row.fact)} & {*terms(fact)}) - {*terms(row.subject), "user"})


def ends_moved(entries: Sequence[Entry], rows: Sequence[Memory]) -> list[Change]:
    """The rows that hold until something begins, with the new day where that is put right or put off: "no, it's from
    February"."""
    known = {row.id: row for row in rows}
    moved = [
        (known[one.id], one.when) for one in entries
        if isinstance(one, Change) and one.fact and one.when and one.id in known and known[one.id].happened_on
    ]  # fmt: skip
    touched = {one.id for one in entries if not isinstance(one, Add)}
    return [
        Change(row.id, until(row.fact, day))
        for begun, day in moved if _ISO.fullmatch(day) and day != begun.happened_on
        for row in rows
        if row.id not in touched and ends_on(row.fact) == begun.happened_on and of_the_same(row.fact, begun.fact)
        and row.topic == begun.topic and not row.pinned
    ]  # fmt: skip


_ISO = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
