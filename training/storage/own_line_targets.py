"""The reward-respecting subtask's targets: what the frozen reference writes when it reads only the speaker's own lines.

The policy then reads the whole window with both speakers and learns these targets: it has no reason left to
book a fact on the other one. Targets that the guard refuses or that don't run are dropped.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...memory.errors import InputError
from ...models.lm import LM
from ...models.prompts.messages import storage_messages
from ..policy.rows import kept_as_made, read_rows, training_row, write_rows
from ..policy.sampling import Draws, draw, in_blocks, policy
from .reward import StorageTask, Window, window_of


def own_lines(window: Window) -> dict[str, Any]:
    """The storage prompt with the speaker's lines alone."""
    mine = [line for line in window.before if line.speaker == window.line.speaker]
    return training_row(storage_messages(mine, window.line, window.known), "")


def targets(
    lm: LM, rows: Sequence[dict[str, Any]], task: StorageTask, begin: int = 0
) -> Iterator[dict[str, Any] | None]:
    """Each row from `begin` on with the reference's SQL as its completion; None where that doesn't run."""
    for at, block in in_blocks(rows, begin):
        windows = [window_of(each["messages"]) for each in block]
        alone = [own_lines(window) for window in windows]
        drawn = draw(lm, *(Draws(one["messages"], task.options(one)) for one in alone))
        for place, (each, window, (written,)) in enumerate(zip(block, windows, drawn, strict=True), at):
            if place >= begin:
                fine = not written.clipped and not task.sandbox.run(window, written.text).refused
                yield {"messages": each["messages"], "completion": written.text} if fine else None


def write(args: argparse.Namespace, path: Path, train: Path, start: Path | None, task: StorageTask) -> None:
    """The file of such rows, made with the adapter that the run starts from; goes on where it was interrupted."""
    done = path.with_name("written.jsonl")
    rows = random.Random(args.seed).sample(pool := read_rows(train), min(args.targets, len(pool)))

    def made(begin: int) -> Generator[Any, None, None]:
        with policy(args.base, start, args.threads) as lm:
            yield from targets(lm, rows, task, begin)

    def tell(written: list[Any]) -> None:
        if len(written) % 50 == 0:
            print(f"the reference wrote {len(written)} of {len(rows)} targets", file=sys.stderr, flush=True)

    found = [one for one in kept_as_made(done, len(rows), made, tell) if one is not None]
    if not found:
        raise InputError("None of the reference's targets runs; start from an adapter that writes SQL.")
    write_rows(path, found)
