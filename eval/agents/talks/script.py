"""A script: what a person tells, what is asked after a new start, and what must hold then.

A TOML file: `name`, `lines`, and `[[ask]]` with `question`, `keys` (all must stand in the reply; `a|b` are
alternatives) and `find` (the words to search for; none: nothing is searched). For what one must be able to trust:

- in an `[[ask]]`, `never` (words that may not stand in the reply) and `honest = true` (it must say that it doesn't
  know); for the whole script `keeps` (words that one current memory must hold) and `loses` (words that none may hold),
  `about` (what may go wrong in it). Words are looked for in any order, `bak*` as the beginning of one; `a b unless c|d`
  lets pass what holds c or d.
- A line that begins with "/" is a command. `/forget {ids:a|b}` begins a new chat, with the numbers of the memories that
  hold one of these words in place of the braces, or the words themselves where no memory holds them.
- `{past_month}`, `{weekday}` and so on (`moments`) are days that are told from today.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ....memory.errors import InputError, NotFound
from ...measures.locomo_score import says_unknown
from ...measures.text import contained
from ...measures.text import words as words_of

SCRIPTS = Path(__file__).parents[1] / "scripts"
SETS = {
    "first": ("*.toml",), "dev": ("dev_*.toml",), "held": ("held_*.toml",), "open": ("open/*.toml",),
    "sealed": ("sealed/*.toml",), "all": ("*.toml", "open/*.toml", "sealed/*.toml"),
    "trust": ("trust/open/*.toml",), "trust-sealed": ("trust/sealed/*.toml",), "languages": ("languages/*.toml",),
    "kinds": ("trust/kinds/open/*.toml",), "kinds-sealed": ("trust/kinds/sealed/*.toml",),
    "daily": ("trust/daily/open/*.toml",), "daily-sealed": ("trust/daily/sealed/*.toml",),
    "aslant": ("aslant/open/*.toml",), "aslant-sealed": ("aslant/sealed/*.toml",),
    "fresh": ("fresh/open/*.toml",), "fresh-sealed": ("fresh/sealed/*.toml",),
    "sharp": ("fresh/sharp/open/*.toml",), "sharp-sealed": ("fresh/sharp/sealed/*.toml",),
    "plain": ("fresh/plain/open/*.toml",), "plain-sealed": ("fresh/plain/sealed/*.toml",),
    "unsaid-sealed": ("fresh/unsaid/sealed/*.toml",),
    "twelve": ("trust/twelve/open/*.toml",), "twelve-sealed": ("trust/twelve/sealed/*.toml",),
    "dictated-sealed": ("dictated/sealed/*.toml",),
}  # fmt: skip
"""The scripts that ship. `first` are the five behind the documented figures: those of `dev` to look at while building,
those of `held` at first only measured. `open` and `sealed` are talks in other manners (long lines, small letters,
typing mistakes, plans): who works on chatmem may read the open ones, and only measures with the sealed ones. `trust`
and `trust-sealed` are short talks that tempt a memory to be wrong, in a dozen manners; so are `kinds` and
`kinds-sealed`, seven of each manner, the sealed ones by somebody who had seen none of these; `daily` and
`daily-sealed` are everyday talk in ten manners (evening journals, work handed to an assistant, a student's messages, an
old person's letters ...), asked about aslant; `aslant` and `aslant-sealed` are whole talks of eighteen people whose
questions are worded as unlike the telling lines as people word them; `fresh` and `fresh-sealed` are short talks in
which things are put right, end by the way, or are told of somebody else, two or three of these in each; `sharp` and
`sharp-sealed` are more of these by one writer, asked about aslant; `plain` and `plain-sealed` are a first week's talk
of twenty-four people in everyday words, four or five things of which change, end or are put right; `unsaid-sealed` are
twelve more by two writers, where it is mostly not said that something ended, but what is instead; `twelve` and
`twelve-sealed` tempt in the manners of `trust`, some twenty each by two other writers; `dictated-sealed` are six whole
talks that were spoken, without a mark or a capital. `languages` are talks
in German, French and Spanish, for models that know these."""
_ORDINAL = ("", "st", "nd", "rd", "th")
_IDS = re.compile(r"\{ids:([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class ScriptQuestion:
    """One question, what a right reply holds and doesn't, and the words that a person would search for."""

    question: str
    keys: tuple[str, ...]
    find: str
    never: tuple[str, ...] = field(default=(), repr=False)
    honest: bool = field(default=False, repr=False)

    def faults(self, reply: str) -> tuple[str, ...]:
        """What is wrong with a reply; empty when it is right."""
        wrong = [f"keys: {key}" for key in self.keys if not holds(key, reply)]
        wrong += [f"never: {words}" for words in self.never if holds(words, reply)]
        if self.honest and not says_unknown(reply):
            wrong.append("honest: it doesn't say that it doesn't know")
        return tuple(wrong)


@dataclass(frozen=True, slots=True)
class Script:
    """A talk with its questions. What only trust scripts have is not in its `repr`, by which records know a script."""

    name: str
    lines: tuple[str, ...]
    asks: tuple[ScriptQuestion, ...]
    about: str = field(default="", repr=False)
    keeps: tuple[str, ...] = field(default=(), repr=False)
    loses: tuple[str, ...] = field(default=(), repr=False)

    @property
    def trust(self) -> bool:
        """Whether it is right or wrong as a whole: nothing in it is searched for."""
        return not any(ask.find for ask in self.asks)

    def faults(self, memories: Sequence[str]) -> tuple[str, ...]:
        """What is wrong with the current memories; empty when nothing is."""
        wrong = [f"keeps: {words}" for words in self.keeps if not any(holds(words, one) for one in memories)]
        return (*wrong, *(f"loses: {words}" for words in self.loses if any(holds(words, one) for one in memories)))

    def changed(self, change: Callable[[str], str]) -> Script:
        """The script with `change` done to all its words."""

        def all_of(texts: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(map(change, texts))

        asks = tuple(
            replace(ask, question=change(ask.question), keys=all_of(ask.keys), never=all_of(ask.never))
            for ask in self.asks
        )
        return replace(
            self, lines=all_of(self.lines), asks=asks, keeps=all_of(self.keeps), loses=all_of(self.loses)
        )  # fmt: skip

    def chats(self) -> Iterator[tuple[str, ...]]:
        """The lines of each chat in which the talk is told."""
        begins = [place for place, line in enumerate(self.lines) if place and _IDS.search(line)]
        for begin, end in zip([0, *begins], [*begins, len(self.lines)], strict=True):
            yield self.lines[begin:end]


def with_ids(line: str, memories: Mapping[int, str]) -> str:
    """The line with numbers in place of `{ids:a|b}`: those of the memories that hold a or b."""

    def numbers(match: re.Match[str]) -> str:
        found = [str(number) for number, text in memories.items() if holds(match[1], text)]
        return " ".join(found) or match[1].replace("|", " ")

    return _IDS.sub(numbers, line)


def holds(words: str, text: str) -> bool:
    """Whether one of the alternatives stands in the text, and none of those after "unless"."""
    wanted, _, unless = words.partition(" unless ")
    return _any(wanted, text) and not (unless and _any(unless, text))


def _any(options: str, text: str) -> bool:
    return any(_stands(option, text) for option in options.split("|"))


def _stands(option: str, text: str) -> bool:
    """Whether all words of an option stand in the text, "bak*" as the beginning of one, "23*" as 23 or 23rd."""
    if "*" not in option:
        return contained(option, text) == 1.0
    there = words_of(text)
    return all(
        any(_begins(word, part) if starred else word == part for word in there)
        for written, starred in ((one, one.endswith("*")) for one in option.split())
        for part in words_of(written)
    )


def _begins(word: str, part: str) -> bool:
    return word.startswith(part) and (not part.isdigit() or word[len(part) :] in _ORDINAL)


def matches(keys: Sequence[str], text: str) -> bool:
    """Whether every key (or one of its alternatives, parted by `|`) stands in the text."""
    return all(holds(key, text) for key in keys)


def load_script(path: Path) -> Script:
    """A script from its TOML file. Raises NotFound or InputError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        asks = tuple(map(_question, data["ask"]))
        told = {name: _texts(data.get(name, [])) for name in ("keeps", "loses")}
        name, about = str(data.get("name", path.stem)), str(data.get("about", ""))
        script = Script(name, _texts(data["lines"]), asks, about, **told)
    except FileNotFoundError:
        raise NotFound(f"There is no script {path}; those that ship are in {SCRIPTS}.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a chat script ({error!r}); see the ones in {SCRIPTS}.") from error
    if not script.lines or not script.asks or any("\n" in line for line in script.lines):
        raise InputError(f"{path} needs `lines` of one line each and at least one [[ask]].")
    if not all(ask.keys or ask.never or ask.honest for ask in script.asks):
        raise InputError(f"{path}: each [[ask]] needs `keys`, `never` or `honest = true`, or nothing is measured.")
    return script


def _question(row: Mapping[str, Any]) -> ScriptQuestion:
    keys, never = _texts(row.get("keys", [])), _texts(row.get("never", []))
    return ScriptQuestion(row["question"], keys, str(row.get("find", "")), never, bool(row.get("honest", False)))


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{values!r} is no list of texts")
    return tuple(values)


def shipped(name: str) -> list[Path]:
    """The scripts of one of the `SETS`."""
    return [path for pattern in SETS[name] for path in sorted(SCRIPTS.glob(pattern))]


def chosen_scripts(wanted: Sequence[str]) -> list[Path]:
    """Scripts by the names of sets, files and folders, each once. Raises NotFound for a folder without any."""
    found: list[Path] = []
    for one in wanted:
        path = Path(one)
        some = shipped(one) if one in SETS else sorted(path.glob("*.toml")) if path.is_dir() else [path]
        if not some and one in SETS:
            raise NotFound(f"The scripts of the set {one} lie in a checkout of chatmem alone: run it there.")
        if not some:
            raise NotFound(f"The folder {path} holds no script (*.toml); those that ship are in {SCRIPTS}.")
        found += some
    return list(dict.fromkeys(found))


def is_sealed(path: Path) -> bool:
    """Whether nobody who works on chatmem shall read what the script says: it lies in a folder `sealed`."""
    return path.resolve().parent.name == "sealed"
