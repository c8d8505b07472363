"""What `chatmem train recall --wished` learns from: lines written one by one, a manner of talk a file.

`lines/MANNER.jsonl`: {"before": "...", "line": "...", "wish": true}, the same person's line before (or ""), the line,
and whether it wishes something forgotten. `meant/MANNER.jsonl`: {"user", "before", "line", "known": [...], "goes":
[0, 3]}, what is known of a person and the places of the facts that a wish means. The files lie in the checkout alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..talk import Split

FOLDER = Path(__file__).parent
HELD_BACK = "unseen"
"""The manner that nothing learns from."""


@dataclass(frozen=True, slots=True)
class WishLine:
    """A line, the same person's line `before` it (or ""), and whether it is a `wish` to forget something."""

    before: str
    line: str
    wish: bool


@dataclass(frozen=True, slots=True)
class Meant:
    """A wish, what is `known` of its speaker, and the places of the facts that it means."""

    before: str
    line: str
    known: tuple[str, ...]
    goes: tuple[int, ...]


def wish_lines(split: Split = "train") -> list[WishLine]:
    """The lines that are learned from, or those of the manner held back."""
    return [WishLine(one["before"], one["line"], one["wish"]) for one in _rows("lines", split)]


def meant_facts(split: Split = "train") -> list[Meant]:
    """The wishes whose meaning is learned, or those of the manner held back; every other person is told of as "User",
    as who has told no name is."""
    return [
        Meant(one["before"], one["line"], _told_of(one["known"], one["user"], place % 2 == 1), tuple(one["goes"]))
        for place, one in enumerate(_rows("meant", split))
    ]


def _told_of(facts: Sequence[str], user: str, unnamed: bool) -> tuple[str, ...]:
    return tuple(re.sub(rf"\b{re.escape(user)}\b", "User", fact) if unnamed else fact for fact in facts)


def _rows(kind: str, split: Split) -> Iterator[dict[str, Any]]:
    for manner, rows in _read(kind):
        if (manner == HELD_BACK) == (split == "valid"):
            yield from rows


@cache
def _read(kind: str) -> tuple[tuple[str, list[dict[str, Any]]], ...]:
    files = sorted((FOLDER / kind).glob("*.jsonl"))
    return tuple(
        (path.stem, [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()])
        for path in files
    )
