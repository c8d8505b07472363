"""One place for a language: its words, read from data files when they are first asked for.

Each rule takes its words from a `Language`. A language whose words aren't here claims nothing: its sets are empty and
`claims` is False, so no rule fires on its lines. Another language is a folder of the same files (`en/*.toml`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .. import plugins
from ..errors import SettingsError
from .points import letters as re

Files = Mapping[str, Mapping[str, Any]]
_HERE = Path(__file__).parent
_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Language:
    """A language: `code` by ISO 639-1 ("" for one that nobody named) and its data files by name.

    There is one object for each language, so rules may keep by it what they made of its words.
    """

    code: str = ""
    files: Files = field(default_factory=dict, repr=False)

    @property
    def claims(self) -> bool:
        """Whether the rules of a language exist here: without them none may fire on its lines."""
        return bool(self.files)

    def words(self, file: str, name: str) -> frozenset[str]:
        """A list of words from one of the data files; empty where the language has none."""
        return frozenset(self.listed(file, name))

    def listed(self, file: str, name: str) -> tuple[str, ...]:
        """The same in the order of the file."""
        return tuple(str(self.files.get(file, _NONE).get(name, "")).split())

    def alternatives(self, file: str, name: str) -> str:
        """The phrases of a list as the alternatives of a regular expression: "a|b c|d"; what never matches where the
        language has none."""
        phrases = (" ".join(one.split()) for one in str(self.files.get(file, _NONE).get(name, "")).split("|"))
        return "|".join(one for one in phrases if one) or "(?!)"

    def table(self, file: str, name: str) -> Mapping[str, Any]:
        """A table from one of the data files; empty where the language has none."""
        found: Mapping[str, Any] = self.files.get(file, _NONE).get(name, _NONE)
        return found

    @cached_property
    def stop(self) -> frozenset[str]:
        """Function words: they stand in most lines and tell nothing about any."""
        return self.words("words", "stop")

    @cached_property
    def lexicon(self) -> frozenset[str]:
        """All words, in small letters, that any of the files holds, but for given names: what isn't among them may be a
        name."""
        held = (word for name, file in self.files.items() if name != "given" for word in _held(file))
        return frozenset(held)

    @cached_property
    def filler(self) -> frozenset[str]:
        """Words that people wrap a question in ("remember that time ..."): dropped from queries only."""
        return self.words("words", "filler")

    @cached_property
    def first_person(self) -> frozenset[str]:
        """Who speaks, alone: i, me, my, mine, myself."""
        return self.words("words", "first_person")

    @cached_property
    def first_person_plural(self) -> frozenset[str]:
        """Who speaks, with others: we, us, our, ours, ourselves."""
        return self.words("words", "first_person_plural")

    @cached_property
    def first_person_short(self) -> frozenset[str]:
        """The first person run together with its verb, as people type it: im, ive."""
        return self.words("words", "first_person_short")

    @cached_property
    def self_words(self) -> frozenset[str]:
        """All words for the speaker."""
        return self.first_person | self.first_person_plural | self.first_person_short

    @cached_property
    def second_person(self) -> frozenset[str]:
        """Who is spoken to: you, your, yours, yourself."""
        return self.words("words", "second_person")

    @cached_property
    def asking(self) -> frozenset[str]:
        """With which a question begins."""
        return self.words("words", "asking")

    @cached_property
    def referring(self) -> frozenset[str]:
        """With which a question leans on what was said before it."""
        return self.words("words", "referring")

    @cached_property
    def negations(self) -> frozenset[str]:
        """Words that deny, with and without their mark: not, never, cannot, dont."""
        return self.words("words", "negations")

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Number words: zero, one, ... twelve, twenty."""
        return self.table("numbers", "numbers")

    @cached_property
    def ordinals(self) -> Mapping[str, int]:
        """Words for the days of a month: first, ... thirty first."""
        return {name: number for number, name in enumerate(self.alternatives("numbers", "ordinals").split("|"), 1)}

    @cached_property
    def unit_numbers(self) -> Mapping[str, int]:
        """What may stand before a unit of time: the number words, and "a", "an", "couple"."""
        return {**self.table("numbers", "one_of"), **self.numbers}

    @cached_property
    def months(self) -> Mapping[str, int]:
        """Names and short names of months, each with its number from 1."""
        rows = self.files.get("dates", _NONE).get("months", ())
        return {name: number for number, names in enumerate(rows, 1) for name in names.split()}

    @cached_property
    def month_names(self) -> tuple[str, ...]:
        """The whole names of the twelve months."""
        return tuple(names.split()[0] for names in self.files.get("dates", _NONE).get("months", ()))

    @cached_property
    def weekdays(self) -> Mapping[str, int]:
        """Names of the days of the week, Monday 0."""
        return {name: number for number, name in enumerate(self.listed("dates", "weekdays"))}

    @cached_property
    def short_weekdays(self) -> Mapping[str, int]:
        """Their short names, which may be words for something else: "sat", "wed"."""
        rows = self.files.get("dates", _NONE).get("short_weekdays", ())
        return {name: number for number, names in enumerate(rows) for name in names.split()}

    @cached_property
    def calendar(self) -> frozenset[str]:
        """Names of the days of the week and of the months."""
        return frozenset({*self.weekdays, *self.months})

    @cached_property
    def seasons(self) -> Mapping[str, int]:
        """Each season with the month in which it begins."""
        return self.table("dates", "seasons")

    @cached_property
    def feasts(self) -> Mapping[str, tuple[int, int]]:
        """Days that have a name, each with its month and day."""
        return {name: (day[0], day[1]) for name, day in self.table("dates", "feasts").items()}

    @cached_property
    def from_easter(self) -> Mapping[str, int]:
        """Days that have a name and come so many days after Easter Sunday."""
        return self.table("dates", "from_easter")

    @cached_property
    def relations(self) -> Mapping[str, str]:
        """Words for who somebody is to somebody, singular and plural, each with the main word of its relation."""
        groups = self.files.get("relations", _NONE).get("groups", ())
        found = {word: group.split()[0] for group in groups for word in group.split()}
        return found | {f"{word}s": name for word, name in found.items()}


def _held(value: object) -> Iterator[str]:
    """The words in a table, those of its keys among them."""
    if isinstance(value, str):
        yield from re.findall(r"[a-z]+", value.lower())
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from (*_held(key), *_held(one))
    elif isinstance(value, Sequence):
        for one in value:
            yield from _held(one)


UNKNOWN = Language()
"""A language that nobody named: no rule fires."""


def from_folder(folder: Path, code: str) -> Language:
    """A language whose words are the TOML files of a folder. Raises OSError, tomllib.TOMLDecodeError."""
    files = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.toml"))}
    return Language(code, MappingProxyType(files))


@lru_cache(maxsize=1)
def english() -> Language:
    """English, the one language whose rules are here."""
    return from_folder(_HERE / "en", "en")


@lru_cache(maxsize=256)
def by_code(code: str) -> Language:
    """The language of an ISO 639-1 code: English, or one whose words an installed package brings; any other claims
    nothing. A package declares the folder of its files: `[project.entry-points."chatmem.languages"]`, `nl =
    "chatmem_nl:FOLDER"`. Raises SettingsError when that can't be read.
    """
    code = code.strip().lower()
    if code == "en":
        return english()
    if code in plugins.names("chatmem.languages"):
        folder = Path(plugins.load("chatmem.languages", code))
        try:
            return from_folder(folder, code)
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise SettingsError(
                f"The words of {code!r} in {folder} can't be read ({error}): mend that package."
            ) from error
    return Language(code) if code else UNKNOWN
