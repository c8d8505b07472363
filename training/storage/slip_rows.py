"""Storage rows from slips: what somebody told, what was made of it, and the line that puts it right."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from ...memory.language.facts.areas import area
from ...memory.language.words import terms
from ...models.prompts.messages import NOTHING, Known, Line, delete_sql, insert_sql, storage_messages, update_sql
from ..material.templates.ends.slips import Slip, slips
from ..policy.rows import training_row


def slip_rows(seed: int) -> Iterator[dict[str, Any]]:
    """A row for each slip: untrue facts are changed into what is true instead, or deleted; what else the line tells is
    new. None in a wheel, which leaves the slips out for their weight."""
    rng = random.Random(seed)
    for slip in slips("train"):
        numbers = sorted(rng.sample(range(1, 400), len(slip.facts)))
        known = [Known(n, area("", fact), fact) for n, fact in zip(numbers, slip.facts, strict=True)]
        messages = storage_messages([Line(slip.user, slip.said)], Line(slip.user, slip.line), known)
        yield training_row(messages, _target(slip, known))


def _target(slip: Slip, known: Sequence[Known]) -> str:
    """The SQL that leaves what is true now: each untrue row becomes the new fact that shares most of its words."""
    now, parts = list(slip.now), list[str]()
    for place in slip.ends:
        row = known[place]
        instead = max(now, key=lambda fact: _shared(fact, row.fact), default=None)
        if instead is not None and _shared(instead, row.fact):
            now.remove(instead)
            parts.append(update_sql(row.id, instead))
        else:
            parts.append(delete_sql(row.id))
    fresh = [(slip.user, area("", fact), fact, None) for fact in now]
    return " ".join([insert_sql(fresh)] * bool(fresh) + parts) or NOTHING


def _shared(one: str, other: str) -> int:
    return len({*terms(one)} & {*terms(other)})
