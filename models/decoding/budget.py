"""Prompts that fit: parts packed by priority into a budget of counted tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class BudgetPart:
    """A piece of a prompt. Lower `priority` is kept first.

    `cut` says what happens to a part that doesn't fit whole: "drop" it, keep its "head" or its "tail" (by lines,
    then by words).
    """

    text: str
    priority: int = 0
    cut: Literal["drop", "head", "tail"] = "drop"


def pack(parts: Sequence[BudgetPart], budget: int, count: Count) -> list[str]:
    """The texts that fit into `budget` tokens, in the parts' own order ("" for what was dropped).

    Among equal priorities earlier parts go first. `count` is the model's own counter, so no sum ever exceeds the
    budget: tokens of a joined text are at most those of its pieces plus the separators that the caller adds.
    """
    left = max(budget, 0)
    kept = [""] * len(parts)
    for at in sorted(range(len(parts)), key=lambda at: (parts[at].priority, at)):
        text = fit(parts[at], left, count)
        kept[at] = text
        left -= count(text) if text else 0
    return kept


def fit(part: BudgetPart, budget: int, count: Count) -> str:
    """The part's text, shortened as it allows until it has at most `budget` tokens."""
    if count(part.text) <= budget:
        return part.text
    if part.cut == "drop" or budget <= 0:
        return ""
    return _cut(part.text, budget, count, part.cut == "tail", "\n") or _cut(
        part.text, budget, count, part.cut == "tail", " "
    )


def _cut(text: str, budget: int, count: Count, tail: bool, separator: str) -> str:
    """The most pieces from one end that fit, found by bisection."""
    pieces = text.split(separator)
    low, high = 0, len(pieces) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if count(_end(pieces, middle, tail, separator)) <= budget:
            low = middle
        else:
            high = middle - 1
    return _end(pieces, low, tail, separator)


def _end(pieces: Sequence[str], number: int, tail: bool, separator: str) -> str:
    if number == 0:
        return ""
    return separator.join(pieces[-number:] if tail else pieces[:number])
