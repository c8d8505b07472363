"""How sure a measure is: shares and means with their 95% intervals."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 1 << 16
"""Cases drawn at once: few enough for the processor's cache, many enough that the loop around them costs nothing."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure over `n` cases with its 95% interval."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] n={self.n}"


def wilson(hits: int, n: int) -> Estimate:
    """A share with Wilson's 95% interval (E. B. Wilson, 1927), which stays inside 0..1 for small n."""
    if not n:
        return Estimate(math.nan, 0.0, 1.0, 0)
    z = 1.959964
    share, square = hits / n, z * z / n
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / n + square / (4 * n)) / (1 + square)
    return Estimate(share, min(max(0.0, middle - half), share), max(min(1.0, middle + half), share), n)


def bootstrap(values: Sequence[float], *, seed: int = 0, rounds: int = 1000) -> Estimate:
    """A mean with its 95% percentile bootstrap interval (Efron, 1979)."""
    return bootstrap_ratio(values, [1.0] * len(values), seed=seed, rounds=rounds)


def bootstrap_ratio(tops: Sequence[float], bottoms: Sequence[float], *, seed: int = 0, rounds: int = 1000) -> Estimate:
    """sum(tops) / sum(bottoms) with its interval, whole cases drawn again; `n` is the sum of the bottoms."""
    import numpy as np

    total = sum(bottoms)
    if not total:
        return Estimate(math.nan, 0.0, 1.0, 0)
    above, below = np.asarray(tops, dtype=float), np.asarray(bottoms, dtype=float)
    alike = bool((below == below[0]).all())
    ratios = []
    for drawn in _draws(len(tops), rounds, seed):
        sums = above[drawn].sum(axis=1)
        weights = np.full(len(drawn), below[0] * len(tops)) if alike else below[drawn].sum(axis=1)
        ratios.append(np.divide(sums, weights, out=np.zeros(len(drawn)), where=weights != 0))
    ordered = np.sort(np.concatenate(ratios))
    low, high = ordered[int(0.025 * rounds)], ordered[min(rounds - 1, int(0.975 * rounds))]
    return Estimate(sum(tops) / total, float(low), float(high), round(total))


def _draws(n: int, rounds: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """The places of `n` cases drawn with replacement, a row a round, some rounds at a time.

    They are the very places that `random.Random(seed).choices(range(n), k=n)` gives round after round: both generators
    are Mersenne Twisters and make a float of two of its words alike, so numpy goes on from Python's state.
    """
    import numpy as np

    words: Any = random.Random(seed).getstate()[1]
    source = np.random.RandomState()
    source.set_state(("MT19937", np.array(words[:-1], dtype=np.uint32), words[-1], 0, 0.0))
    at_once = max(1, BLOCK // n)
    for done in range(0, rounds, at_once):
        yield (source.random_sample((min(at_once, rounds - done), n)) * n).astype(np.int64)
