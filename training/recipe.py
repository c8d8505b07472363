"""A run from its arguments: rows built or given and kept beside it, then what `fit` makes of them."""

from __future__ import annotations

import argparse
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..memory.errors import ChatmemError, InputError
from .fit import AgentParts, check, fit
from .loop.processes import ranks
from .material.files import KEPT, MARK, mark, marked, out_folder
from .policy.rows import Rows, read_rows, write_rows

Build = Callable[[argparse.Namespace, Path], tuple[Rows, Rows]]
"""Makes (train, valid) of a run's arguments and a scratch folder, which is gone when it is done."""


def run(args: argparse.Namespace, build: Build, parts: AgentParts[Any]) -> int:
    """Trains on `--rows`, on a resumed run's own rows, or on what `build` makes. Raises SettingsError, InputError."""
    check(args, parts)
    folder = out_folder(args)
    with _nothing_left(folder):
        _rows_beside(args, build, folder, parts.beside)
    return fit(args, folder, folder / "train.jsonl", folder / "valid.jsonl", parts)


@contextmanager
def _nothing_left(folder: Path) -> Iterator[None]:
    """The folder, made; where the rows are refused, what wasn't there before is taken away again."""
    made, unmarked = [place for place in (folder, *folder.parents) if not place.exists()], marked(folder) is None
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except ChatmemError:
        with suppress(OSError):
            if unmarked and not any((folder / name).exists() for name in KEPT):
                (folder / MARK).unlink(missing_ok=True)
            for place in made:
                place.rmdir()  # where it is empty
        raise


def _rows_beside(args: argparse.Namespace, build: Build, folder: Path, beside: Sequence[str]) -> None:
    with ranks().first() as mine:
        kept = args.resume and (folder / "train.jsonl").is_file()
        if mine and not kept:
            mark(folder, args)
        if mine and not kept and args.rows:
            _given_rows(args, folder, beside)
        elif mine and not kept:
            with TemporaryDirectory() as scratch:
                _keep_rows(args, *build(args, Path(scratch)))


def _keep_rows(args: argparse.Namespace, train: Rows, valid: Rows) -> None:
    """Writes the rows beside the run, so that a resumed run reads the same ones."""
    folder = out_folder(args)
    rng = random.Random(args.seed)
    for name, rows, most in (("train.jsonl", train, args.max_rows), ("valid.jsonl", valid, 1_000)):
        rng.shuffle(rows)
        if not rows and name == "train.jsonl":
            raise InputError("There is nothing to train on; give --msc, --locomo, --dmr or a higher --talks.")
        write_rows(folder / name, rows[:most])


def _given_rows(args: argparse.Namespace, folder: Path, beside: Sequence[str]) -> None:
    """`--rows` and `--valid-rows` beside the run; without the latter, a tenth (at most 100) is held back."""
    rows = read_rows(args.rows)
    for name in beside:
        place = Path(args.rows).parent / name
        if place.is_file() and place.parent.resolve() != folder.resolve():
            shutil.copyfile(place, folder / name)  # what the rows ask about comes along
    if args.valid_rows:
        valid = read_rows(args.valid_rows)
    else:
        random.Random(args.seed).shuffle(rows)
        held = min(100, len(rows) // 10)
        rows, valid = rows[held:], rows[:held]
    write_rows(folder / "train.jsonl", [_plain(row) for row in rows])
    write_rows(folder / "valid.jsonl", [_plain(row) for row in valid])


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value == value}  # without NaN, which is not JSON
