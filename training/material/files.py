"""Data sets as files that a user gives: read whole, and a bad one is named in a sentence."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ...memory.errors import InputError

GIVEN = ("msc", "locomo", "dmr", "beam", "questions", "rows", "valid_rows", "ranked", "recall_run")
"""Arguments of the trainers that name what is read."""


def look_first(args: argparse.Namespace) -> None:
    """What a run is to read, looked at before anything is done. Raises InputError for what isn't there."""
    if getattr(args, "resume", False):  # it has its own rows
        out = out_folder(args)
        if next(out.rglob("checkpoint*"), None) is None:
            raise InputError(f"There is no checkpoint in {out}; start without --resume.")
        return
    if not getattr(args, "from_journal", False) and (out_folder(args) / "checkpoint" / "state.pt").is_file():
        raise InputError(
            f"{out_folder(args)} holds a run already: go on with it with --resume, name another --out, or remove it."
        )
    for name in GIVEN:
        path = getattr(args, name, None)
        if path is not None and not Path(path).exists():
            raise InputError(f"{path} is not there: check the path after --{name.replace('_', '-')}.")


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
