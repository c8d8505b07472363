"""The nearest of very many vectors: a rough look at all of them, an exact one at the most promising.

Each row has a short code beside it: its coordinates along the directions in which the rows differ most (principal
components of a sample), one byte each. Of a million rows the codes are a quarter of the bytes, and the nearest by them
are compared exactly, and so is whatever search asks of rows that it found by their words. So only which rows are
nearest is approximate; mean and spread are those of a sample. Nothing has to be built, saved or mended as with a
graph: a row's code is made at the first look, and goes when the row goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from .numbers import PLACE, SHIFT
from .similarities import Ids, Similarities, bounds, looked_up, usual

SAMPLE = 16_384
"""Rows by which directions, mean and spread are judged."""
DIRECTIONS = 96
"""Numbers of a code. On MiniLM's vectors of short lines they hold half of what rows differ by."""
CLOSE = 12_000
"""Rows, about, that are compared exactly."""
PORTION = 65_536
"""Rows coded at a time."""


def code_size(dimensions: int) -> int:
    """Numbers of the code of a row of so many."""
    return min(DIRECTIONS, dimensions)


@dataclass(frozen=True)
class Rows:
    """Vectors as bytes: row i, in steps of `steps[i]`, belongs to `ids[i]`; ids ascend."""

    ids: np.ndarray
    data: np.ndarray
    steps: np.ndarray

    def sample(self) -> np.ndarray:
        """Places of rows spread evenly over all."""
        return np.linspace(0, len(self.ids) - 1, min(SAMPLE, len(self.ids)), dtype=np.int64)


