"""Talks written whole, one by one: people who type as people do, each line with its facts, and questions asked later.

The generator's talks are many and alike; these are few and unlike each other. `told_*.txt` hold them, and `manners/`
more, a file for each manner of talking, an item a line:

    === Ana                      a talk of Ana (User: never named)
    L: the person's line         A: the assistant's reply
    F: topic | fact | when       what the line before tells; `when`, if said, in the speaker's words
    U: 2 | topic | fact | when   it changes the second fact (F and U are counted)
    D: 2                         it takes the second fact back
    Q: question | answer | key words, comma-separated | number of the fact
    X: question | honest answer  about something never told
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from ....memory.language.dates import resolve
from ....memory.values import ASSISTANT
from .talk import Action, Gold, GoldLine, GoldQuestion, GoldTalk, Split

HELD_BACK = 8
"""Every so many-th talk is for validation."""
UNSEEN = "terse"
"""The manner that nothing learns from: what new kinds of talk are like is measured on it."""
_FIRST = datetime(2024, 2, 5, 8, 0, tzinfo=UTC)
_APART, _LINE = timedelta(days=13, minutes=47), timedelta(seconds=40)


def told_talks(split: Split = "train") -> list[GoldTalk]:
    """The talks of the split."""
    wanted = split == "valid"
    return [talk for number, talk in enumerate(_all_talks(), 1) if (number % HELD_BACK == 0) == wanted]


def manner_talks(split: Split = "train") -> list[GoldTalk]:
    """The talks of the manners that are learned from."""
    wanted = split == "valid"
    return [talk for number, talk in enumerate(_manners(False), 1) if (number % HELD_BACK == 0) == wanted]


def unseen_talks() -> list[GoldTalk]:
    """The talks in the manner that nothing learns from."""
    return list(_manners(True))


@cache
def _all_talks() -> tuple[GoldTalk, ...]:
    return _read(sorted(Path(__file__).parent.glob("told_*.txt")))


@cache
def _manners(unseen: bool) -> tuple[GoldTalk, ...]:
    files = sorted((Path(__file__).parent / "manners").glob("*.txt"))
    return _read([path for path in files if (path.stem == UNSEEN) is unseen])


def _read(files: Sequence[Path]) -> tuple[GoldTalk, ...]:
    parts = [part for path in files for part in path.read_text(encoding="utf-8").split("=== ")[1:]]
    return tuple(read_talk(part, _FIRST + number * _APART) for number, part in enumerate(parts))


def read_talk(text: str, begins: datetime) -> GoldTalk:
    """One talk, its name in the first line. Raises ValueError for a line of another form."""
    name, *items = text.strip().splitlines()
    writer = _Reader(name.strip(), begins)
    for item in items:
        if item.strip():
            kind, _, rest = item.partition(":")
            writer.take(kind, [part.strip() for part in rest.split("|")])
    return GoldTalk(writer.name, tuple(writer.finished()), tuple(writer.asked))


@dataclass
class _Reader:
    name: str
    clock: datetime
    lines: list[tuple[str, str, str, list[Gold]]] = field(default_factory=list)
    asked: list[GoldQuestion] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    def take(self, kind: str, parts: Sequence[str]) -> None:
        if kind in ("L", "A"):
            self.clock += _LINE
            said_at = self.clock.strftime("%Y-%m-%dT%H:%M:%SZ")
            self.lines.append((self.name if kind == "L" else ASSISTANT, " | ".join(parts), said_at, []))
        elif kind == "F":
            self._tell(*parts)
        elif kind == "U":
            self._tell(*parts[1:], replaces=int(parts[0]))
        elif kind == "D":
            self._gold(Gold("delete", self.name, "", "", replaces=self.places[int(parts[0]) - 1]))
        elif kind == "Q":
            text, answer, keys, number = parts
            words = tuple(word.strip() for word in keys.split(","))
            self.asked.append(GoldQuestion(text, answer, (text,), (answer,), words, self.places[int(number) - 1]))
        elif kind == "X":
            text, answer = parts
            self.asked.append(GoldQuestion(text, answer, (text,), (answer,), (), None))
        else:
            raise ValueError(f"{kind!r} begins no item of a talk: L, A, F, U, D, Q or X")

    def _tell(self, topic: str, fact: str, when: str | None = None, *, replaces: int | None = None) -> None:
        said_at = self.lines[-1][2]
        place = None if replaces is None else self.places[replaces - 1]
        self.places.append(sum(len(golds) for *_, golds in self.lines))
        action: Action = "add" if place is None else "update"
        self._gold(Gold(action, self.name, topic, fact, when, resolve(when, said_at), place))

    def _gold(self, gold: Gold) -> None:
        """A gold goes to the person's last line, which the assistant may have answered already."""
        line = next(line for line in reversed(self.lines) if line[0] == self.name)
        line[3].append(gold)

    def finished(self) -> Iterator[GoldLine]:
        for speaker, text, said_at, golds in self.lines:
            yield GoldLine(speaker, text, said_at, tuple(golds))
