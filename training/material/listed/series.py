"""The things that come again and again, read from `series_*.txt`, and how they are asked for (`phrasings.toml`).

== films | film | saw | see | films; cinema       plural, one, past, base, topics of the facts
V Dune; Paddington                                what it was, each once in a memory
W with my cousin; ...                             what else was said
L We saw {v} {when}, {w}. | ...                   lines in the speaker's words
F {N} saw {v}. | ...                              facts as a storage agent writes them
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal

Part = Literal["train", "valid", "test"]
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Series:
    """One kind of thing that a person tells of again and again."""

    plural: str
    one: str
    past: str
    base: str
    topics: tuple[str, ...]
    values: tuple[str, ...]
    asides: tuple[str, ...]
    lines: tuple[str, ...]
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing of a series: who, what, on which day, and the place of its line."""

    series: Series
    who: str
    value: str
    day: date
    line: int


@cache
def series_of(part: Part) -> tuple[Series, ...]:
    """All series of a part; no two parts share one."""
    text = (HERE / f"series_{part}.txt").read_text(encoding="utf-8")
    return tuple(_read(block) for block in text.split("\n== ")[1:])


def _read(block: str) -> Series:
    head, *rest = block.strip().splitlines()
    plural, one, past, base, topics = (each.strip() for each in head.split("|"))
    held = {line[0]: line[2:] for line in rest}
    return Series(
        plural, one, past, base, _parts(topics, ";"), _parts(held["V"], ";"), _parts(held["W"], ";"),
        _parts(held["L"], "|"), _parts(held["F"], "|"),
    )  # fmt: skip


def _parts(text: str, mark: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in text.split(mark))


@cache
def phrasings(part: Part) -> dict[str, list[str]]:
    """The wordings of a part by kind of question and of period; validation asks as training does."""
    table = tomllib.loads((HERE / "phrasings.toml").read_text(encoding="utf-8"))
    return dict(table["test" if part == "test" else "train"])
