"""Slips written one by one: what somebody told, what was made of it, and the very next line, which puts it right.

A file holds one manner of talking, an item a line:

    === Ana                            a person
    S: We bought a blue Fiat Panda.    what she said
    1: Ana bought a blue Fiat Panda.   what is known then, of that line and of others before; facts are counted
    2: Ana's sister drives a Fiat.
    L: green!! I'm colour blind -> 1   her next line, and which facts are untrue as they stand; none where it only
                                       sounds like a correction
    N: Ana bought a green Fiat Panda.  what is true instead, and what else the line tells
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .....memory.language.words import terms
from ..talk import Split

FOLDER = Path(__file__).parent / "slips"
HELD_BACK = "assistant"
"""The manner that nothing learns from: bounds are fitted on it."""
TOLD = 0.5
"""Share of a fact's words that a line says which told it."""
_ITEM = re.compile(r"(?P<kind>[SLN]|\d): (?P<text>\S.*)")
_ENDS = re.compile(r"(?P<text>\S.*?) ->(?P<ends>(?: \d)*)")


@dataclass(frozen=True, slots=True)
class Slip:
    """`said`, the `facts` that are known after it, the `line` that follows, the places of those that it makes untrue,
    and what is true `now`."""

    user: str
    manner: str
    said: str
    facts: tuple[str, ...]
    line: str
    ends: tuple[int, ...]
    now: tuple[str, ...]

    @property
    def just_told(self) -> tuple[int, ...]:
        """The places of the facts that what was said tells."""
        heard, nobody = {*terms(self.said)}, {*terms(self.user)}
        words = [{*terms(fact)} - nobody for fact in self.facts]
        return tuple(place for place, told in enumerate(words) if len(told & heard) >= TOLD * max(1, len(told)))


def slips(split: Split = "train") -> list[Slip]:
    """The slips that are learned from, or those of the manner held back; none in a wheel, which leaves them out for
    their weight."""
    return [one for one in _all() if (one.manner == HELD_BACK) == (split == "valid")]


@cache
def _all() -> tuple[Slip, ...]:
    files = sorted(FOLDER.glob("*.txt"))
    return tuple(slip for path in files for slip in read(path.read_text(encoding="utf-8"), path.stem))


def read(text: str, manner: str) -> Iterator[Slip]:
    """The slips of a file. Raises ValueError for a line of another form, or for an end of what isn't known."""
    for part in text.split("=== ")[1:]:
        name, *items = [item.strip() for item in part.splitlines() if item.strip()]
        kinds: dict[str, list[str]] = {"S": [], "L": [], "N": [], "facts": []}
        for item in items:
            found = _ITEM.fullmatch(item)
            if found is None:
                raise ValueError(f"{item!r} is no line of a slip")
            kinds[found["kind"] if found["kind"] in kinds else "facts"].append(found["text"])
        (said,), (line,), facts = kinds["S"], kinds["L"], tuple(kinds["facts"])
        whole = _ENDS.fullmatch(line)
        ends = tuple(int(number) - 1 for number in whole["ends"].split()) if whole else ()
        if whole is None or any(not 0 <= end < len(facts) for end in ends):
            raise ValueError(f"{line!r} doesn't tell which of the known facts it makes untrue")
        yield Slip(name, manner, said, facts, whole["text"], ends, tuple(kinds["N"]))
