"""One user's vectors of a kind as search compares them: a byte per number, in the order of their ids."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..nearest.similarities import Owners, owners_of
from ..nearest.wide import Codes, Rows, code_size


@dataclass
class Shelf:
    """Row i of `data`, in steps of `steps[i]`, belongs to `ids[i]`; ids ascend.

    `seen` and `removed` are the newest rows that were read of the tables `vectors` and `vector_removals`; `loose`: how
    many rows were not read from blocks.
    """

    dimensions: int
    ids: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    data: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    steps: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    count: int = 0
    seen: int = 0
    removed: int = 0
    loose: int = 0
    codes: Codes | None = None
    coded: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    """Codes of the first rows, those that `codes` has been given yet."""
    _owners: tuple[np.ndarray, int, Owners] | None = None
    """With the ids that they are of: the array, and how many of it."""

    @property
    def rows(self) -> Rows:
        return Rows(*(part[: self.count] for part in (self.ids, self.data, self.steps)))

    @property
    def owners(self) -> Owners:
        """The turns of the rows, where these are passages."""
        known = self._owners
        if known is None or known[0] is not self.ids or known[1] != self.count:
            known = self._owners = self.ids, self.count, owners_of(self.ids[: self.count])
        return known[2]

    def with_codes(self) -> tuple[Codes, np.ndarray]:
        """The codes of all rows, those of new ones made now."""
        rows = self.rows
        if self.codes is None or not len(self.coded):
            self.codes, self.coded = Codes.of_sample(rows), np.empty((0, 0), np.int8)
        if (known := len(self.coded)) < self.count:
            new = self.codes.of(rows.data[known:], rows.steps[known:])
            self.coded = np.concatenate([self.coded, new]) if known else new
        return self.codes, self.coded

    def make_room(self, count: int, codes: Codes | None) -> None:
        """For so many rows and some more, and for their codes where they are known."""
        room = count + count // 16
        self.ids, self.data = np.empty(room, np.int64), np.empty((room, self.dimensions), np.int8)
        self.steps, self.codes = np.empty(room, np.float32), codes
        if codes is not None:
            self.coded = np.empty((count, code_size(self.dimensions)), np.int8)

    def fill(self, rows: Rows, coded: np.ndarray | None) -> None:
        """Puts rows behind the others, where there is room."""
        some = slice(self.count, self.count + len(rows.ids))
        self.ids[some], self.data[some], self.steps[some] = rows.ids, rows.data, rows.steps
        if self.codes is not None:
            self.coded[some] = self.codes.of(rows.data, rows.steps) if coded is None else coded
        self.count = some.stop

    def drop(self, refs: np.ndarray) -> None:
        """Takes the rows with these ids out, where there are any."""
        ids = self.ids[: self.count]
        places = np.searchsorted(ids, refs)
        there = places < self.count
        there[there] = ids[places[there]] == refs[there]
        if there.any():
            gone = places[there]
            self.ids = np.delete(ids, gone)
            self.data = np.delete(self.data[: self.count], gone, axis=0)
            self.steps = np.delete(self.steps[: self.count], gone)
            self.coded = np.delete(self.coded, gone[gone < len(self.coded)], axis=0)
            self.count = len(self.ids)

    def merge(self, rows: Rows) -> None:
        """Adds rows, in place of those with the same ids."""
        if not len(refs := rows.ids):
            return
        self.drop(refs)
        ascending = bool(np.all(np.diff(refs) > 0)) and (not self.count or refs[0] > self.ids[self.count - 1])
        self._append(rows)
        if not ascending:
            self.sort()

    def sort(self) -> None:
        """Puts the rows in the order of their ids."""
        order = np.argsort(self.ids[: self.count], kind="stable")
        if moved := np.flatnonzero(order != np.arange(self.count)).tolist()[:1]:
            self.coded = self.coded[order] if len(self.coded) == self.count else self.coded[: moved[0]]
            self.ids, self.data, self.steps = self.ids[order], self.data[order], self.steps[order]

    def _append(self, rows: Rows) -> None:
        """Grows by half when full, so that adding one by one stays cheap."""
        old, needed = self.count, self.count + len(rows.ids)
        if needed > len(self.ids) or self.data.shape[1] != self.dimensions:
            room = max(needed, old * 3 // 2)
            ids, data, steps = (
                np.empty(room, np.int64),
                np.empty((room, self.dimensions), np.int8),
                np.empty(room, "f4"),
            )
            if old:
                ids[:old], data[:old], steps[:old] = self.ids[:old], self.data[:old], self.steps[:old]
            self.ids, self.data, self.steps = ids, data, steps
        some = slice(old, needed)
        self.ids[some], self.data[some], self.steps[some] = rows.ids, rows.data, rows.steps
        self.count = needed


def as_bytes(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as one byte per number, and the size of each row's steps: a cosine is off by less than 0.005."""
    numbers = matrix.astype(np.float32)
    steps = np.maximum(np.abs(numbers).max(axis=1), 1e-9) / 127
    return np.rint(numbers / steps[:, None]).astype(np.int8), steps
