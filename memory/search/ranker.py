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

from ..errors import ModelBroken
from .line_features import NAMES

FILE = Path(__file__).resolve().parents[2] / "assets" / "ranker" / "lines.json"
CLIP = 4.0
"""Standard deviations beyond which a sign says no more."""
PREFERENCE = 6.0
"""By how much the plain fusion prefers people's lines, in standard deviations."""
_FUSION, _ASSISTANT, _ASKS_BACK = (NAMES.index(name) for name in ("fusion", "assistant", "asks back"))


@dataclass(frozen=True, slots=True)
class Ranker:
    """A linear layer beside one hidden layer: `linear @ x + out @ relu(hidden @ x + bias)` of standardised signs."""

    mean: np.ndarray
    spread: np.ndarray
    linear: np.ndarray
    hidden: np.ndarray
    bias: np.ndarray
    out: np.ndarray
    far: np.ndarray
    """Share of signs beyond `CLIP` above which the talk is of a kind that it doesn't know."""
    blend: np.ndarray
    """Weight of the plain fusion beside the network in a talk with the assistant, of which it has seen little."""

    def knows(self, signs: np.ndarray) -> bool:
        """Whether the signs look like those that it was trained on."""
        return bool((np.abs((signs - self.mean) / self.spread) > CLIP).mean() <= self.far)

    def safe(self, signs: np.ndarray) -> np.ndarray:
        """Logits as `scores`, with the plain fusion beside them in a talk with the assistant, and by that alone where
        it doesn't know the kind of talk."""
        if not self.knows(signs):
            return fused(signs)
        replied = bool(signs[:, _ASSISTANT].any())
        return self.scores(signs) + float(self.blend) * fused(signs) if replied else self.scores(signs)

    def scores(self, signs: np.ndarray) -> np.ndarray:
        """Logits, shape (lines,), of signs of shape (lines, signs)."""
        x = np.clip((signs - self.mean) / self.spread, -CLIP, CLIP)
        result: np.ndarray = x @ self.linear + np.maximum(x @ self.hidden.T + self.bias, 0) @ self.out
        return result


def fused(signs: np.ndarray) -> np.ndarray:
    """Logits of words, meaning by the encoder of questions and by that of lines, alike; people's lines come first,
    unless it is asked what the assistant said. Nothing in it is learned, so no kind of talk is strange to it."""
    preferred = PREFERENCE * signs[:, _ASSISTANT] * (1 - signs[:, _ASKS_BACK])
    result: np.ndarray = (signs[:, _FUSION] - preferred) / 2
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
