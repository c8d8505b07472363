"""A wish to forget, said in plain words: "please forget my locker number", "forget everything about Tom".

Only a wish at the beginning of a line's first or last sentence counts, so that "I'll never forget that", "don't forget
to call" and "I forgot my keys" are talk. The words are in the language's `forget.toml`; without it nothing is wished.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ..language.language import Language, english
from ..language.words import query_words, sentences, tokens

LONGEST_WISH = 300
"""Letters of a sentence that may be a wish: what is longer was pasted, or is talk."""
LONGEST_LINE = 2_000
"""Letters of a line that is looked at for a wish."""
LONGEST_NAME = 4
"""Words of a matter that begins with no "my", "the", "that" or "about": a name, not a sentence."""
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|‘[^’]*’(?!\w)|(?<!\w)'[^']*'(?!\w)")
Kind = Literal["matter", "about", "last", "whole"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be forgotten: a `matter` in `words`, all that names `words` (`about`), the `last` line, or the `whole`
    memory. `alone`: the line says nothing else."""

    kind: Kind
    words: str = ""
    alone: bool = True


def wish_of(text: str, language: Language | None = None) -> Wish | None:
    """The wish to forget that a line holds, or None."""
    language = language or english()
    rules = _rules(language)
    if rules is None or len(text) > LONGEST_LINE:
        return None
    parts = sentences(_QUOTED.sub(lambda quoted: "_" * len(quoted.group()), text.replace("’", "'")))
    spoken = [part for part in parts if not rules.polite(part)]
    for part in spoken[:1] + spoken[1:][-1:]:
        found = rules.wish(part)
        if found is not None:
            return Wish(found.kind, found.words, alone=len(spoken) == 1)
    return None


class _Rules:
    """One language's wishes, made of its lists."""

    def __init__(self, language: Language) -> None:
        self._language = language
        table = language.files["forget"]
        one = {name: _any(table.get(name, ())) for name in (
            "before", "wish", "within", "memory", "everything", "known", "concerning", "told", "after",
        )}  # fmt: skip
        before = rf"^\W*(?:{one['before']}[\s,:!-]+)*"
        self._polite = re.compile(rf"^\W*(?:(?:{one['before']}|{one['after']})[\s,.!?]*)+$", re.IGNORECASE)
        self._wish = re.compile(rf"{before}(?:{one['wish']})(?![\w-])\s*(?P<matter>.*)$", re.IGNORECASE)
        self._within = re.compile(
            rf"{before}(?:{one['within']})\s+(?P<matter>.+?)\s+{one['memory']}\b", re.IGNORECASE
        )  # fmt: skip
        self._after = re.compile(rf"(?:[\s,]+{one['after']})+$", re.IGNORECASE)
        self._memory = re.compile(rf"\s+{one['memory']}$", re.IGNORECASE)
        self._about = re.compile(
            rf"^{one['everything']}(?:\s+{one['known']})?\s+{one['concerning']}\s+(?P<name>.+)$", re.IGNORECASE
        )
        self._told = re.compile(rf"^{one['told']}\s+(?=\S)", re.IGNORECASE)
        self._last = {tuple(tokens(phrase)) for phrase in table.get("last", ())}
        self._whole = {tuple(tokens(phrase)) for phrase in table.get("whole", ())}

    def polite(self, sentence: str) -> bool:
        """Whether a sentence only leads to a wish, or thanks for it."""
        return bool(self._polite.match(sentence))

    def wish(self, sentence: str) -> Wish | None:
        if len(sentence) > LONGEST_WISH:
            return None
        match = self._wish.match(sentence) or self._within.match(sentence)
        if match is None:
            return None
        matter = self._after.sub("", match["matter"].strip(" .!?,;:"))
        matter = self._memory.sub("", matter).strip(" .!?,;:")
        if tuple(tokens(matter)) in self._whole:
            return Wish("whole")
        if tuple(tokens(matter)) in self._last:
            return Wish("last")
        if about := self._about.match(matter):
            return self._named("about", about["name"])
        bare = self._told.sub("", matter)
        if bare == matter and not self._determined(matter):
            named = all(word[0].isupper() for word in matter.split())
            return self._named("about" if named else "matter", matter) if self._is_name(matter) else None
        return self._named("matter", bare)

    def _named(self, kind: Kind, words: str) -> Wish | None:
        """The wish, if there is something in its words to look for."""
        said = tokens(words)
        vague = self._language.words("forget", "nothing")
        if not said or all(word in vague for word in said) or said[0] == "to":
            return None
        told = [word for word in query_words(words, self._language) if word not in vague]
        stop = self._language.stop | self._language.filler
        return Wish(kind, words) if [word for word in told if word not in stop] else None

    def _determined(self, matter: str) -> bool:
        """Whether the matter begins as a thing does: "my number", "the trip", "Tom's birthday", "I hate flying"."""
        first = (matter.split() or [""])[0].lower()
        return first in self._language.words("forget", "determined") or first.endswith(("'s", "s'"))

    def _is_name(self, matter: str) -> bool:
        said = tokens(matter)
        vague, verbs = self._language.words("forget", "nothing"), self._language.words("forget", "sentence")
        return 0 < len(said) <= LONGEST_NAME and said[0] not in vague and not verbs & set(said)


@lru_cache(maxsize=8)
def _rules(language: Language) -> _Rules | None:
    return _Rules(language) if language.claims and "forget" in language.files else None


def _any(phrases: Iterable[str]) -> str:
    """A pattern for any of the phrases, the longest first."""
    ordered = sorted(phrases, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(phrase).replace(r"\ ", r"\s+") + r"\b" for phrase in ordered) + ")"
