"""Cosines of one query with all vectors of a user and kind, and those of turns: of each that of its nearest passage."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from .numbers import PLACE, SHIFT

USUAL_SPREAD, USUAL_COUNT = 0.1, 8
"""Spread of cosines in a usual memory (MiniLM), and how many vectors it counts as: that of two rows tells nothing."""
Ids = Sequence[int] | np.ndarray


class Near(Protocol):
    """What search asks of the cosines of a query with rows."""

    def best(self, count: int, *, ordered: bool = False) -> list[int]:
        """The ids of the nearest, in no order unless they are to be `ordered`."""
        ...

    def standard(self, ids: Ids) -> np.ndarray:
        """Cosines of these ids in standard deviations above the mean of all; 0 for an id without a vector."""
        ...

    def of(self, ids: Ids) -> np.ndarray:
        """Cosines of these ids; 0 for an id without a vector."""
        ...


class NearTurns(Near, Protocol):
    """The same of turns, each by its nearest passage; spread and mean are those of all passages."""

    def standard_passages(self, numbers: Ids) -> np.ndarray:
        """As `standard`, of passages by their numbers."""
        ...

    def nearest(self, turns: Ids) -> list[int]:
        """The place of the nearest passage in each of these turns; -1 for a turn without a vector."""
        ...


@dataclass(frozen=True)
class Owners:
    """The turns of passages, ascending, and where the passages of each begin; None where each has one."""

    turns: np.ndarray
    starts: np.ndarray | None

    def best(self, each: np.ndarray) -> np.ndarray:
        """Of each turn the greatest of its passages' values."""
        return each if self.starts is None else np.maximum.reduceat(each, self.starts)


def owners_of(numbers: np.ndarray) -> Owners:
    """The turns of these passages, which ascend."""
    owners = numbers >> SHIFT
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    return Owners(owners, None) if len(starts) == len(owners) else Owners(owners[starts], starts)


@dataclass(frozen=True)
class Similarities:
    """A `Near` that holds all cosines; ids ascend. `owners`: the turns of passages, where they are known already."""

    ids: np.ndarray
    cosines: np.ndarray
    owners: Owners | None = field(default=None, kw_only=True)

    @cached_property
    def _scale(self) -> tuple[float, float]:
        return usual(self.cosines)

    def best(self, count: int, *, ordered: bool = False) -> list[int]:
        places = np.arange(len(self.ids))
        if len(self.ids) > count:
            places = _promising(self.cosines, count)
            places = places[np.argpartition(self.cosines[places], -count)[-count:]]
        if ordered:
            places = places[np.argsort(-self.cosines[places], kind="stable")]
        return [int(i) for i in self.ids[places]]

    def standard(self, ids: Ids) -> np.ndarray:
        if not len(self.ids):
            return np.zeros(len(ids))
        mean, spread = self._scale
        known, found = self._looked_up(ids)
        return np.where(known, (found - mean) / spread, 0.0)

    def of(self, ids: Ids) -> np.ndarray:
        if not len(self.ids):
            return np.zeros(len(ids))
        known, found = self._looked_up(ids)
        return np.where(known, found, 0.0)

    def _looked_up(self, ids: Ids) -> tuple[np.ndarray, np.ndarray]:
        """Which of the ids have a vector, and a cosine for each (any for those without)."""
        places, known = looked_up(self.ids, ids)
        return known, self.cosines[places]


@dataclass(frozen=True)
class TurnSimilarities(Similarities):
    """A `NearTurns`; `passages` and `each`: the numbers of all passages and their cosines."""

    passages: np.ndarray
    each: np.ndarray

    @cached_property
    def _scale(self) -> tuple[float, float]:
        return self._all._scale

    def standard_passages(self, numbers: Ids) -> np.ndarray:
        return self._all.standard(numbers)

    @cached_property
    def _all(self) -> Similarities:
        return Similarities(self.passages, self.each)

    def nearest(self, turns: Ids) -> list[int]:
        low, high = bounds(self.passages, turns)
        return [
            int(self.passages[begin + int(self.each[begin:end].argmax())]) & PLACE if begin < end else -1
            for begin, end in zip(low.tolist(), high.tolist(), strict=True)
        ]


def by_turn(found: Sequence[Similarities], whole: Sequence[Similarities]) -> list[TurnSimilarities]:
    """Cosines of passages as those of turns, of several queries; `whole`: of turns that an older chatmem embedded
    whole."""
    numbers, owners, cosines = found[0].ids, found[0].owners, [one.cosines for one in found]
    if len(whole[0].ids):
        numbers = np.concatenate([numbers, whole[0].ids << SHIFT])
        order = np.argsort(numbers, kind="stable")
        numbers, owners = numbers[order], None
        cosines = [np.concatenate([one, old.cosines])[order] for one, old in zip(cosines, whole, strict=True)]
    owners = owners or owners_of(numbers)
    return [TurnSimilarities(owners.turns, owners.best(each), numbers, each) for each in cosines]


def _promising(values: np.ndarray, count: int) -> np.ndarray:
    """Places among which the `count` greatest are: of many, those that reach the greatest of so many groups. Where
    some are equal all, since which of these are taken depends on what lies around."""
    size = len(values) // (8 * count)
    if size >= 2:
        most = values[: len(values) // size * size].reshape(-1, size).max(axis=1)
        places = np.flatnonzero(values >= np.partition(most, -count)[-count])
        if len(np.unique(values[places])) == len(places):
            return places
    return np.arange(len(values))


def usual(cosines: np.ndarray) -> tuple[float, float]:
    """Mean and spread; few are drawn towards a usual spread."""
    count = len(cosines)
    variance = (count * float(cosines.var()) + USUAL_COUNT * USUAL_SPREAD**2) / (count + USUAL_COUNT)
    return float(cosines.mean()), math.sqrt(variance)


def looked_up(known: np.ndarray, ids: Ids) -> tuple[np.ndarray, np.ndarray]:
    """Where the ids stand among the known ones, which ascend (any place for those that don't), and which do."""
    wanted = np.asarray(ids, np.int64)
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return places, known[places] == wanted


def bounds(passages: np.ndarray, turns: Ids) -> tuple[np.ndarray, np.ndarray]:
    """Where the passages of each turn begin and end among all, which ascend."""
    wanted = np.asarray(turns, np.int64)
    return np.searchsorted(passages, wanted << SHIFT), np.searchsorted(passages, (wanted + 1) << SHIFT)
