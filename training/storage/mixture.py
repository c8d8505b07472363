"""As many rows that tell something as rows that tell nothing, each half in parts of its sources.

A policy that learns from rewards moves its threshold for storing towards what most of its prompts hold. Of MSC's lines
two thirds tell something, of what people say to an assistant far fewer: orders, questions, small talk.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

from ...models.prompts.messages import NOTHING
from ..policy.rows import Rows

TOLD = {"msc": 5, "locomo": 1, "talks": 4}
NOTHING_TOLD = {"msc": 4, "talks": 6}
"""Parts of a half by source; one that is not given leaves its part to the others. Talks are those with orders."""


def mixture(sources: Mapping[str, Rows], most: int, rng: random.Random) -> Rows:
    """At most `most` rows, half of them with nothing to store, source by source.

    A source that has too few rows makes both halves smaller, so that they and their parts stay alike.
    """
    told = {name: [row for row in rows if not _nothing(row)] for name, rows in sources.items()}
    none = {name: [row for row in rows if _nothing(row)] for name, rows in sources.items()}
    half = min(most // 2, _reach(told, TOLD), _reach(none, NOTHING_TOLD))
    return [*_part(told, TOLD, half, rng), *_part(none, NOTHING_TOLD, half, rng)]


def _nothing(row: Mapping[str, object]) -> bool:
    return row["completion"] == NOTHING


def _reach(rows: Mapping[str, Rows], parts: Mapping[str, int]) -> int:
    """The rows of a half that its scarcest source allows."""
    given = _given(rows, parts)
    return min((len(rows[name]) * sum(given.values()) // part for name, part in given.items()), default=0)


def _given(rows: Mapping[str, Rows], parts: Mapping[str, int]) -> dict[str, int]:
    return {name: part for name, part in parts.items() if rows.get(name)}


def _part(
    rows: Mapping[str, Rows], parts: Mapping[str, int], half: int, rng: random.Random
) -> Iterable[dict[str, object]]:
    given = _given(rows, parts)
    whole, done = sum(given.values()), 0
    for name, part in given.items():
        done += part
        yield from rng.sample(rows[name], half * done // whole - half * (done - part) // whole)
