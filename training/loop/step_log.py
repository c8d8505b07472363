"""A run's log.jsonl: a line for each step, once."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NAME = "log.jsonl"
LAST = 1 << 16
"""Bytes in which a log's last line surely begins."""


def tell(folder: Path, step: int, told: Mapping[str, Any]) -> None:
    """Adds a step's line: `told`, which holds the step.

    A killed run may have told steps past the checkpoint that it goes on from: they are told anew, so their old lines
    go, and so does one that the kill tore.
    """
    log = folder / NAME
    if _told_past(log, step):
        kept = [line for line in log.read_text(encoding="utf-8").splitlines() if (_step(line) or step) < step]
        beside = log.with_suffix(".new")
        beside.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        os.replace(beside, log)
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(told) + "\n")


def last(folder: Path) -> int:
    """The last step that the log tells of; 0 without any."""
    log = folder / NAME
    lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
    return max((_step(line) or 0 for line in lines), default=0)


def _told_past(log: Path, step: int) -> bool:
    """Whether the last line is of this step or a later one, or torn."""
    if not log.is_file():
        return False
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - LAST))
        end = file.read().decode(errors="replace")
    if not end:
        return False
    last = _step(end.splitlines()[-1])
    return last is None or last >= step or not end.endswith("\n")


def _step(line: str) -> int | None:
    """The step that a line tells of; None for a torn one."""
    try:
        row: Any = json.loads(line)
        return int(row["step"])
    except (ValueError, KeyError, TypeError):
        return None
