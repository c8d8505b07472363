"""A life: what one person tells in three days, each line with the facts that it tells, changes and ends.

A file holds one manner of telling, an item a line:

    === Daniela                      a life, by the name that she tells
    DAY: 2                           what follows is said on the next day
    L: my sister has a boy, Matei, hes 3
    F: Daniela's sister has a son Matei | Matei, son/boy/child     a fact that the line tells, and its keys
    F: Matei is 3 years old | Matei, 3/three
    L: he turned four on sunday!!
    U: 2 | Matei is 4 years old | Matei, 4/four                    it takes the place of the second fact (F and U are
                                                                   counted in their order)
    L: none of that is true, I have no sister
    D: 1                                                           it ends the first one
    N: Matei, dead/died                                            no memory may ever hold all of these

A memory tells a fact where each key stands in it or one of its alternatives: as a word, as the beginning of one (four
letters or more), or, where it holds a sign or a space, anywhere. Capitals don't count.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ....memory.errors import InputError, NotFound

FOLDER = Path(__file__).parent
SETS = ("open", "sealed")
"""The lives that ship; the sealed ones who works on chatmem only measures with."""
BEGINNING = 4
"""Letters from which a key may be the beginning of a word."""
_WORD = re.compile(r"[\w'-]+")
_TURNED = re.compile(r"\b(?:not|no|never|none|nobody|without|no longer|used to|former|cannot)\b|n't\b", re.IGNORECASE)
"""By these a memory says the opposite of what it holds, or that it was so once."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What is true, the `keys` by which a memory tells it, and the place of the fact that it takes the place of."""

    text: str
    keys: tuple[tuple[str, ...], ...]
    instead_of: int | None = None

    def told_by(self, memory: str) -> bool:
        """Whether a memory tells it: one that holds its keys in a denial doesn't, unless it is a denial itself."""
        return matches(self.keys, memory) and (bool(_TURNED.search(self.text)) or not _TURNED.search(memory))


@dataclass(frozen=True, slots=True)
class Said:
    """One line, said on the day `day` (from 1): the places of the facts that it tells and of those that it ends."""

    text: str
    day: int
    tells: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Life:
    """`facts` in the order in which they are told; `never`: keys that no memory may hold together."""

    name: str
    manner: str
    lines: tuple[Said, ...]
    facts: tuple[Fact, ...]
    never: tuple[tuple[tuple[str, ...], ...], ...]

    @property
    def key(self) -> str:
        """A print of all that it says: a life that was changed is another."""
        return hashlib.sha256(repr((self.name, self.lines, self.facts, self.never)).encode()).hexdigest()[:12]

    def holding(self, after: int) -> frozenset[int]:
        """The places of the facts that are true after the line of that place."""
        said = self.lines[: after + 1]
        return frozenset(place for one in said for place in one.tells) - {end for one in said for end in one.ends}


def matches(keys: Sequence[Sequence[str]], text: str) -> bool:
    """Whether of each key one alternative stands in the text."""
    low = text.lower().replace("’", "'")
    found = {*_WORD.findall(low)}
    found |= {word.removesuffix("'s") for word in found}
    return all(any(_stands(each, low, found) for each in key) for key in keys)


def _stands(key: str, text: str, found: set[str]) -> bool:
    if re.search(r"[^\w'-]", key) or not key[0].isalnum():
        return key in text
    return key in found or (len(key) >= BEGINNING and any(word.startswith(key) for word in found))


def load_lives(which: str) -> list[Life]:
    """The lives of a set that ships, or of a file. Raises NotFound, or InputError that names the line."""
    paths = sorted((FOLDER / which).glob("*.txt")) if which in SETS else [Path(which)]
    lives = []
    for path in paths:
        try:
            lives += read(path.read_text(encoding="utf-8"), path.stem)
        except FileNotFoundError:
            raise NotFound(f"There is no file {path} of lives; {' and '.join(SETS)} ship with chatmem.") from None
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path} can't be read ({error}).") from error
        except ValueError as error:
            raise InputError(f"{path}: {error}; see {FOLDER / 'open' / 'notes.txt'}.") from error
    if not lives:
        raise InputError(f"{which} holds no life (=== NAME, then L: and F: lines).")
    return lives


def read(text: str, manner: str) -> list[Life]:
    """The lives of a file. Raises ValueError that names a line of another form."""
    return [_life(part, manner) for part in text.split("=== ")[1:]]


def _life(part: str, manner: str) -> Life:
    name, *items = [item.strip() for item in part.splitlines() if item.strip()] or [""]
    reader = _Reader()
    for item in items:
        reader.take(item)
    if not name or not reader.lines:
        raise ValueError(f"the life {name!r} lacks a name or a line")
    return Life(name, manner, tuple(reader.lines), tuple(reader.facts), tuple(reader.never))


@dataclass
class _Reader:
    day: int = 1
    lines: list[Said] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    never: list[tuple[tuple[str, ...], ...]] = field(default_factory=list)

    def take(self, item: str) -> None:
        kind, _, rest = item.partition(":")
        parts = [part.strip() for part in rest.split("|")]
        if kind == "DAY" and rest.strip().isdigit():
            self.day = int(rest)
        elif kind == "L":
            self.lines.append(Said(rest.strip(), self.day))
        elif kind == "N" and len(parts) == 1:
            self.never.append(_keys(rest))
        elif kind == "D" and self.lines:
            self._put(ends=(self._place(rest),))
        elif kind == "F" and len(parts) == 2 and self.lines:
            self._tell(Fact(parts[0], _keys(parts[1])))
        elif kind == "U" and len(parts) == 3 and self.lines:
            place = self._place(parts[0])
            self._tell(Fact(parts[1], _keys(parts[2]), place), ends=(place,))
        else:
            raise ValueError(f"{item!r} is no line of a life")

    def _tell(self, fact: Fact, ends: tuple[int, ...] = ()) -> None:
        self.facts.append(fact)
        self._put(tells=(len(self.facts) - 1,), ends=ends)

    def _put(self, tells: tuple[int, ...] = (), ends: tuple[int, ...] = ()) -> None:
        last = self.lines[-1]
        self.lines[-1] = Said(last.text, last.day, last.tells + tells, last.ends + ends)

    def _place(self, number: str) -> int:
        place = int(number) - 1 if number.strip().isdigit() else -1
        if not 0 <= place < len(self.facts):
            raise ValueError(f"there is no fact {number.strip()} yet (they are counted from 1)")
        return place


def _keys(text: str) -> tuple[tuple[str, ...], ...]:
    keys = tuple(tuple(each.strip().lower() for each in key.split("/") if each.strip()) for key in text.split(","))
    if not all(keys):
        raise ValueError(f"{text.strip()!r} holds an empty key")
    return keys
