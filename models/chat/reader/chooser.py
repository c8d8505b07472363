"""Which of the sentences answers, and whether any does: two small linear models over their signs.

The first is a softmax over the sentences of a recall, the second a logistic model over the signs of the best, the share
that it has, and how much all of them weigh. Both are fitted on the talks that ship (`chatmem train recall --reader`).
A cross-encoder, where it is there, has its say in both (`Crossed`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ....memory.errors import ModelBroken
from .sentences import SIGNS

FILE = Path(__file__).resolve().parents[3] / "assets" / "ranker" / "reader.json"
READ = 8
"""Sentences that the cross-encoder reads, the likeliest by their signs; more of them answer no more questions."""
Answers = Literal["surely", "perhaps", "not"]
BESIDE = ("share", "all")
"""Signs of the second model beside those of the best sentence: its share, and the log of the sum over all."""


@dataclass(frozen=True, slots=True)
class Linear:
    """Weights over signs that are brought to mean 0 and spread 1."""

    mean: np.ndarray
    spread: np.ndarray
    weights: np.ndarray
    bias: float = 0.0

    def __call__(self, signs: np.ndarray) -> np.ndarray:
        """The logits, shape (rows,)."""
        found: np.ndarray = ((signs - self.mean) / self.spread) @ self.weights + self.bias
        return found


@dataclass(frozen=True, slots=True)
class Crossed:
    """What the logits of a cross-encoder add (`cross_encoder.py`).

    `best`: weights of a sentence's logit by its signs, of the cross-encoder's, and of how late it was said beside the
    others (`sentences.lateness`); `told`: of the logit that any answers by signs, of the log of the sum of the
    cross-encoder's over all, and a bias; `none` and `unsure`: as of `Chooser`.
    """

    best: tuple[float, float, float]
    told: tuple[float, float, float]
    none: float
    unsure: float


@dataclass(frozen=True, slots=True)
class Later:
    """What tells that a later line holds in place of what is read out (`since.py`). `weights`: of the logit that it
    ends that, of how well it answers the question by the cross-encoder, of how well what is read out does, and a bias;
    `bound`: the logit from which on it is told, too."""

    weights: tuple[float, float, float, float]
    bound: float

    def holds(self, signs: np.ndarray) -> np.ndarray:
        """The logits of lines by their signs, shape (lines, 3), and from which the bound is taken already."""
        found: np.ndarray = signs @ np.array(self.weights[:3]) + self.weights[3] - self.bound
        return found


class Judged(NamedTuple):
    """Each sentence's chance to be the one that answers, if one does, shape (sentences,); the logit that one does."""

    shares: np.ndarray
    surety: float


@dataclass(frozen=True, slots=True)
class Chooser:
    """`best`: how well a sentence answers beside the others; `told`: whether the best of them does. Logits of `told`
    below `none`: nothing answers; below `unsure`: that isn't sure. `crossed`: what a cross-encoder adds; `later`: what
    tells that a later line holds instead."""

    best: Linear
    told: Linear
    none: float
    unsure: float
    crossed: Crossed | None = None
    later: Later | None = None

    def judge(
        self, table: np.ndarray, late: np.ndarray, logits: Callable[[Sequence[int]], np.ndarray] | None = None
    ) -> Judged:
        """Of the sentences' signs, of how late each was said, and of the cross-encoder's `logits` of those at the
        places that it is given."""
        if self.crossed is None or logits is None:
            return Judged(self.shares(table), self.surety(table))
        return crossed_by(self.crossed, self.best(table), late, self.surety(table), logits)

    def shares(self, table: np.ndarray) -> np.ndarray:
        """Each sentence's chance to be the one that answers, if one does, shape (sentences,)."""
        return _softmax(self.best(table))

    def surety(self, table: np.ndarray) -> float:
        """The logit that the best sentence answers."""
        return float(self.told(beside(self.best, table)[None])[0])

    def bounds(self, *, crossed: bool = False) -> tuple[float, float]:
        """`none` and `unsure` of a surety that the cross-encoder had a say in, or not."""
        by = self.crossed if crossed and self.crossed is not None else self
        return by.none, by.unsure

    def answers(self, surety: float, *, crossed: bool = False) -> Answers:
        """Whether the best sentence answers. `crossed`: the cross-encoder had a say in the surety."""
        none, unsure = self.bounds(crossed=crossed)
        return "not" if surety < none else "perhaps" if surety < unsure else "surely"


