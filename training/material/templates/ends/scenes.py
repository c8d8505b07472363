"""Scenes written one by one: what is known of somebody, and lines of theirs, with the facts that each line ends.

A file holds one manner of telling, an item a line:

    === Ana                            a scene of Ana
    1: Ana drives a blue Fiat Panda.   a known fact; they are counted
    L: the Panda went to my nephew -> 1    a line right after these facts, and which of them it ends
    L: the Panda needs new tyres ->        ... none of them
    C: I washed the Panda. | It shone.     what was said just before the next line, which leans on it
    L: Sold it an hour later. -> 1

`further/` holds more manners; it lies in the checkout alone, and a wheel leaves it out for its weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..talk import Split

HELD_BACK = 8
"""Every so many-th scene of a file is for validation."""
UNSEEN, LEANING, TOLD = "unseen", "leaning_unseen", "told_unseen"
"""The manners that nothing learns from; the second with lines that lean on what was said before them, the third with
more lines that only look like an end."""
_FACT = re.compile(r"(?P<number>\d): (?P<fact>\S.*)")
_BEFORE = re.compile(r"C: (?P<said>\S.*)")
_LINE = re.compile(r"L: (?P<text>\S.*?) ->(?P<ends>(?: \d)*)")


@dataclass(frozen=True, slots=True)
class Scene:
    """What is known of a person, and what they say then: each line with the places of the facts that it ends; `before`:
    what was said before each line, empty where it doesn't lean on that."""

    user: str
    manner: str
    facts: tuple[str, ...]
    lines: tuple[tuple[str, tuple[int, ...]], ...]
    before: tuple[str, ...] = ()


def scenes(split: Split = "train") -> list[Scene]:
    """The scenes that are learned from, or those held back of the same manners."""
    wanted = split == "valid"
    learned = [each for each in _all() if each[1].manner not in (UNSEEN, LEANING, TOLD)]
    return [one for number, one in learned if (number % HELD_BACK == 0) == wanted]


def unseen_scenes(manner: str = UNSEEN) -> list[Scene]:
    """The scenes in a manner that nothing learns from."""
    return [one for _, one in _all() if one.manner == manner]


@cache
def _all() -> tuple[tuple[int, Scene], ...]:
    here = Path(__file__).parent
    files = [*sorted(here.glob("*.txt")), *sorted((here / "further").glob("*.txt"))]
    return tuple(found for path in files for found in enumerate(read(path.read_text(encoding="utf-8"), path.stem), 1))


def read(text: str, manner: str) -> Iterator[Scene]:
    """The scenes of a file. Raises ValueError for a line of another form, or for an end of what isn't known."""
    for part in text.split("=== ")[1:]:
        name, *items = [item.strip() for item in part.splitlines() if item.strip()]
        facts = [found["fact"] for item in items if (found := _FACT.fullmatch(item))]
        said = [item for item in items if not _FACT.fullmatch(item)]
        lines = [_line(item, facts) for item in said if not _BEFORE.fullmatch(item)]
        before = [_said(one) for one, item in zip(["", *said], said, strict=False) if not _BEFORE.fullmatch(item)]
        yield Scene(name, manner, tuple(facts), tuple(lines), tuple(before))


def _said(item: str) -> str:
    """What an item says was said before the next one."""
    found = _BEFORE.fullmatch(item)
    return " ".join(one.strip() for one in found["said"].split("|")) if found else ""


def _line(item: str, facts: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    found = _LINE.fullmatch(item)
    if found is None:
        raise ValueError(f"{item!r} is neither a fact nor a line of a scene")
    ends = tuple(int(number) - 1 for number in found["ends"].split())
    if any(not 0 <= end < len(facts) for end in ends):
        raise ValueError(f"{item!r} ends a fact that isn't there")
    return found["text"], ends
