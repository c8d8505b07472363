"""Many words looked for in many bytes: most stand nowhere, which is told without looking through all bytes for each."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

MANY = 400
"""Words from which on sifting takes less time than it spares."""
_RUN, _BITS = 4, 22
_SPREAD = np.uint32(2_654_435_761)
"""Knuth's multiplier (The Art of Computer Programming, 6.4): the upper bits of a product are spread evenly."""


def present(piece: bytes, wanted: Mapping[str, Collection[bytes]]) -> set[str]:
    """Which of the words stand in these bytes in one of their forms."""
    there = _there(piece) if len(wanted) >= MANY else None
    return {word for word, forms in wanted.items() if any(_may(there, one) and one in piece for one in forms)}


def _there(piece: bytes) -> np.ndarray:
    """Of each place whether a run of bytes that belongs there stands in the piece."""
    there = np.zeros(1 << _BITS, dtype=bool)
    there[_places(piece)] = True
    return there


def _may(there: np.ndarray | None, word: bytes) -> bool:
    """Whether a word may stand there; where not, it can't."""
    return there is None or len(word) < _RUN or bool(there[_places(word)].all())


def _places(text: bytes) -> np.ndarray:
    """The place of each run of four bytes; some runs share theirs."""
    one = np.frombuffer(text, dtype=np.uint8).astype(np.uint32)
    runs = one[:-3] | one[1:-2] << 8 | one[2:-1] << 16 | one[3:] << 24
    return runs * _SPREAD >> np.uint32(32 - _BITS)
