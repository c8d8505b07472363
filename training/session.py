"""What every trainer shares: rows on disk, the run with its progress line, the adapter in both forms, the card."""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..memory.errors import InputError
from .ranks import ranks
from .rows import MEMORIES
from .storage_data import write_rows

Rows = list[dict[str, Any]]


def out_folder(args: argparse.Namespace) -> Path:
    """Where the run lives: `--out`, or runs/AGENT below the current folder."""
    return Path(args.out or Path("runs") / args.agent)


def keep_rows(
    args: argparse.Namespace, train: Iterable[dict[str, Any]], valid: Iterable[dict[str, Any]]
) -> tuple[Path, Path]:
    """Writes the rows beside the run, so that a resumed run reads the same ones."""
    folder = out_folder(args)
    rng = random.Random(args.seed)
    for name, rows, most in (("train.jsonl", list(train), args.max_rows), ("valid.jsonl", list(valid), 1_000)):
        rng.shuffle(rows)
        if not rows and name == "train.jsonl":
            raise InputError("There is nothing to train on; give --msc, --locomo, --dmr or a higher --talks.")
        write_rows(folder / name, rows[:most])
    return folder / "train.jsonl", folder / "valid.jsonl"


def read_json_lines(path: Path) -> Rows:
    """Rows of a JSON-lines file. Raises InputError that names the bad line."""
    rows = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except ValueError as error:
                raise InputError(
                    f"{path.name}, line {number} is not JSON ({error}); mend or drop that line."
                ) from error
    return rows


def read_json(path: Path) -> Any:
    """A JSON file. Raises InputError."""
    try:
        return json.loads(_text(path))
    except ValueError as error:
        raise InputError(f"{path.name} is not JSON ({error}).") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read ({error}); give the path of a data file.") from error


def held_out(rows: Sequence[Any], share: float, seed: int) -> tuple[list[Any], list[Any]]:
    """(train, valid) by whole conversations."""
    order = list(rows)
    random.Random(f"hold out {seed}").shuffle(order)
    held = max(1, round(len(order) * share)) if order else 0
    return order[held:], order[:held]


def run(args: argparse.Namespace, build: Callable[[argparse.Namespace, str], tuple[Rows, Rows]]) -> int:
    """Trains on `--rows`, on a resumed run's own rows, or on (train, valid) of `build`, which gets a scratch folder."""
    from . import fit

    fit.check(args)
    folder = out_folder(args)
    folder.mkdir(parents=True, exist_ok=True)
    with ranks().first() as mine:
        kept = args.resume and (folder / "train.jsonl").is_file()
        if mine and not kept and args.rows:
            _given_rows(args, folder)
        elif mine and not kept:
            with TemporaryDirectory() as scratch:
                keep_rows(args, *build(args, scratch))
    return fit.fit(args, folder, folder / "train.jsonl", folder / "valid.jsonl")


def _given_rows(args: argparse.Namespace, folder: Path) -> None:
    """`--rows` and `--valid-rows` beside the run; without the latter, a tenth (at most 100) is held back."""
    from .rows import read_rows

    rows = read_rows(args.rows)
    beside = Path(args.rows).parent / MEMORIES
    if beside.is_file() and beside.parent.resolve() != folder.resolve():
        shutil.copyfile(beside, folder / MEMORIES)  # what the rows ask about comes along
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


def some(rows: Sequence[Any], most: int, seed: int) -> list[Any]:
    """At most so many rows, drawn by the seed."""
    return list(rows) if len(rows) <= most else random.Random(seed).sample(list(rows), most)


def scratch_store(folder: str, name: str = "rows.db", embedder: Any = None) -> Any:
    """A store for building rows, with the embedder that the chat uses unless another is given."""
    from ..memory.store import Store
    from ..models.embedder import load_embedder

    return Store.open(Path(folder) / name, embedder=embedder or load_embedder())
