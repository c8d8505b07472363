"""Numbers of passages: that of the turn, shifted, and the place in it; so no table has to tell whose one is."""

from __future__ import annotations

SHIFT = 20
"""Bits of a passage's number that tell its place in its turn: a million."""
PLACE = (1 << SHIFT) - 1
"""These bits."""


def first_of(turn_id: int) -> int:
    """The number of a turn's first passage; the others follow."""
    return turn_id << SHIFT
