"""What somebody disputes ("you've noted that I like fish, but ..."): the rows that say it go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....memory.language.third_person import to_third_person
from ....memory.language.words import terms
from ....memory.values import Doubt, Memory
from ...prompts.draft import Close, Draft
from ..told.fidelity import alike
from .end_facts import denials

MOST = 0.75
"""Share of the claim's telling words that a row must have."""


def retracted(
    draft: Draft, doubts: Sequence[Doubt], rows: Sequence[Memory], claim: str, speaker: str
) -> tuple[Draft, tuple[Doubt, ...]]:
    """The draft with the end of the rows that say most of the claim (of none: unchanged), and what is to ask: whether
    those that are pinned go. No new fact says it. "Doesn't like fish" isn't "likes fish"."""
    fact = to_third_person(claim, speaker)
    said = {*terms(alike(fact))} - {*terms(speaker), "user"}
    if not said:
        return draft, tuple(doubts)
    kept = tuple(one for one in draft if isinstance(one, Close) or not _says(one.fact or "", fact, said, 1.0))
    found = [row for row in rows if _says(row.fact, fact, said)]
    best = max((_share(row.fact, said) for row in found), default=0.0)
    meant = [row for row in found if _share(row.fact, said) == best and row.id not in draft.touched]
    ends = [Close(row.id) for row in meant if not row.pinned]
    known = {row.id for row in meant}
    asked = [one for one in doubts if one.row.id not in known] + [Doubt(row, "") for row in meant if row.pinned]
    return replace(draft, entries=(*kept, *ends)), tuple(asked)


def _says(text: str, claim: str, said: set[str], least: float = MOST) -> bool:
    return bool(denials(text)) == bool(denials(claim)) and _share(text, said) >= least


def _share(text: str, said: set[str]) -> float:
    return len(said & {*terms(alike(text))}) / len(said)
