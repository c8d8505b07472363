"""The data of a rehearsal: the beginnings of the given files, so that reading them is tried too, in seconds; where no
file holds sessions for the ranker, talks of our own, parted into some."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ....eval.ranking.rows import Haystack, Row, write_rows
from ....memory.errors import InputError
from ...material.templates.talk import GoldTalk
from ...material.templates.told import told_talks

TALKS, QUESTIONS, SESSIONS = 3, 4, 3
"""Of LoCoMo: conversations, questions and sessions of each."""
LINES = 12
"""Of files of JSON lines."""
SESSION = 8
"""Lines of a session into which a talk of our own is parted."""


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
        elif not args.ranked:
            args.ranked = folder / "ranked"
            write_rows(args.ranked / "train-0000.jsonl", [row for talk in told_talks()[:TALKS] for row in ranked(talk)])
    except OSError as error:
        raise InputError(f"{error.filename} can't be read or written ({error.strerror}).") from error


def ranked(talk: GoldTalk) -> list[Row]:
    """Questions after a talk, with the session that holds the answer."""
    said = [talk.lines[at : at + SESSION] for at in range(0, len(talk.lines), SESSION)]
    ids = tuple(f"S{number}" for number in range(1, len(said) + 1))
    sessions = tuple(tuple((line.speaker, line.text) for line in some) for some in said)
    stack = Haystack(sessions, tuple(some[0].said_at for some in said), ids)
    holds = [one for one, some in zip(ids, said, strict=True) for line in some for _ in line.facts]
    told = [one for one in talk.questions if one.needs is not None][:QUESTIONS]
    return [
        Row(f"{talk.user}-{number}", one.text, stack, one.answer, (holds[one.needs],), asker=talk.user)
        for number, one in enumerate(told, 1)
        if one.needs is not None
    ]


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
