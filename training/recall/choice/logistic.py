"""Logistic regression on a few signs, in numpy: what the bounds and weights of the readers are fitted with."""

from __future__ import annotations

import numpy as np

STEPS, RATE, DECAY = 400, 0.3, 1e-3


def evenly(wanted: np.ndarray) -> np.ndarray:
    """Weights of cases by which those that are wanted (1) and the others (0) weigh the same, one in sum."""
    weights: np.ndarray = np.where(wanted > 0, 0.5 / max(wanted.sum(), 1), 0.5 / max((1 - wanted).sum(), 1))
    return weights


def logistic(x: np.ndarray, wanted: np.ndarray, weight: np.ndarray) -> tuple[float, ...]:
    """Weights of the columns of x, shape (cases, signs), the last of them ones; `weight` of the cases, one in sum."""
    w, kept = np.zeros(x.shape[1]), np.arange(x.shape[1]) < x.shape[1] - 1
    for _ in range(STEPS):
        gain = weight * (1 / (1 + np.exp(-np.clip(x @ w, -60, 60))) - wanted)
        w -= RATE * (x.T @ gain + DECAY * w * kept)
    return tuple(map(float, w.round(4)))
