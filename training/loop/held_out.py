"""How good an agent is on held-back rows: greedy completions, scored by the task that it is trained for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..policy.sampling import Draws, Task, at_step, draw, policy


class Held:
    """Measures a PEFT adapter on some rows; what it wrote for them stays in `texts` (the newest) for the model card."""

    def __init__(self, base: str, task: Task, rows: Sequence[dict[str, Any]], threads: int | None = None) -> None:
        self.base, self.task, self.rows, self.threads = base, task, list(rows), threads

    def __call__(self, adapter: Path) -> Mapping[str, float]:
        """The task's summary; its first entry is what chooses the best checkpoint."""
        texts = self.write(adapter)
        at_step(self.task, None)
        return self.task.summary([self.task.score(row, text) for row, text in zip(self.rows, texts, strict=True)])

    def write(self, adapter: Path | None, most: int | None = None) -> list[str]:
        """Greedy completions of the rows, of at most so many tokens (None: as many as the agent may write)."""
        options = [self.task.options(row) for row in self.rows]
        if most is not None:
            options = [replace(each, max_tokens=min(most, each.max_tokens)) for each in options]
        with policy(self.base, adapter, self.threads) as lm:
            found = draw(lm, *(Draws(row["messages"], o) for row, o in zip(self.rows, options, strict=True)))
            return [sample.text for (sample,) in found]
