"""What an optimiser starts from: the hand-written instruction with rows and their right replies shown as examples.

SIMBA makes its demonstrations of the model's own tries, and a small model's best tries are poor ones; a row says what
would have been right. DSPy's `LabeledFewShot` with several draws, each measured, the best kept.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ....models.prompts.tuned import Demo, Prompt
from .forms import messages_of
from .measure import rewards
from .methods import SETS

if TYPE_CHECKING:
    from .engine import Engine
    from .measure import Measure


def best_shown(
    engine: Engine, measure: Measure, start: Prompt, rows: Sequence[Mapping[str, Any]], demos: int, seed: int
) -> list[Mapping[str, Any]]:
    """The set of `demos` rows with which the model earns most on the other rows, beyond what it earns without any; none
    when no set helps. Raises ModelError, also when the budget of calls is used up."""
    if not demos:
        return []
    without = dict(zip(map(id, rows), rewards(engine, measure, start, rows, note=True), strict=True))
    found: list[tuple[float, list[Mapping[str, Any]]]] = []
    for number in range(SETS):
        some = _drawn(rows, min(demos, len(rows) // 2), random.Random(f"shown {seed} {number}"), apart=number % 2 == 1)
        rest = [row for row in rows if all(row is not one for one in some)]
        earned = rewards(engine, measure, prompt_with(measure, start, some), rest, note=True)
        gained = sum(more - without[id(row)] for row, more in zip(rest, earned, strict=True)) / len(rest)
        found.append((gained, some))
    gained, some = max(found, key=lambda one: one[0])
    return some if gained > 0 else []


def prompt_with(measure: Measure, start: Prompt, rows: Sequence[Mapping[str, Any]]) -> Prompt:
    """The prompt that shows these rows with their right replies."""
    form = measure.form
    shown = tuple(Demo(form.shown(form.read(messages_of(row))), str(row["completion"])) for row in rows)
    return Prompt(start.instruction, shown)


def _drawn(
    rows: Sequence[Mapping[str, Any]], count: int, rng: random.Random, apart: bool
) -> list[Mapping[str, Any]]:  # fmt: skip
    """So many rows by chance; `apart`: of as many kinds of reply as there are, by its first word."""
    mixed = rng.sample(list(rows), len(rows))
    if not apart:
        return mixed[:count]
    seen: dict[str, int] = {}
    turns = []
    for row in mixed:
        kind = str(row["completion"]).split(" ", 1)[0]
        turns.append(seen.get(kind, 0))
        seen[kind] = turns[-1] + 1
    return [mixed[place] for place in sorted(range(len(mixed)), key=lambda place: turns[place])[:count]]
