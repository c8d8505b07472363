"""Data sets as files that a user gives: read whole, and a bad one is named in a sentence."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...memory.errors import InputError

GIVEN = ("msc", "locomo", "dmr", "beam", "questions", "rows", "valid_rows", "ranked", "recall_run")
"""Arguments of the trainers that name what is read."""


MARK = "run.json"
"""By it a folder is known for a run's own from its beginning on, and what kind of run it is."""
ASKED_ABOUT = ("memories.jsonl", "rows.db", "sessions.jsonl", "answers.jsonl")
KEPT = ("train.jsonl", "valid.jsonl", *ASKED_ABOUT, "adapter", "final", "checkpoint")
"""What a run keeps in its folder, and writes over."""


def look_first(args: argparse.Namespace) -> None:
    """What a run is to read and where it is to write, looked at before anything is done. Raises InputError for what
    isn't there, and where something would be written over that isn't the run's own."""
    out = out_folder(args)
    if getattr(args, "resume", False):  # it has its own rows
        if next(out.rglob("checkpoint*"), None) is None:
            raise InputError(f"There is no checkpoint in {out}; start without --resume.")
        return
    own = {(out / name).resolve() for name in KEPT} if hasattr(args, "rows") else set()
    for name in GIVEN:
        path = getattr(args, name, None)
        if path is not None and not Path(path).exists():
            raise InputError(f"{path} is not there: check the path after --{name.replace('_', '-')}.")
        if path is not None and Path(path).resolve() in own:
            raise InputError(f"{path} lies where {out} keeps its own, and would be written over; name another --out.")
    _must_be_free(out, bool(getattr(args, "from_journal", False)), _written(args) if own else [])


def _written(args: argparse.Namespace) -> list[str]:
    """What such a run writes over: with ready rows, of what they ask about only what lies beside them."""
    return [
        name for name in KEPT if not (args.rows and name in ASKED_ABOUT) or (Path(args.rows).parent / name).is_file()
    ]


def _must_be_free(out: Path, from_journal: bool, written: Sequence[str]) -> None:
    told_of = marked(out)
    if is_run(out):
        if not (from_journal and (told_of or _note(out)).get("from") == "journal"):
            told = f"{out} holds a run already: go on with it with --resume"
            raise InputError(f"{told}, name another --out, or remove it.")
    elif told_of is None and (there := [name for name in written if (out / name).exists()]):
        told = f"{out} holds {there[0]} already, which would be written over"
        raise InputError(f"{told}; name another --out, or remove it.")


def is_run(out: Path) -> bool:
    """Whether checkpoints of a run lie in the folder, TRL's (by grpo and dapo) among them."""
    if (out / "checkpoint" / "state.pt").is_file():
        return True
    return next((out / "trl").glob("checkpoint-*/trainer_state.json"), None) is not None


def mark(out: Path, args: argparse.Namespace) -> None:
    """Marks the folder as a run's own."""
    kind = "journal" if getattr(args, "from_journal", False) else "rows"
    (out / MARK).write_text(json.dumps({"agent": args.agent, "from": kind}), encoding="utf-8")


def marked(out: Path) -> dict[str, Any] | None:
    """What the folder's mark says; None: it has none."""
    return _told(out / MARK)


def _note(out: Path) -> dict[str, Any]:
    """Of an adapter that lies there: runs had no mark once."""
    from ...models.adapters.facts import NOTE

    return _told(out / "adapter" / NOTE) or {}


def _told(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and "agent" in found else None


def out_folder(args: argparse.Namespace) -> Path:
    """Where the run lives: `--out`, or runs/AGENT below the current folder."""
    return Path(args.out or Path("runs") / args.agent)


def read_json_lines(path: Path) -> list[dict[str, Any]]:
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
