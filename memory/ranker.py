"""The ranker of lines: a small network over the signs that search has anyway, trained on questions with their evidence.

The weights are one JSON file (`chatmem train recall` makes it, its card stands beside it). What it changes is the order
alone: the scores stay those of the sum of signs, dealt out anew, so that facts and packing meet the scale they know.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .errors import ModelBroken
from .linesigns import NAMES

FILE = Path(__file__).resolve().parent.parent / "assets" / "ranker" / "lines.json"
CLIP = 4.0
"""Standard deviations beyond which a sign says no more."""


@dataclass(frozen=True, slots=True)
class Ranker:
    """A linear layer beside one hidden layer: `linear @ x + out @ relu(hidden @ x + bias)` of standardised signs."""

    mean: np.ndarray
    spread: np.ndarray
    linear: np.ndarray
    hidden: np.ndarray
    bias: np.ndarray
    out: np.ndarray

    def scores(self, signs: np.ndarray) -> np.ndarray:
        """Logits, shape (lines,), of signs of shape (lines, signs)."""
        x = np.clip((signs - self.mean) / self.spread, -CLIP, CLIP)
        result: np.ndarray = x @ self.linear + np.maximum(x @ self.hidden.T + self.bias, 0) @ self.out
        return result


def dealt(scores: np.ndarray, total: np.ndarray) -> np.ndarray:
    """The values of `total` in the order of `scores`: the best gets the greatest, and so on."""
    found = np.empty_like(total)
    found[np.argsort(-scores, kind="stable")] = -np.sort(-total)
    return found


def chances(scores: np.ndarray) -> np.ndarray:
    """The softmax: how the ranker, trained with just that loss, shares its bets among the lines."""
    shares: np.ndarray = np.exp(scores - scores.max(initial=-np.inf))
    return shares / max(float(shares.sum()), 1e-9)


@lru_cache(maxsize=1)
def load(path: Path = FILE) -> Ranker | None:
    """The shipped ranker; None when the file is not there. Raises ModelBroken for a file that holds another one."""
    if not path.is_file():
        return None
    try:
        return from_data(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelBroken(f"the ranker's file {path} can't be used ({error}): reinstall chatmem") from error


def from_data(data: dict[str, Any]) -> Ranker:
    """A ranker from its weights by name. Raises KeyError, ValueError."""
    found = Ranker(*(np.array(data[name], np.float32) for name in Ranker.__slots__))
    if tuple(data["signs"]) != NAMES or found.hidden.shape != (len(found.out), len(NAMES)):
        raise ValueError("made for other signs")
    return found
