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

`short/` has short ones that are asked little, in further manners, for who learns what a line tells; `short/further/`
more of them, and `short/further/asked/` some that are mostly asked as people ask weeks later. `short/weeks/` has first
weeks of ordinary people without any manner, for who learns what a line ends: facts of others are told there without the
one who tells them; `short/weeks/later/` more, with them, which are asked more and where what ends is mostly not named
again; in `short/weeks/aside/`, by twelve writers, each of another sort of people, half of it is told by the way: who
does it now, what is no longer needed.
`questions/` asks more of the same talks, for who learns which told sentence answers: a file for each, with the same
names in the same order, and of the items only Q and X. `questions/aslant/` asks of all of them as people ask who put it
aslant: the topic first, two sentences, an order, somebody described instead of named, no question mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Literal

from ....memory.database.moments import moment_of
from ....memory.language.dates import resolve
from ....memory.values import ASSISTANT
from .talk import Action, Gold, GoldLine, GoldQuestion, GoldTalk, Split

HELD_BACK = 8
"""Every so many-th talk is for validation."""
Asked = Literal["own", "more", "aslant"]
"""Which questions about the talks."""
FOLDERS: dict[Asked, str] = {"own": "", "more": "questions", "aslant": "questions/aslant"}
UNSEEN, UNSEEN_SHORT = "terse", ("unseen", "unread")
"""The manners that nothing learns from, of the long talks and of the short ones: what new kinds of talk are like is
measured on them."""
UNSEEN_WEEKS = ("ordinary", "groups", "any", "habits", "kin")
"""First weeks of five writers whom nothing learns from."""
_FIRST = datetime(2024, 2, 5, 8, 0, tzinfo=UTC)
_APART, _LINE = timedelta(days=13, minutes=47), timedelta(seconds=40)


def told_talks(split: Split = "train") -> list[GoldTalk]:
    """The talks of the split."""
    return _of_split(_all_talks(), split)


def manner_talks(split: Split = "train") -> list[GoldTalk]:
    """The talks of the manners that are learned from."""
    return _of_split(_manners(False), split)


def asked_more(split: Split = "train") -> list[GoldTalk]:
    """The talks of both, with the further questions about them in the place of their own; none where those aren't: they
    lie in the checkout, and a wheel leaves them out for their weight."""
    talks = [*_of_split(_all_talks("more"), split), *_of_split(_manners(False, "more"), split)]
    return [talk for talk in talks if talk.questions]


def asked_aslant(split: Split = "train") -> list[GoldTalk]:
    """All talks but those in the manner that nothing learns from, with the questions that are put aslant in the place
    of their own; they lie in the checkout alone."""
    kinds = (_all_talks("aslant"), _manners(False, "aslant"), _short("aslant"))
    return [talk for talks in kinds for talk in _of_split(talks, split) if talk.questions]


def short_talks(split: Split = "train") -> list[GoldTalk]:
    """Short talks in further manners, half of them of somebody without a name. They lie in the checkout alone."""
    return _of_split(_short(), split)


def unseen_talks(asked: Asked = "own") -> list[GoldTalk]:
    """The talks in the manner that nothing learns from."""
    return list(_manners(True, asked))


def further_talks(split: Split = "train") -> list[GoldTalk]:
    """Short talks that were written after the others, so that of those the same ones stay held back: lines that lean on
    others, fragments, other people's matters between one's own, new states, work, long lines. Half of what is asked
    is put aslant. In the checkout alone."""
    return _of_split(_further(False), split)


def unseen_further_talks() -> list[GoldTalk]:
    """The short ones in the two manners that nothing learns from."""
    return list(_further(True))


def week_talks(split: Split = "train") -> list[GoldTalk]:
    """First weeks of ordinary people, plainly told; a third of their lines change something. In the checkout alone."""
    return _of_split(_weeks(False), split)


def unseen_week_talks() -> list[GoldTalk]:
    """Those by the writers whom nothing learns from."""
    return list(_weeks(True))


