"""The data of a rehearsal: the beginnings of the given files, so that reading them is tried too, in seconds."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ....memory.errors import InputError

TALKS, QUESTIONS, SESSIONS = 3, 4, 3
"""Of LoCoMo: conversations, questions and sessions of each."""
LINES = 12
"""Of files of JSON lines."""


def cut(args: argparse.Namespace) -> None:
    """Puts small files in the place of those that are given; they lie in OUT/data. Raises InputError."""
    folder = Path(args.out) / "data"
    args.questions = None  # they are about chats that may have been left out
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("msc", "dmr"):
            if path := getattr(args, name):
                setattr(args, name, _lines(path, folder / path.name))
        if args.locomo:
            args.locomo = _talks(args.locomo, folder / "locomo.json")
    except OSError as error:
        raise InputError(f"{error.filename} can't be read or written ({error.strerror}).") from error


def _lines(source: Path, target: Path) -> Path:
    with source.open(encoding="utf-8") as file:
        target.write_text("".join(line for line, _ in zip(file, range(LINES), strict=False)), encoding="utf-8")
    return target


def _talks(source: Path, target: Path) -> Path:
    try:
        talks: list[dict[str, Any]] = json.loads(source.read_text(encoding="utf-8"))[:TALKS]
        target.write_text(json.dumps([_short(talk) for talk in talks]), encoding="utf-8")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{source} holds no conversations in LoCoMo's form ({error!r}).") from error
    return target


def _short(talk: dict[str, Any]) -> dict[str, Any]:
    """Its first sessions, and questions about these."""
    first = {f"session_{number}" for number in range(1, SESSIONS + 1)}
    said = {
        name: value
        for name, value in talk["conversation"].items()
        if not name.startswith("session_") or _of(name, first)
    }
    noted = {name: value for name, value in talk.get("observation", {}).items() if _of(name, first)}
    begins = tuple(f"D{number}:" for number in range(1, SESSIONS + 1))
    asked = [one for one in talk["qa"] if str((one.get("evidence") or [""])[0]).startswith(begins)]
    return {"sample_id": talk["sample_id"], "conversation": said, "observation": noted, "qa": asked[:QUESTIONS]}


def _of(name: str, first: set[str]) -> bool:
    return "_".join(name.split("_")[:2]) in first
