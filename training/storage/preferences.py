"""Preference pairs for the storage agent: a person's facts against what the policy itself wrote for the line.

Wrong is what leaves the memory with much else than the person's facts (`reward.py`), or with nothing, or with a fact
where the person noted none. The facts are those of the row, so no pair prefers what nobody said.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...models.lm import LM
from ...models.prompts.messages import NOTHING
from ..policy.mistakes import Pairs, write_pairs
from ..policy.rows import read_rows
from ..policy.sampling import Draws, Sample, askable, draw, in_blocks
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
        more = [replace(one, count=SAMPLES - 1, temperature=TEMPERATURE) for one in wanted]
        drawn = draw(lm, *wanted, *(replace(one, seed=f"{seed}/{place}") for place, one in enumerate(more, at)))
        for place, row in enumerate(block):
            if at + place >= begin:
                yield pair(row, [*drawn[place], *drawn[place + len(block)]], task)


def pair(row: dict[str, Any], samples: Sequence[Sample], task: StorageTask) -> dict[str, Any] | None:
    """The row's own facts against the likeliest wrong sample."""
    bound = WRONG * task.score(row, row["completion"])["reward"]
    for text in dict.fromkeys(one.text.strip() for one in samples if not one.clipped):
        if text and task.score(row, text)["reward"] < bound:
            return {"messages": row["messages"], "chosen": row["completion"], "rejected": text}
    return None


def balanced(found: Pairs, seed: int) -> list[dict[str, Any]]:
    """The pairs, with at most `SILENT` of them preferring to store nothing."""
    telling = [one for one in found if one["chosen"] != NOTHING]
    silent = [one for one in found if one["chosen"] == NOTHING]
    most = round(len(telling) * SILENT / (1 - SILENT)) if telling else len(silent)
    rng = random.Random(f"balance {seed}")
    kept = telling + rng.sample(silent, min(most, len(silent)))
    rng.shuffle(kept)
    return kept
