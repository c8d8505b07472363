"""The second hop without a model that plans: what the first search found gives the words for further ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ....memory.values import RecallItem, User

if TYPE_CHECKING:
    from ....memory.store.store import Store

ROWS, WORDS = 4, 3
"""Best rows of the first search that give a query each, and telling words of a row in it."""
WEIGHT = 0.5
"""Of all further searches together beside the first, in reciprocal rank fusion (Cormack et al. 2009, k = 60)."""
FUSION = 60


def queries(store: Store, user: User, question: str, items: Sequence[RecallItem]) -> list[str]:
    """The question with the names, and other words that few lines hold, of each of its best rows."""
    found = []
    for item in items[:ROWS]:
        text = " ".join([*([item.memory.fact] if item.memory else []), *(turn.text for turn in item.turns)])
        dates = [item.memory.happened_on] if item.memory and item.memory.happened_on else []
        words = [*store.search.telling(user.id, text, question, WORDS), *dates]
        if words:
            found.append(f"{question.rstrip('?')} {' '.join(words)}")
    return list(dict.fromkeys(found))


def fused(first: Sequence[RecallItem], others: Sequence[Sequence[RecallItem]]) -> tuple[RecallItem, ...]:
    """What all searches found, best first; the first decides most."""
    items: dict[tuple[str, int], RecallItem] = {}
    scores: dict[tuple[str, int], float] = {}
    for number, some in enumerate([first, *others]):
        weight = WEIGHT / len(others) if number else 1.0
        for place, item in enumerate(some):
            key = ("fact", item.memory.id) if item.memory else ("line", item.turns[0].id)
            items.setdefault(key, item if not number else replace(item, why=(*item.why, "hop")))
            scores[key] = scores.get(key, 0.0) + weight / (FUSION + place)
    return tuple(replace(items[key], score=scores[key]) for key in sorted(items, key=lambda key: -scores[key]))