def _of_split(talks: Sequence[GoldTalk], split: Split) -> list[GoldTalk]:
    return [talk for number, talk in enumerate(talks, 1) if (number % HELD_BACK == 0) == (split == "valid")]


@cache
def _all_talks(asked: Asked = "own") -> tuple[GoldTalk, ...]:
    return _read(sorted(Path(__file__).parent.glob("told_*.txt")), asked)


@cache
def _manners(unseen: bool, asked: Asked = "own") -> tuple[GoldTalk, ...]:
    files = sorted((Path(__file__).parent / "manners").glob("*.txt"))
    return _read([path for path in files if (path.stem == UNSEEN) is unseen], asked)


@cache
def _short(asked: Asked = "own") -> tuple[GoldTalk, ...]:
    return _read(sorted((Path(__file__).parent / "short").glob("*.txt")), asked)


@cache
def _further(unseen: bool) -> tuple[GoldTalk, ...]:
    # Which are held back goes by their place, as with the weeks below.
    folder = Path(__file__).parent / "short" / "further"
    files = [path for part in (folder, folder / "asked") for path in sorted(part.glob("*.txt"))]
    return _read([path for path in files if (path.stem in UNSEEN_SHORT) is unseen], "own")


@cache
def _weeks(unseen: bool) -> tuple[GoldTalk, ...]:
    # Which are held back goes by their place: further files come last, or what was learned from is held back.
    folder = Path(__file__).parent / "short" / "weeks"
    files = [path for part in (folder, folder / "later", folder / "aside") for path in sorted(part.glob("*.txt"))]
    return _read([path for path in files if (path.stem in UNSEEN_WEEKS) is unseen], "own")


def _read(files: Sequence[Path], asked: Asked) -> tuple[GoldTalk, ...]:
    further = Path(__file__).parent / FOLDERS[asked]
    parts = [part for path in files for part in (_parts(path) if asked == "own" else _asked(path, further / path.name))]
    return tuple(read_talk(part, _FIRST + number * _APART) for number, part in enumerate(parts))


def _parts(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("=== ")[1:]


def _asked(path: Path, further: Path) -> list[str]:
    """The talks of a file with the further questions about them in the place of their own: none where there are none.
    Raises ValueError where they are about other talks."""
    bare = ["\n".join(line for line in part.splitlines() if line[:2] not in ("Q:", "X:")) for part in _parts(path)]
    if not further.exists():
        return bare
    asked = [part.strip().partition("\n") for part in _parts(further)]
    names = [part.partition("\n")[0].strip() for part in bare]
    if [name.strip() for name, *_ in asked] != names:
        raise ValueError(f"{further} asks about other talks than {path.name} holds")
    return [f"{part}\n{questions}" for part, (*_, questions) in zip(bare, asked, strict=True)]


def read_talk(text: str, begins: datetime) -> GoldTalk:
    """One talk, its name in the first line. Raises ValueError for a line of another form."""
    name, *items = text.strip().splitlines()
    writer = _Reader(name.strip(), begins)
    for item in items:
        if item.strip():
            kind, _, rest = item.partition(":")
            writer.take(kind, [part.strip() for part in rest.split("|")])
    return GoldTalk(writer.name, tuple(writer.finished()), tuple(writer.asked), tuple(writer.asides))


@dataclass
class _Reader:
    name: str
    clock: datetime
    lines: list[tuple[str, str, str, list[Gold]]] = field(default_factory=list)
    asked: list[GoldQuestion] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    def take(self, kind: str, parts: Sequence[str]) -> None:
        if kind in ("L", "A"):
            self.clock += _LINE
            said_at = moment_of(self.clock)
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
        elif kind == "G":
            self.asides.append(" | ".join(parts))
        else:
            raise ValueError(f"{kind!r} begins no item of a talk: L, A, F, U, D, Q, X or G")

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
