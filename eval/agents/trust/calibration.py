"""Whether a reader is as sure as it is right to be: its chance that something was told, beside what was.

A reliability table sorts questions by that chance into bins of a tenth (Murphy and Winkler, 1977); the expected
calibration error is the mean gap between both, weighted by how many questions lie in a bin (Guo et al., 2017).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...measures.intervals import Estimate, wilson
from .talks import KINDS
from .trial import SAID

Row = Mapping[str, Any]
BINS = 10
ROUNDS, SEED = 1000, 0
"""Of the bootstrap of the calibration error."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Questions whose chance lies from `low` to `high`: its mean, how many of them were told, and shares of what was
    said."""

    low: float
    high: float
    chance: float
    told: Estimate
    said: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Bound:
    """What happens where all below this chance is doubted: told questions that are, and others told back as known.
    `name`: which shipped bound it is, if one."""

    chance: float
    name: str
    doubted: Estimate
    taken_out: Estimate
    never_told: Estimate


def chance_of(row: Row) -> float:
    """The reader's chance that what answers was told."""
    from ....models.chat.reader.chooser import chance

    return chance(float(row["surety"]))


def read(rows: Sequence[Row]) -> list[Row]:
    """The questions that the reader judged."""
    return [row for row in rows if row["surety"] is not None]


def said_table(rows: Sequence[Row]) -> dict[str, Estimate]:
    """Of each kind of question which share is said to be known, perhaps, and not; and how many the reader judged."""
    table: dict[str, Estimate] = {}
    for kind in KINDS:
        some = [row for row in rows if row["kind"] == kind]
        for said in SAID:
            table[f"{kind}: said as {said}"] = wilson(sum(row["said"] == said for row in some), len(some))
        table[f"{kind}: judged by the reader"] = wilson(len(read(some)), len(some))
    return table


def bins(rows: Sequence[Row]) -> list[Bin]:
    """The reliability table of the questions that the reader judged; bins without any are left out."""
    found = []
    for number in range(BINS):
        some = [row for row in read(rows) if min(int(chance_of(row) * BINS), BINS - 1) == number]
        if some:
            mean = sum(map(chance_of, some)) / len(some)
            told = wilson(sum(row["kind"] == "told" for row in some), len(some))
            said: dict[str, Estimate] = {
                what: wilson(sum(row["said"] == what for row in some), len(some)) for what in SAID
            }
            found.append(Bin(number / BINS, (number + 1) / BINS, mean, told, said))
    return found


def calibration_error(rows: Sequence[Row], *, alike: bool = False) -> Estimate:
    """The expected calibration error with its bootstrap interval. `alike`: told questions weigh as much as the others
    together, however many there are."""
    import numpy as np

    some = read(rows)
    if not some:
        return wilson(0, 0)
    chances, told = np.array([chance_of(row) for row in some]), np.array([row["kind"] == "told" for row in some], float)
    places = np.minimum((chances * BINS).astype(int), BINS - 1)

    def error(drawn: np.ndarray) -> float:
        there, right = chances[drawn], told[drawn]
        each = np.ones(len(drawn))
        if alike and 0 < right.sum() < len(right):
            each = np.where(right > 0, 0.5 / right.sum(), 0.5 / (1 - right).sum())
        gaps = np.bincount(places[drawn], each * (there - right), BINS)
        return float(np.abs(gaps).sum() / each.sum())

    random = np.random.default_rng(SEED)
    drawn = sorted(error(random.integers(0, len(some), len(some))) for _ in range(ROUNDS))
    value = error(np.arange(len(some)))
    return Estimate(value, drawn[int(0.025 * ROUNDS)], drawn[int(0.975 * ROUNDS)], len(some))


def bounds(rows: Sequence[Row], shipped: Mapping[str, float]) -> list[Bound]:
    """What each bound would do, from 0 to 1 in steps of a twentieth, the shipped ones (by name) among them."""
    wanted = {number / 20: "" for number in range(21)} | {chance: name for name, chance in shipped.items()}
    return [_bound(read(rows), chance, wanted[chance]) for chance in sorted(wanted)]


def _bound(rows: Sequence[Row], chance: float, name: str) -> Bound:
    def known(kind: str) -> Estimate:
        some = [not row["doubted"] and chance_of(row) >= chance for row in rows if row["kind"] == kind]
        return wilson(sum(some), len(some))

    told = [row["doubted"] or chance_of(row) < chance for row in rows if row["kind"] == "told"]
    return Bound(chance, name, wilson(sum(told), len(told)), known("taken out"), known("never told"))


def shipped_bounds() -> dict[str, float]:
    """The chances below which the reader reads nothing out, and below which it isn't sure; none without a reader."""
    from ....models.chat.reader import cross_encoder
    from ....models.chat.reader.chooser import chance, load

    chooser = load()
    if chooser is None:
        return {}
    none, unsure = chooser.bounds(crossed=chooser.crossed is not None and cross_encoder.load() is not None)
    return {"shipped: nothing": chance(none), "shipped: unsure": chance(unsure)}
