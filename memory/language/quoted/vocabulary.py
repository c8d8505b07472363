"""The words that bring in somebody else's words, of all languages at once: a pasted line is often in another language
than the talk, and too short to tell which. Form tells most (quotation marks, colons, marks of mail and code)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from ..language import english
from ..words import alternatives, any_phrase

HIDDEN = "\ue001"
"""Stands for each letter that was found to be somebody else's."""
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_TABLE = Path(__file__).with_name("quoted.toml")


def low_words(text: str) -> list[str]:
    """The words of a text in lower case with straight marks; "I'm" is one."""
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


@dataclass(frozen=True)
class Vocabulary:
    """Lists by name, English and all others in one."""

    lists: Mapping[str, frozenset[str]]
    phrases: Mapping[str, tuple[str, ...]]

    def has(self, name: str, words: Iterable[str]) -> bool:
        """Whether any of the words is in that list."""
        return not self.lists.get(name, frozenset()).isdisjoint(words)

    def starts(self, name: str, text: str) -> str:
        """The longest phrase of that list with which a text (lower case) begins; empty for none."""
        found = [one for one in self.phrases[name] if text.startswith(one) and not text[len(one) :][:1].isalnum()]
        return max(found, key=len, default="")

    @cached_property
    def first(self) -> frozenset[str]:
        """Words for who speaks."""
        own = english().self_words
        short = {f"{who}'{end}" for who, ends in (("i", "m ve d ll"), ("we", "re ve d ll")) for end in ends.split()}
        return self.lists["first"] | own | short

    @cached_property
    def second(self) -> frozenset[str]:
        """Words for who is spoken to."""
        short = {f"you'{end}" for end in ("re", "ve", "d", "ll")}
        return self.lists["second"] | english().second_person | short

    @cached_property
    def common(self) -> frozenset[str]:
        """Words that are no names: before a colon they lead to what the speaker says themself."""
        topics = english().files.get("topics", {})
        told = {word for name in str(topics.get("areas", "")).split() for word in str(topics.get(name, "")).split()}
        days = {*english().weekdays, *english().months, *english().seasons}
        return frozenset(told | days | english().stop | self.lists["own_labels"]) - self.people

    @cached_property
    def people(self) -> frozenset[str]:
        """Words for kin, and for whom one has to do with."""
        return frozenset(english().relations) | self.lists["roles"] | self.lists["kin"]

    @cached_property
    def given(self) -> frozenset[str]:
        """Words with which one asks what somebody said or wrote: "say", "mail", "quoted"."""
        return (
            self.lists["saying"]
            | self.lists["media"]
            | frozenset(["say", "write", "quote", "paste", "pasted", "send", "sent"])
        )

    def speaks(self, text: str, *, of_me: bool = True) -> bool:
        """Whether a text says something of who speaks: it holds a word of the first person, in any language.

        Not `of_me`: "me" and "us" alone don't tell, for they stand in "much calmer than me", too.
        """
        small = self.lists["first_small"] | (frozenset() if of_me else {"me", "us"})
        words = [word for word in low_words(text) if word not in small or (of_me and word in text)]
        if not self.first.isdisjoint(words) or any(word.startswith(("j'", "m'")) for word in words):
            return True
        return any(letters in text for letters in self.lists["first_letters"])

    def addresses(self, text: str) -> bool:
        """Whether a text speaks to somebody, or of "the user"."""
        words = low_words(text)
        return not self.second.isdisjoint(words) or "user" in words or "user's" in words


_PHRASES = (
    "pretending", "playing", "making", "wherein", "beginnings", "dreaming", "ignoring", "forwarded", "wrote",
    "greeting", "closing", "own_phrases",
)  # fmt: skip


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """Read once. Raises OSError, tomllib.TOMLDecodeError."""
    files = [english().files["quoted"], *tomllib.loads(_TABLE.read_text(encoding="utf-8")).values()]
    names = dict.fromkeys(name for file in files for name in file)
    told = {name: [str(file[name]) for file in files if name in file] for name in names}
    phrases = {
        name: tuple(" ".join(one.split()) for one in "|".join(told.get(name, ())).split("|") if one.strip())
        for name in _PHRASES
    }
    return Vocabulary({name: frozenset(" ".join(texts).split()) for name, texts in told.items()}, phrases)


@lru_cache(maxsize=32)
def any_of(name: str) -> str:
    """A pattern for one of the phrases of a list, longest first."""
    return any_phrase(vocabulary().phrases[name])


@lru_cache(maxsize=32)
def any_word(name: str) -> str:
    """A pattern for one of the words of a list, longest first."""
    return alternatives(vocabulary().lists[name])
