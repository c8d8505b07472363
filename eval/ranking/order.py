"""The orders of a row's sessions: by similarity, by the learned lines, as the model wrote it, and fused."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...memory.errors import InputError
from .rows import Row

WEIGHT = 0.1
"""What the first place of a ranking is worth beside the chance of a session by the learned lines, in `fused`."""
ORDERS = ("similarity", "lines", "generated", "fused")


def order(row: Row, name: str, weight: float = WEIGHT) -> list[int] | None:
    """All sessions, best first, by one of `ORDERS`; None where the row has nothing to order them by."""
    found = row.found
    near = _similarity(found)
    if name == "similarity" or near is None:
        return near
    if name == "generated":
        return None if "haystack_session_gen_rankings" not in found else first(ranked(found), near)
    chances = found.get("session_chances")
    if chances is None:
        return None
    if name == "lines":
        return by_score(chances, near)
    return None if "haystack_session_gen_rankings" not in found else fused(chances, ranked(found), near, weight)


def best_order(row: Row) -> tuple[str, list[int]]:
    """What answers are made from, and its name: the model's ranking where it wrote one, else the learned lines, else
    similarity."""
    wrote = bool(ranked(row.found))
    for name in (("generated",) if wrote else ()) + ("lines", "similarity"):
        if (found := order(row, name)) is not None:
            return name, found
    raise InputError(f"row {row.key} has no similarities of its sessions: run `chatmem rank embed` on it first.")


def ranked(found: Mapping[str, Any]) -> list[int]:
    """The sessions that the model ranked."""
    return list(found.get("haystack_session_gen_rankings") or ())


def _similarity(found: Mapping[str, Any]) -> list[int] | None:
    near: Sequence[float] | None = found.get("similarities")
    return None if near is None else sorted(range(len(near)), key=lambda place: (-near[place], place))


def first(generated: Sequence[int], near: Sequence[int]) -> list[int]:
    """Those that the model ranked, then the others in the order of similarity."""
    return list(dict.fromkeys([*generated, *near]))


def by_score(scores: Sequence[float], near: Sequence[int]) -> list[int]:
    """Highest score first; equals as similarity has them."""
    return sorted(near, key=lambda place: -scores[place])


def fused(chances: Sequence[float], generated: Sequence[int], near: Sequence[int], weight: float = WEIGHT) -> list[int]:
    """A session's chance by the learned lines and, of those that the model ranked, `weight` for the first place,
    discounted as in NDCG for those after it."""
    scores = list(chances)
    for number, place in enumerate(generated, 1):
        scores[place] += weight / math.log2(number + 1)
    return by_score(scores, near)
