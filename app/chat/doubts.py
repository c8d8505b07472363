"""What only the person can tell: whether a memory is over by what was said, and whether a fact is theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo

from ...memory.language.dates import day_of
from ...memory.values import Doubt, Held
from ..shown.events import ChangeAsked, FactAsked


def asked(doubts: Sequence[Doubt], turn_id: int, zone: tzinfo | None) -> list[ChangeAsked]:
    """The question for the first of the doubts, which holds those for the others; none for none."""
    questions = [ChangeAsked(_question(one, zone), memory_id=one.row.id, fact=one.fact, turn_id=turn_id)
                 for one in doubts]  # fmt: skip
    return [replace(questions[0], others=tuple(questions[1:]))] if questions else []


def _question(doubt: Doubt, zone: tzinfo | None) -> str:
    day = day_of(doubt.row.said_at, zone)
    told = f'On {day.day} {day:%B %Y} you told me: "{doubt.row.fact}"{" (pinned)" if doubt.row.pinned else ""}.'
    end = f'Does "{doubt.fact}" take its place?' if doubt.fact else "Is that over?"
    return f"{told} {end} Say yes or no, or just go on: then both stay."


def questions(
    held: Sequence[Held], doubts: Sequence[Doubt], turn_id: int, zone: tzinfo | None
) -> list[FactAsked | ChangeAsked]:  # fmt: skip
    """The first question, which holds those that come after it; none for none. What is held back is asked first."""
    facts = [
        FactAsked(_of_fact(one), facts=one.facts, sql=one.sql, subjects=one.subjects, turn_id=turn_id) for one in held
    ]
    after: list[FactAsked | ChangeAsked] = [*facts, *asked(doubts, turn_id, zone)]
    first = after[:1]
    return [replace(one, others=tuple(after[1:])) if isinstance(one, FactAsked) else one for one in first]


def _of_fact(held: Held) -> str:
    fact = f'"{" ".join(held.facts)}"' if held.facts else "that it is over"
    return f"That line holds words of somebody else. Shall I remember {fact}? Say yes, or just go on: then it isn't."
