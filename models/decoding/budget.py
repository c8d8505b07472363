"""A text shortened from one end until it fits into a budget of counted tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

Count = Callable[[str], int]
Keep = Literal["head", "tail"]


def fit(text: str, budget: int, count: Count, keep: Keep) -> str:
    """The text, or as much of its head or tail (by lines, then by words) as has at most `budget` tokens.

    `count` is the model's own counter, so that what fits here fits into its prompt.
    """
    if count(text) <= budget:
        return text
    if budget <= 0:
        return ""
    return _cut(text, budget, count, keep, "\n") or _cut(text, budget, count, keep, " ")


def _cut(text: str, budget: int, count: Count, keep: Keep, separator: str) -> str:
    """The most pieces from one end that fit, found by bisection."""
    pieces = text.split(separator)
    low, high = 0, len(pieces) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if count(_end(pieces, middle, keep, separator)) <= budget:
            low = middle
        else:
            high = middle - 1
    return _end(pieces, low, keep, separator)


def _end(pieces: Sequence[str], number: int, keep: Keep, separator: str) -> str:
    if number == 0:
        return ""
    return separator.join(pieces[-number:] if keep == "tail" else pieces[:number])
