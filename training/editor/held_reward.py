"""What the editor's decisions earn on held-back rows: the untrained base, a run's start, and its result.

Only rows that chose no checkpoint are asked. The same rows are asked of all, so differences are paired; the intervals
draw whole memories again.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...eval.measures.intervals import Estimate, bootstrap_ratio
from ...models.editor.prompts import GUIDE
from ..loop.held_out import Held
from ..policy.sampling import Task

Rows = Sequence[dict[str, Any]]


def earned(
    base: str, task: Task, columns: Mapping[str, Path | None], rows: Rows, threads: int | None = None
) -> dict[str, list[float]]:
    """Each column's reward for each row; a column without an adapter is told the rules first, as the agent does it."""
    found = {}
    for name, place in columns.items():
        print(f"asking {name}: {len(rows)} held-back rows ...", file=sys.stderr, flush=True)
        asked = list(rows) if place is not None else [guided(row) for row in rows]
        texts = Held(base, task, asked, threads).write(place)
        found[name] = [task.score(row, text)["reward"] for row, text in zip(rows, texts, strict=True)]
    return found


def guided(row: dict[str, Any]) -> dict[str, Any]:
    """The same question with the rules before it."""
    return row | {"messages": [("system", GUIDE), *row["messages"][1:]]}


def mean(rows: Rows, values: Sequence[float]) -> Estimate:
    """The mean over all rows, with its interval over memories."""
    sums: dict[Any, tuple[float, int]] = {}
    for row, value in zip(rows, values, strict=True):
        total, count = sums.get(row["case"]["memory"], (0.0, 0))
        sums[row["case"]["memory"]] = total + value, count + 1
    return bootstrap_ratio([total for total, _ in sums.values()], [count for _, count in sums.values()])


def as_markdown(rows: Rows, found: Mapping[str, Sequence[float]]) -> str:
    """The card's section: each column's mean reward, and how much more the last one earns."""
    if not rows:
        return ""
    *_, last = found
    memories = len({row["case"]["memory"] for row in rows})
    lines = [
        "## Reward on held-back rows", "",
        f"Mean reward of a greedy decision; {len(rows)} decisions about {memories} memories, none chose a checkpoint.",
        "",
        f"| | reward | {last} earns more by |", "|---|---|---|",
    ]  # fmt: skip
    for name, values in found.items():
        more = [now - before for now, before in zip(found[last], values, strict=True)]
        lines.append(f"| {name} | {_shown(mean(rows, values))} | {_shown(mean(rows, more)) if name != last else ''} |")
    return "\n".join(lines) + "\n\n"


def _shown(one: Estimate) -> str:
    return f"{one.value:.4f} [{one.low:.4f}, {one.high:.4f}]"
