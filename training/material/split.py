"""What is learned from and what is held back: drawn by the seed, so that the same command draws the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

One = TypeVar("One")


def split_conversations(rows: Sequence[One], share: float, seed: int) -> tuple[list[One], list[One]]:
    """(train, valid) by whole conversations, one a row; `share` of them is held back, at least one."""
    order = list(rows)
    random.Random(f"hold out {seed}").shuffle(order)
    held = max(1, round(len(order) * share)) if order else 0
    return order[held:], order[:held]


def at_most(rows: Sequence[One], most: int, seed: int) -> list[One]:
    """At most so many rows, drawn by the seed; all of them in their order where they are no more."""
    return list(rows) if len(rows) <= most else random.Random(seed).sample(list(rows), most)
