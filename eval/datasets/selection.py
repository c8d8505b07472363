"""Which rows of a data set an evaluation takes: the options, and what they choose."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Protocol, TypeVar

from ...memory.errors import InputError, WrongUsage
from ..arguments import COUNT, NUMBER, PLACE

Item = TypeVar("Item")


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


Talk = TypeVar("Talk", bound=_HasId)


def data_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    """The options of the evaluations over a file of rows."""
    parser.add_argument("--data", type=PLACE, required=True, metavar="FILE", help=what)
    parser.add_argument("--rows", metavar="A:B", help="only the rows A to B of the file, counted from 0, B left out")
    parser.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="draws the cases (0)")
    parser.add_argument("--threads", type=COUNT, metavar="N", help="of llama.cpp; 1 is fastest on a busy machine")


def chosen_rows(rows: Sequence[Item], wanted: str | None) -> Sequence[Item]:
    """The rows of `--rows A:B`. Raises WrongUsage, InputError."""
    if not wanted:
        return rows
    first, colon, last = wanted.partition(":")
    try:
        chosen = rows[int(first or 0) : int(last) if last else None] if colon else rows[int(wanted) :][:1]
    except ValueError:
        raise WrongUsage(f"--rows {wanted!r} is not of the form A:B, such as 300:400.") from None
    if not chosen:
        raise InputError(f"--rows {wanted} chooses none of the {len(rows)} rows.")
    return chosen


def chosen_talks(talks: Sequence[Talk], wanted: str | None, name: str) -> Sequence[Talk]:
    """The conversations of `--talks ID,ID`. Raises InputError."""
    ids = set(wanted.split(",")) if wanted else {talk.id for talk in talks}
    if unknown := ids - {talk.id for talk in talks}:
        raise InputError(f"{name} holds no conversation {', '.join(sorted(unknown))}.")
    return [talk for talk in talks if talk.id in ids]


def drawn(rows: Sequence[Item], num: int, seed: int) -> Sequence[Item]:
    """`num` of the rows, drawn by the seed; all of them for 0 or for more than there are."""
    import random

    return random.Random(seed).sample(list(rows), num) if 0 < num < len(rows) else rows
