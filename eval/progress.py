"""What the evaluators' commands share: options, the rows of a file, how far a run is, the spec of a model."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..memory.errors import InputError

if TYPE_CHECKING:
    from .loaders import Loaded

Item = TypeVar("Item")


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


Talk = TypeVar("Talk", bound=_HasId)


def good_rows(loaded: Loaded[Item]) -> Sequence[Item]:
    """The good rows; the bad ones are told on stderr."""
    for problem in loaded.problems:
        print(f"left out: {problem}", file=sys.stderr)
    return loaded.rows


def drawn(rows: Sequence[Item], num: int, seed: int) -> Sequence[Item]:
    """`num` of the rows, drawn by the seed; all of them for 0 or for more than there are."""
    import random

    return random.Random(seed).sample(list(rows), num) if 0 < num < len(rows) else rows


QUIET = 30.0
"""Seconds between two lines in a log."""


def make_progress(name: str, total: int) -> Callable[[int], None]:
    """Tells how far a run is and, once it is under way, how many minutes are left: on a terminal in one line that is
    written anew, in a log in a line now and then."""
    begin = time.monotonic()
    start: list[int] = []
    told: list[float] = [begin]

    def tell(done: int) -> None:
        if sys.stderr is None:
            return
        if not start:
            start.append(done - 1)
        now = time.monotonic()
        passed, fresh = now - begin, done - start[0]
        left = passed / fresh * (total - done) / 60
        text = f"{name}: {done}/{total}" + (f", about {left:.0f} min left" if passed > 5 and left >= 1 else "")
        if sys.stderr.isatty():
            width = len(f"{name}: {total}/{total}") + 24
            print(f"\r{text:{width}}", end="\n" if done == total else "", file=sys.stderr, flush=True)
        elif now - told[0] > QUIET:
            told[0] = now
            print(text, file=sys.stderr, flush=True)

    return tell


def spec_of(model: str, adapter: str) -> str:
    """`embedded` and `storage` to `embedded+storage`; `none` or a spec that names its adapter stays as it is."""
    return model if adapter == "none" or "+" in model or model.startswith("openai:") else f"{model}+{adapter}"


def compared(specs: list[str] | None) -> list[str]:
    """The specs of `--compare SPEC ...`: given alone it means the untrained base."""
    return ["embedded"] if specs == [] else specs or []


def chosen_talks(talks: Sequence[Talk], wanted: str | None, name: str) -> Sequence[Talk]:
    """The conversations of `--talks ID,ID`. Raises InputError."""
    ids = set(wanted.split(",")) if wanted else {talk.id for talk in talks}
    if unknown := ids - {talk.id for talk in talks}:
        raise InputError(f"{name} holds no conversation {', '.join(sorted(unknown))}.")
    return [talk for talk in talks if talk.id in ids]


def data_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    """The options of the evaluations over a file of rows."""
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help=what)
    parser.add_argument("--rows", metavar="A:B", help="only the rows A to B of the file, counted from 0, B left out")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="draws the cases (0)")
    parser.add_argument("--threads", type=int, metavar="N", help="of llama.cpp; 1 is fastest on a busy machine")


def chosen_rows(rows: Sequence[Item], wanted: str | None) -> Sequence[Item]:
    """The rows of `--rows A:B`. Raises InputError."""
    if not wanted:
        return rows
    first, colon, last = wanted.partition(":")
    try:
        chosen = rows[int(first or 0) : int(last) if last else None] if colon else rows[int(wanted) :][:1]
    except ValueError:
        raise InputError(f"--rows {wanted!r} is not of the form A:B, such as 300:400.") from None
    if not chosen:
        raise InputError(f"--rows {wanted} chooses none of the {len(rows)} rows.")
    return chosen
