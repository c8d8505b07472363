"""Preference pairs for the storage agent: a person's facts against what the policy itself wrote for the line.

Wrong is what leaves the memory with much else than the person's facts (`reward.py`), or with nothing, or with a fact
where the person noted none. The facts are those of the row, so no pair prefers what nobody said.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...models.lm import LM
from ...models.prompts.messages import NOTHING
from ..policy.mistakes import Pairs, drawn_twice, with_few, write_pairs
from ..policy.rows import read_rows
from ..policy.sampling import Draws, Sample, askable, in_blocks
from .reward import StorageTask

WRONG = 0.62
"""Of the reward of the row's own facts: below it a draft is a mistake, with about half of its words others."""
SILENT = 0.3
"""Most of the pairs in which nothing is to be stored: more, and the agent falls silent."""
SAMPLES = 3
TEMPERATURE = 0.8


def write(args: argparse.Namespace, path: Path, train: Path, start: Path | None, task: StorageTask) -> None:
    """Pairs out of the policy's own mistakes."""
    rows = askable(read_rows(train), task, train)

    def tries(lm: LM, some: Pairs, begin: int) -> Iterator[dict[str, Any] | None]:
        yield from pairs(lm, some, task, args.seed, begin)

    write_pairs(args, path, start, rows, tries, lambda found: balanced(found, args.seed))


def pairs(lm: LM, rows: Pairs, task: StorageTask, seed: int, begin: int = 0) -> Iterator[dict[str, Any] | None]:
    """For each row from `begin` on, a pair, or None where the policy makes no mistake."""
    for at, block in in_blocks(rows, begin):
        wanted = [Draws(row["messages"], task.options(row)) for row in block]
        drawn = drawn_twice(lm, wanted, SAMPLES - 1, TEMPERATURE, seed, at)
        for place, (row, samples) in enumerate(zip(block, drawn, strict=True), at):
            if place >= begin:
                yield pair(row, samples, task)


def pair(row: dict[str, Any], samples: Sequence[Sample], task: StorageTask) -> dict[str, Any] | None:
    """The row's own facts against the likeliest wrong sample."""
    bound = WRONG * task.score(row, row["completion"])["reward"]
    for text in dict.fromkeys(one.text.strip() for one in samples if not one.clipped):
        if text and task.score(row, text)["reward"] < bound:
            return {"messages": row["messages"], "chosen": row["completion"], "rejected": text}
    return None


def balanced(found: Pairs, seed: int) -> list[dict[str, Any]]:
    """The pairs, with at most `SILENT` of them preferring to store nothing."""
    return with_few(found, lambda one: one["chosen"] == NOTHING, SILENT, seed)
