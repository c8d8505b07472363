"""How each language asks: the words of `asking.toml`, read once, and lines as words with their places."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


class Word(NamedTuple):
    """A word in lower case with straight marks, and where it ends in its text."""

    low: str
    end: int
    capital: bool


def words_of(text: str) -> list[Word]:
    """The words of a text; "what's" is one."""
    return [
        Word(found[0].lower().replace("’", "'"), found.end(), found[0][:1].isupper()) for found in _WORD.finditer(text)
    ]


@dataclass(frozen=True)
class Forms:
    """The words with which a language asks; all empty for a language without data."""

    code: str
    lists: Mapping[str, frozenset[str]]
    phrases: Mapping[str, tuple[str, ...]]

    def has(self, name: str, word: str) -> bool:
        return word in self.lists.get(name, frozenset())

    def begins(self, name: str, words: Sequence[Word]) -> int:
        """How many of the first words are one of the phrases of that name, the longest; 0: none."""
        text = " ".join(word.low for word in words[:8]) + " "
        return max(
            (len(phrase.split()) for phrase in self.phrases.get(name, ()) if text.startswith(phrase + " ")), default=0
        )


_PHRASES = ("wrappers", "wrapping", "opening", "tags", "telling", "not_asking", "yes_after", "nods",
            "asked_nods", "said_before", "unsure", "again", "checking", "calls")  # fmt: skip


@lru_cache(maxsize=64)
def forms_of(code: str) -> Forms:
    """The forms of a language by its ISO 639-1 code."""
    data = _table().get(code, {})
    lists = {name: frozenset(text.split()) for name, text in data.items() if name not in _PHRASES}
    phrases = {
        name: tuple(" ".join(one.split()) for one in data.get(name, "").split("|") if one.strip()) for name in _PHRASES
    }
    return Forms(code, lists, phrases)


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Mapping[str, str]]:
    found: Mapping[str, Mapping[str, str]] = tomllib.loads(
        (Path(__file__).parent / "asking.toml").read_text(encoding="utf-8")
    )
    return found
