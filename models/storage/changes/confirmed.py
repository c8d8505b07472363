"""What a yes has just confirmed, the rest of its line doesn't end: "yes, he said so, and Porto it is now, since the
rent in Bristol went up" leaves the home in Porto, whatever a reader makes of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ....memory.language.words import terms
from ....memory.values import HUMAN, Memory, Turn
from ...prompts.draft import Add, Close, Draft, Entry

if TYPE_CHECKING:
    from ....memory.store.store import Store

ASKED_ABOUT = 2
"""Lines before a yes, one of which brought the question: it may come when the next line is typed already."""


def confirmed(store: Store, user_id: int, earlier: Sequence[Turn], rows: Sequence[Memory]) -> frozenset[int]:
    """The ids of the rows of the line for which another row was closed by a yes since the last line. `earlier`: the
    speaker's lines before the one that says yes, the nearest last."""
    for line in reversed(earlier[-ASKED_ABOUT:]):
        entries = store.journal.entries(user_id, turn_id=line.id, kind="delete")
        last = line == earlier[-1]
        if any(one.author == HUMAN and not one.undone and (last or one.at >= earlier[-1].said_at) for one in entries):
            return frozenset(row.id for row in rows if row.said_at == line.said_at)
    return frozenset()


def standing(
    draft: Draft, rows: Sequence[Memory], ids: Collection[int]
) -> tuple[Draft, Sequence[Memory]]:  # fmt: skip
    """The draft without ends of these rows, with what would take their place beside them, and the rows that a line may
    end all the same."""
    known = {row.id: row for row in rows if row.id in ids}
    if not known:
        return draft, rows
    kept = tuple(one for entry in draft if (one := _beside(entry, known)) is not None)
    return replace(draft, entries=kept), [row for row in rows if row.id not in ids]


def _beside(entry: Entry, known: dict[int, Memory]) -> Entry | None:
    if isinstance(entry, Add):
        told = {*terms(entry.fact)}
        return None if any(told <= {*terms(row.fact)} for row in known.values()) else entry
    row = known.get(entry.id)
    if row is None or (not isinstance(entry, Close) and not entry.fact):
        return entry
    if isinstance(entry, Close) or not entry.fact:
        return None
    more = {*terms(row.fact)} <= {*terms(entry.fact)}
    return entry if more else Add(row.subject, row.topic, entry.fact, entry.when)
