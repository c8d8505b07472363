"""The next token from logits, in numpy, shared by the local back ends so that one seed means one text."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..lm import Options

Logits = npt.NDArray[np.float32]
Allowed = Callable[[npt.NDArray[np.int32]], npt.NDArray[np.bool_]]
"""Token ids, shape (n,) -> which of them the grammar allows next, shape (n,)."""

PENALTY_WINDOW = 64
_FIRST_TRIES = 64


class Sampler:
    """Greedy at temperature 0, else temperature and nucleus (top-p, Holtzman et al. 2020) with a seeded generator.

    The repeat penalty (CTRL, Keskar et al. 2019) looks at the last 64 tokens of the reply, not at the prompt:
    grounded answers have to repeat the prompt's names.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._random = np.random.default_rng(options.seed)
        self._recent: deque[int] = deque(maxlen=PENALTY_WINDOW)

    def pick(self, logits: Logits, allowed: Allowed | None = None) -> int:
        """Index of the next token. `logits` has shape (vocabulary,) and is not changed."""
        if self._recent and self._options.repeat_penalty != 1.0:
            logits = self._penalized(logits)
        token = self._draw(logits)
        if allowed is not None and not allowed(np.array([token], dtype=np.int32))[0]:
            # Sampling first and masking only on a miss keeps the distribution: p + (1 - Z) p / Z = p / Z.
            token = self._draw_allowed(logits, allowed)
        self._recent.append(token)
        return token

    def _draw_allowed(self, logits: Logits, allowed: Allowed) -> int:
        if self._options.temperature <= 0:
            # A grammar over the whole vocabulary costs as much as a decode; the best few nearly always hold a fit.
            best = np.argpartition(logits, -_FIRST_TRIES)[-_FIRST_TRIES:].astype(np.int32)
            best = best[np.argsort(-logits[best], kind="stable")]
            fits = allowed(best)
            if fits.any():
                return int(best[int(np.argmax(fits))])
        elif self._options.top_p >= 1.0:
            # Of further draws the first that fits is one from what fits; nearly always one of a few does.
            tokens, ladder = self._ladder(logits)
            drawn = tokens[_places(ladder, self._random.random(_FIRST_TRIES))].astype(np.int32)
            fits = allowed(drawn)
            if fits.any():
                return int(drawn[int(np.argmax(fits))])
        fits = allowed(np.arange(len(logits), dtype=np.int32))
        return self._draw(np.where(fits, logits, -np.inf).astype(np.float32))

    def _draw(self, logits: Logits) -> int:
        if self._options.temperature <= 0:
            return int(np.argmax(logits))
        tokens, ladder = self._ladder(logits)
        return int(tokens[_places(ladder, self._random.random(1))[0]])

    def _ladder(self, logits: Logits) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The tokens that may be drawn, and the sums of their weights up to each."""
        scaled = logits.astype(np.float64) / self._options.temperature
        weights = np.exp(scaled - scaled.max())
        weights /= weights.sum()
        tokens = np.arange(len(weights))
        if self._options.top_p < 1.0:
            tokens = _by_weight(weights, self._options.top_p)
            kept = int(np.searchsorted(np.cumsum(weights[tokens]), self._options.top_p)) + 1
            tokens = tokens[:kept]
        return tokens, np.cumsum(weights[tokens])

    def _penalized(self, logits: Logits) -> Logits:
        logits = logits.copy()
        seen = np.array(sorted(set(self._recent)))
        values = logits[seen]
        logits[seen] = np.where(
            values > 0, values / self._options.repeat_penalty, values * self._options.repeat_penalty
        )
        return logits


def _places(ladder: npt.NDArray[np.float64], at: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Where draws from 0 to 1 fall on it."""
    places: npt.NDArray[np.int64] = np.minimum(np.searchsorted(ladder, at * ladder[-1], side="right"), len(ladder) - 1)
    return places


def _by_weight(weights: npt.NDArray[np.float64], share: float) -> npt.NDArray[np.int64]:
    """Tokens from the heaviest on, enough of them to hold that share: sorting all costs as much as half a decode."""
    if len(weights) > _FIRST_TRIES:
        least = np.partition(weights, -_FIRST_TRIES)[-_FIRST_TRIES]
        some = np.flatnonzero(weights >= least)
        if weights[some].sum() > share:
            return np.asarray(some[np.argsort(-weights[some], kind="stable")])
    return np.argsort(-weights, kind="stable")
