"""Which adapter of an agent is the best: all of them on the same held-back rows, as many as there is time for."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....eval.measures.intervals import Estimate, bootstrap
from ...policy.sampling import Draws, Task, at_step, draw, masked, policy

PART = 4
"""Rows that are asked before the clock is looked at: a row of the ranker is answered six times."""
Columns = Mapping[str, Path | None]
"""Names with PEFT folders (None: the bare base), what is there already first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Each column's measure on `rows` held-back rows, the best one, and how much more it earns than the first a row."""

    measure: str
    values: Mapping[str, float]
    rows: int
    best: str
    gain: Estimate | None


def judged(
    base: str, task: Task, rows: Sequence[dict[str, Any]], columns: Columns, seconds: float, *,
    seed: int = 0, threads: int | None = None,
) -> Verdict:  # fmt: skip
    """The verdict within about so many seconds; at least one block of rows is asked. A later column is the best only
    where it measures more than all before it."""
    order = random.Random(seed).sample(list(rows), len(rows))
    at_step(task, None)
    found: dict[str, list[dict[str, float]]] = {}
    for number, (name, place) in enumerate(columns.items()):
        share = seconds / (len(columns) - number)
        began = time.monotonic()
        found[name] = _scores(base, task, order, place, share, threads)
        order = order[: len(found[name])]
        seconds -= time.monotonic() - began
    told = {name: scores[: len(order)] for name, scores in found.items()}
    values = {name: task.summary(scores)[task.measure] for name, scores in told.items()}
    best = max(values, key=lambda name: values[name])
    first = next(iter(values))
    pairs = [
        one["reward"] - other["reward"]
        for one, other in zip(told[best], told[first], strict=True)
        if not masked(one) and not masked(other)
    ]
    return Verdict(task.measure, values, len(order), best, bootstrap(pairs) if pairs and best != first else None)


def _scores(
    base: str, task: Task, rows: Sequence[dict[str, Any]], place: Path | None, seconds: float, threads: int | None
) -> list[dict[str, float]]:
    began, scores = time.monotonic(), list[dict[str, float]]()
    with policy(base, place, threads) as lm:
        for at in range(0, len(rows), PART):
            block = rows[at : at + PART]
            written = draw(lm, *(Draws(row["messages"], task.options(row)) for row in block))
            scores += [task.score(row, sample.text) for row, (sample,) in zip(block, written, strict=True)]
            if time.monotonic() - began > seconds:
                break
    return scores
