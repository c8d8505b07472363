"""What the readers make of a draft: ends that no rule saw are written, ends that only a rule saw are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ....memory.language.facts.over import is_over_anyway
from ....memory.language.facts.put_right import rights
from ....memory.values import Doubt, Memory
from ...prompts.draft import Draft
from ..later.arrived import arrived
from ..later.kept_until import kept_until
from .ended import Ends, crowd, ended, of_another_matter, settled
from .spared import ending, spared

WORTH_ASKING = 2.0
"""How far below the bound from which it asks by itself the reader's logit of a row may lie that a rule asks about."""
READ_ALL = 12
"""Rows of a memory of which each is read, whether or not search finds it near to the line."""


def with_ends(
    draft: Draft, told: Draft, known: Sequence[Memory], near: Sequence[Memory], doubts: Sequence[Doubt], ends: Ends,
    said: Callable[[str], str | None],
) -> tuple[Draft, tuple[Doubt, ...]]:  # fmt: skip
    """The draft with the ends that no rule saw, without those that the reader doesn't believe, and what is to be asked:
    what the reader finds likely, and of the rules' doubts those that it doesn't find unlikely.

    `told`: the draft before rules looked at it; `known`: all rows, `near`: those that are near to the line, `doubts`:
    the rules'; `said`: the clause of the line that a fact is about, as it was said. Raises ModelError.
    """
    draft = spared(draft, told.entries, known, ends)
    far = [row for row in known if row not in near and not row.derived] if len(known) <= READ_ALL else []
    believed = _believed(doubts, near, ends)
    ends, near = replace(ends, far=frozenset(row.id for row in far)), [*near, *far]
    seen = {*draft.touched, *(one.row.id for one in doubts)}
    some = {row.id: row for row in near if not row.derived} | {row.id: row for row in known if row.id in ends.just.rows}
    matter, puts_right = [ends.line.text, *draft.facts], rights(ends.line.text)
    rows = [
        row for key, row in sorted(some.items())
        if key not in seen and (puts_right or not is_over_anyway(row.fact))
        and (ends.before or key in ends.just.rows or not of_another_matter(row, matter))
    ]  # fmt: skip
    found = ended(ends, rows, bool(ending(draft, known) or believed))
    after, more = settled(draft, found, ends.line, said, ends.just.rows)
    if not ends.later:
        return arrived(after, (*believed, *more), known, ends.line.text)
    return kept_until(after, (*believed, *more), {row.id: row for row in known} | some, ends.later)


def _believed(doubts: Sequence[Doubt], near: Iterable[Memory], ends: Ends) -> list[Doubt]:
    """Those of the rules' doubts that are worth a question: of pinned rows, of a line that says that something was
    wrong, and where the reader finds an end likely enough among so many rows."""
    if not doubts or rights(ends.line.text):
        return list(doubts)
    less = crowd([row for row in near if row.id not in ends.just.rows and not row.derived])
    logits = ends.logits([one.row for one in doubts])
    return [
        one for one, logit in zip(doubts, logits, strict=True)
        if one.row.pinned or logit - less >= ends.bounds(one.row).likely - WORTH_ASKING
    ]  # fmt: skip
