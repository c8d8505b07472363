"""What the readers make of a draft: ends that no rule saw are written, ends that only a rule saw are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ....memory.language.facts.corrections import signals
from ....memory.language.facts.matters import parts
from ....memory.language.facts.over import has_ended, is_over_anyway
from ....memory.language.facts.put_right import may_put_right, rights
from ....memory.language.points import letters as re
from ....memory.language.words import terms, tokens
from ....memory.values import Doubt, Memory
from ...prompts.draft import Draft
from ...prompts.messages import Line
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
        if key not in seen and (puts_right or not _is_done(row, ends))
        and (ends.before or key in ends.just.rows or not of_another_matter(row, matter))
        and not _is_told_of_others(row.fact, draft, ends.line)
    ]  # fmt: skip
    found = ended(ends, rows, bool(ending(draft, known) or believed))
    after, more = settled(draft, found, ends.line, said, ends.just.rows)
    if not ends.later:
        return arrived(after, (*believed, *more), known, ends.line.text)
    return kept_until(after, (*believed, *more), {row.id: row for row in known} | some, ends.later)


def _is_told_of_others(fact: str, draft: Draft, line: Line) -> bool:
    """Whether a row is the speaker's own, and of a line without a word for a change, an end or a slip all that shares a
    word with it is told of others: "Sid is in his first year" ends no "Ana is in her third year"."""
    own, said = {*tokens(line.speaker), "user"}, signals(line.text)
    of_row = parts(fact)[:1]
    if not of_row or of_row[0].owner is not None or not of_row[0].holder.names & own:
        return False
    if said.any_change or has_ended(line.text) or may_put_right(line.text):
        return False
    shared = ({*terms(fact)} & {*terms(line.text)}) - {*terms(line.speaker)}
    told = [parts(one)[0] for one in draft.facts if parts(one) and shared & {*terms(one)}]
    return bool(told) and all(one.owner is not None or not one.holder.names & own for one in told)


def _is_done(row: Memory, ends: Ends) -> bool:
    """Whether a row tells what was; or what the line before said to be over ("stopped naproxen"), and this one, which
    shares no word with it, neither of a change nor that anything is as before: then nothing is left that could end."""
    if is_over_anyway(row.fact):
        return True
    line = ends.line.text
    if row.id not in ends.just.rows or not has_ended(row.fact) or signals(line).any_change or _ANEW.search(line):
        return False
    return not ({*terms(row.fact)} & {*terms(line)}) - {*terms(ends.line.speaker)}


_ANEW = re.compile(r"\b(?:again|back|after all|anew|once more|reopen\w*|restart\w*|resum\w*)\b", re.IGNORECASE)


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