def crossed_by(
    crossed: Crossed, best: np.ndarray, late: np.ndarray, surety: float,
    logits: Callable[[Sequence[int]], np.ndarray],
) -> Judged:  # fmt: skip
    """All together. The cross-encoder reads the likeliest by their signs; the others count as the worst of those."""
    places = sorted(int(place) for place in np.argsort(-best, kind="stable")[:READ])
    read = logits(places)
    of_all = np.full(len(best), read.min())
    of_all[places] = read
    total = float(read.max() + np.log(np.exp(read - read.max()).sum()))
    own, other, later = crossed.best
    return Judged(
        _softmax(own * best + other * of_all + later * late), float(np.dot(crossed.told, (surety, total, 1.0)))
    )


def chance(surety: float) -> float:
    """The chance of a logit, 0 to 1."""
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, surety))))


def beside(best: Linear, table: np.ndarray) -> np.ndarray:
    """What the second model is shown, shape (signs + 2,)."""
    logits = best(table)
    top = int(logits.argmax())
    total = float(logits.max() + np.log(np.exp(logits - logits.max()).sum()))
    found: np.ndarray = np.r_[table[top], _softmax(logits)[top], total]
    return found


def _softmax(logits: np.ndarray) -> np.ndarray:
    each = np.exp(logits - logits.max())
    found: np.ndarray = each / each.sum()
    return found


@lru_cache(maxsize=1)
def load(path: Path = FILE) -> Chooser | None:
    """The shipped one; None when the file is not there. Raises ModelBroken for a file that holds another."""
    if not path.is_file():
        return None
    try:
        return from_data(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelBroken(f"the file {path} of the reader can't be used ({error}): reinstall chatmem") from error


def from_data(data: Mapping[str, Any]) -> Chooser:
    """A chooser from its weights by name. Raises KeyError, TypeError, ValueError."""
    if tuple(data["signs"]) != SIGNS:
        raise ValueError("made for other signs")
    best, told = _linear(data["best"], len(SIGNS)), _linear(data["told"], len(SIGNS) + len(BESIDE))
    crossed = _crossed(data["crossed"]) if "crossed" in data else None
    later = _later(data["later"]) if "later" in data else None
    return Chooser(best, told, float(data["none"]), float(data["unsure"]), crossed, later)


def as_data(chooser: Chooser) -> dict[str, object]:
    """The chooser as its file holds it."""
    parts = {"best": chooser.best, "told": chooser.told}
    weights = {
        name: {key: getattr(one, key).round(4).tolist() for key in ("mean", "spread", "weights")}
        | {"bias": round(one.bias, 4)}
        for name, one in parts.items()
    }
    bounds = {"none": round(chooser.none, 4), "unsure": round(chooser.unsure, 4)}
    crossed = {} if chooser.crossed is None else {"crossed": asdict(chooser.crossed)}
    later = {} if chooser.later is None else {"later": asdict(chooser.later)}
    return {"signs": list(SIGNS), **weights, **bounds, **crossed, **later}


def _crossed(data: Mapping[str, Any]) -> Crossed:
    own, other, later = map(float, data["best"])
    first, second, bias = map(float, data["told"])
    return Crossed((own, other, later), (first, second, bias), float(data["none"]), float(data["unsure"]))


def _later(data: Mapping[str, Any]) -> Later:
    ends, answers, answered, bias = map(float, data["weights"])
    return Later((ends, answers, answered, bias), float(data["bound"]))


def _linear(data: Mapping[str, Any], size: int) -> Linear:
    mean, spread, weights = (np.array(data[name], np.float64) for name in ("mean", "spread", "weights"))
    if any(one.shape != (size,) for one in (mean, spread, weights)):
        raise ValueError(f"{size} weights are needed")
    return Linear(mean, spread, weights, float(data["bias"]))
