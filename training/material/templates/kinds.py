"""The kinds of facts, read from `kinds_*.txt`.

Each kind begins with `== name tags` (kinds that share a tag never meet in one talk) and has lines, by their letter:
`D past|future` the fact has a date; `F topic | fact` the gold (`@topic`: the subject is the assistant); `S` one
statement by the user; `R` replies to it; `A answer => key words` an answer, with `H` the thing asked for ("where you
live") and `Q` its questions; `U` updates and corrections; `X` deletions. R, A, Q, U and X hold several wordings,
parted by ` | `.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from functools import cache

from .slots import HERE, held_out
from .talk import Split


@dataclass
class KindQuestion:
    """One thing that can be asked about a fact."""

    texts: tuple[str, ...]
    keys: tuple[str, ...]
    about: str = ""
    asks: list[str] = field(default_factory=list)


@dataclass
class Kind:
    """One kind of fact with all its wordings. `when` is `past` or `future` for facts with a date."""

    name: str
    tags: frozenset[str]
    topic: str = ""
    fact: str = ""
    of_assistant: bool = False
    when: str = ""
    says: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    asked: list[KindQuestion] = field(default_factory=list)
    updates: list[str] = field(default_factory=list)
    deletes: list[str] = field(default_factory=list)

    @property
    def held_out(self) -> bool:
        """Whether the whole kind is kept for validation."""
        return held_out("kind:" + self.name, 10)


@cache
def all_kinds() -> tuple[Kind, ...]:
    """Every kind in the files."""
    kinds: list[Kind] = []
    for path in sorted(HERE.glob("kinds_*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("== "):
                name, *tags = line[3:].split()
                kinds.append(Kind(name, frozenset(tags)))
            elif line.strip() and not line.startswith("#"):
                _add(kinds[-1], line[0], line[2:].strip())
    return tuple(kinds)


def _add(kind: Kind, letter: str, text: str) -> None:
    """One line of a kind's entry."""
    parts = [part.strip() for part in text.split(" | ")]
    if letter == "D":
        kind.when = text
    elif letter == "F":
        kind.of_assistant, kind.topic, kind.fact = parts[0].startswith("@"), parts[0].lstrip("@"), parts[1]
    elif letter == "S":
        kind.says.append(text)
    elif letter == "A":
        answers, _, keys = text.partition(" => ")
        kind.asked.append(KindQuestion(tuple(answers.split(" | ")), tuple(key.strip() for key in keys.split(","))))
    elif letter == "H":
        kind.asked[-1].about = text
    else:
        lists = {"R": kind.replies, "U": kind.updates, "X": kind.deletes}
        (kind.asked[-1].asks if letter == "Q" else lists[letter]).extend(parts)


def kinds_of(split: Split) -> tuple[Kind, ...]:
    """The kinds that a split may use: training never sees the held-out ones."""
    return tuple(kind for kind in all_kinds() if split == "valid" or not kind.held_out)


def wordings(kind: Kind, texts: list[str], split: Split) -> list[str]:
    """The statements or questions that a split may use: one of each kind's is kept for validation."""
    if kind.held_out or len(texts) < 2:
        return texts
    place = zlib.crc32((kind.name + texts[0]).encode()) % len(texts)
    return [text for i, text in enumerate(texts) if (i == place) == (split == "valid")]