class Codes:
    """Directions, as bytes in `steps` of their own, and the codes by them. `scale`: of products with a direction, to
    fill a byte."""

    def __init__(self, directions: np.ndarray, steps: np.ndarray, scale: np.floating) -> None:
        import numkong

        self._directions, self._steps, self._scale = directions, steps, scale
        self._turned = numkong.dots_pack(directions)

    @classmethod
    def of_sample(cls, rows: Rows) -> Self:
        """Those in which a sample of the rows differs most."""
        places = rows.sample()
        sample = rows.data[places].astype(np.float32) * rows.steps[places, None]
        _, directions = np.linalg.eigh(sample.T @ sample)
        best = np.ascontiguousarray(directions[:, : -DIRECTIONS - 1 : -1].T)
        steps = np.abs(best).max(axis=1) / 127
        return cls(np.rint(best / steps[:, None]).astype(np.int8), steps, np.abs(sample @ best.T).max() / 127)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """What `to_bytes` wrote."""
        count = int.from_bytes(data[:4], "little")
        numbers = np.frombuffer(data, "<f4", count + 1, 4)
        return cls(np.frombuffer(data, np.int8, offset=8 + 4 * count).reshape(count, -1), numbers[:-1], numbers[-1])

    def to_bytes(self) -> bytes:
        numbers = np.append(self._steps, self._scale).astype("<f4")
        return len(self._steps).to_bytes(4, "little") + numbers.tobytes() + self._directions.tobytes()

    @property
    def dimensions(self) -> int:
        """Of the rows that it makes codes of."""
        return int(self._directions.shape[1])

    def of(self, data: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """The codes of rows, int8, shape (rows, `DIRECTIONS`)."""
        import numkong

        found = np.empty((len(data), code_size(data.shape[1])), np.int8)
        for at in range(0, len(data), PORTION):
            some = slice(at, at + PORTION)
            products = np.asarray(numkong.dots_packed(data[some], self._turned)).astype(np.float32)
            products *= self._steps / self._scale
            products *= steps[some, None]
            found[some] = np.rint(np.clip(products, -127, 127, out=products), out=products)
        return found


@dataclass(frozen=True)
class Wide:
    """A `Near` over so many rows that only the most promising are compared exactly. `asked`, `step`: the query as
    bytes; `rough`: products of its code with all codes."""

    rows: Rows
    asked: np.ndarray
    step: float
    rough: np.ndarray

    def cosines(self, places: np.ndarray | slice) -> np.ndarray:
        """Exactly, of the rows at these places."""
        import numkong

        data = np.ascontiguousarray(self.rows.data[places])
        if not len(data):
            return np.empty(0, np.float32)
        products = np.asarray(numkong.dots_packed(data, self._packed))[:, 0].astype(np.float32)
        found: np.ndarray = products * self.rows.steps[places] * self.step
        return found

    @cached_property
    def _packed(self) -> Any:
        import numkong

        return numkong.dots_pack(self.asked)

    def all(self) -> Similarities:
        """With the cosines of all rows."""
        return Similarities(self.rows.ids, self.cosines(slice(None)))

    @cached_property
    def _scale(self) -> tuple[float, float]:
        return usual(self.cosines(self.rows.sample()))

    @cached_property
    def _close(self) -> tuple[np.ndarray, np.ndarray]:
        """Places of the nearest rows, the best first, and their cosines."""
        level = np.quantile(self.rough[self.rows.sample()], 1 - CLOSE / max(len(self.rough), CLOSE))
        places = np.flatnonzero(self.rough >= level)
        found = self.cosines(places)
        order = np.argsort(-found, kind="stable")
        return places[order], found[order]

    def best(self, count: int, *, ordered: bool = False) -> list[int]:
        found: list[int] = self.rows.ids[self._close[0][:count]].tolist()
        return found

    def of(self, ids: Ids) -> np.ndarray:
        places, known = looked_up(self.rows.ids, ids)
        return np.where(known, self.cosines(places), 0.0)

    def standard(self, ids: Ids) -> np.ndarray:
        mean, spread = self._scale
        places, known = looked_up(self.rows.ids, ids)
        return np.where(known, (self.cosines(places) - mean) / spread, 0.0)


@dataclass(frozen=True)
class WideTurns:
    """A `NearTurns` over the passages of a `Wide`."""

    passages: Wide

    def best(self, count: int, *, ordered: bool = False) -> list[int]:
        places, _ = self.passages._close
        owners = dict.fromkeys((self.passages.rows.ids[places] >> SHIFT).tolist())
        return list(owners)[:count]

    def of(self, ids: Ids) -> np.ndarray:
        return self._most(ids, 0.0, 1.0)

    def standard(self, ids: Ids) -> np.ndarray:
        return self._most(ids, *self.passages._scale)

    def _most(self, turns: Ids, mean: float, spread: float) -> np.ndarray:
        """Of each turn the greatest cosine of its passages, on this scale; 0 where it has none."""
        low, high = bounds(self.passages.rows.ids, turns)
        found = np.zeros(len(low))
        there = high > low
        if there.any():
            each, starts = self._each(low[there], high[there])
            found[there] = (np.maximum.reduceat(each, starts) - mean) / spread
        return found

    def _each(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cosines of all rows between, and where each turn's begin among them."""
        lengths = high - low
        starts = np.cumsum(lengths) - lengths
        places = np.repeat(low - starts, lengths) + np.arange(int(lengths.sum()))
        return self.passages.cosines(places), starts

    def standard_passages(self, numbers: Ids) -> np.ndarray:
        return self.passages.standard(numbers)

    def nearest(self, turns: Ids) -> list[int]:
        ids = self.passages.rows.ids
        low, high = bounds(ids, turns)
        there = high > low
        if not there.any():
            return [-1] * len(low)
        each, starts = self._each(low[there], high[there])
        ends = np.append(starts[1:], len(each))
        best = [int(each[a:b].argmax()) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        found = np.full(len(low), -1)
        found[there] = ids[low[there] + best] & PLACE
        numbers: list[int] = found.tolist()
        return numbers


def wide(
    rows: Rows, codes: Codes, coded: np.ndarray, asked: np.ndarray, steps: Sequence[float] | np.ndarray
) -> list[Wide]:
    """Of several queries, given as bytes, shape (n, dimensions), with the size of their steps."""
    import numkong

    short = codes.of(asked, np.asarray(steps, np.float32))
    rough = np.ascontiguousarray(np.asarray(numkong.dots_packed(coded, numkong.dots_pack(short))).T)
    return [
        Wide(rows, asked[place : place + 1], float(step), one)
        for place, (step, one) in enumerate(zip(steps, rough, strict=True))
    ]
