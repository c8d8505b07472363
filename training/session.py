"""What every trainer shares: rows on disk, the run with its progress line, the adapter in both forms, the card."""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..memory.errors import InputError
from .storage_data import write_rows

Rows = list[dict[str, Any]]
WEIGHTS = "adapter_model.safetensors"


def out_folder(args: argparse.Namespace) -> Path:
    """Where the run lives: `--out`, or runs/AGENT below the current folder."""
    return Path(args.out or Path("runs") / args.agent)


def keep_rows(
    args: argparse.Namespace, train: Iterable[dict[str, Any]], valid: Iterable[dict[str, Any]]
) -> tuple[Path, Path]:
    """Writes the rows beside the run, so that a resumed run reads the same ones."""
    folder = out_folder(args)
    rng = random.Random(args.seed)
    for name, rows, most in (("train.jsonl", list(train), args.max_rows), ("valid.jsonl", list(valid), 400)):
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
    folder = out_folder(args)
    if args.rows:
        return fit(args, args.rows, folder / "none")
    if not (args.resume and (folder / "train.jsonl").is_file()):
        with TemporaryDirectory() as scratch:
            keep_rows(args, *build(args, scratch))
    return fit(args, folder / "train.jsonl", folder / "valid.jsonl")


def some(rows: Sequence[Any], most: int, seed: int) -> list[Any]:
    """At most so many rows, drawn by the seed."""
    return list(rows) if len(rows) <= most else random.Random(seed).sample(list(rows), most)


def fit(args: argparse.Namespace, train: Path, valid: Path) -> int:
    """Runs the training with a line of progress, then writes the adapter for llama.cpp and its card."""
    from .sft import Sft, SftConfig

    folder = out_folder(args)
    config = SftConfig(
        base=args.base, out=folder, data=train, valid=valid if valid.is_file() and valid.stat().st_size else None,
        steps=args.steps, minutes=args.minutes, batch_tokens=args.batch_tokens, max_length=args.max_length,
        rank=args.rank, alpha=args.alpha, lr=args.lr, seed=args.seed, save_every=args.save_every, resume=args.resume,
    )  # fmt: skip
    print("loading the base model ...", file=sys.stderr)
    run = Sft(config)
    _follow(run)
    return finish(run, folder, args.agent)


def _follow(run: Any) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("step {task.completed}/{task.total}"),
        BarColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=run.config.steps, completed=run.step)
        try:
            for at in run.train():
                valid = f" valid {at.valid_loss:.3f}" if at.valid_loss is not None else ""
                said = f"loss {at.loss:.3f}{valid} {at.tokens / max(at.seconds, 1e-9):.0f} tokens/s"
                bar.update(task, completed=at.step, total=max(at.of, at.step), description=said)
        except KeyboardInterrupt:
            run.save()
            bar.console.print(f"stopped at step {run.step}; go on with --resume --out {run.config.out}")
            raise


def finish(run: Any, folder: Path, agent: str) -> int:
    """The trained adapter as `adapter.gguf` and PEFT files in `folder`/adapter, ready for `chatmem chat`."""
    from ..models import lora_gguf
    from .card import write_card

    target = folder / "adapter"
    shutil.rmtree(target, ignore_errors=True)
    (target / "peft").mkdir(parents=True)
    shutil.copy(folder / "final" / "adapter_config.json", target / "peft")
    _save_half(folder / "final" / WEIGHTS, target / "peft" / WEIGHTS)
    lora_gguf.write(folder / "final", target / "adapter.gguf", run.model.config.to_dict())
    write_card(target / "README.md", agent, run)
    print(f"adapter: {target}", file=sys.stderr)
    return 0


def _save_half(source: Path, target: Path) -> None:
    """Weights in float16: half the size, and what llama.cpp's file holds too."""
    from safetensors.torch import load_file, save_file

    save_file({name: tensor.half() for name, tensor in load_file(source).items()}, target, metadata={"format": "pt"})


def scratch_store(folder: str) -> Any:
    """A store for building rows, with the embedder that the chat uses."""
    from ..memory.store import Store
    from ..models.embedder import load_embedder

    return Store.open(Path(folder) / "rows.db", embedder=load_embedder())
