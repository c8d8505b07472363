"""Lines typed in a hurry, read out: "what do i do 4 work" as "what do i do for work".

Their models and searches know few of these abbreviations. English; the line that is kept stays as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from ..language import Language, english

_EDGE = r"(?<![\w'’./@#&-])", r"(?![\w'’/@#-]|\.\w)"
"""No part of a longer word, an address or a number."""


def typed_out(text: str, language: Language | None = None) -> str:
    """The text with its abbreviations as words; a text without any comes back as it is."""
    language = language or english()
    if not language.claims:
        return text
    words, marks = language.table("texting", "words"), language.table("texting", "marks")

    def said(found: re.Match[str]) -> str:
        initials = len(found[0]) < 3 and found[0] != found[0].lower()  # "BC" is a province, "U of T" a school
        return found[0] if initials else _like(str(words[found[0].lower()]), found[0])

    text = _pattern(language, "words").sub(said, text)
    if text != text.lower() and not _mostly_small(text):
        return text

    def meant(found: re.Match[str]) -> str:
        return str(marks[found[0]]) if _is_word(found, language) else found[0]

    return _pattern(language, "marks").sub(meant, text)


def _is_word(found: re.Match[str], language: Language) -> bool:
    """Whether a letter or digit between two words stands for a word."""
    before = re.search(r"([\w'’]+)[ ,]*$", found.string[: found.start()])
    after = re.match(r" +([\w'’]+)", found.string[found.end() :])
    if after is None:
        return False
    if not found[0].isdigit():
        return before is not None or found[0] in "rn"
    if before is None:
        return False
    first, then = before[1].lower(), after[1].lower()
    counted = language.table("texting", "numbers")
    number = first in str(counted["before"]).split() or first[-1:].isdigit() or then in str(counted["after"]).split()
    plural = then.endswith("s") and not then.endswith(("ss", "us", "is")) and then not in ("his", "has")
    return not (number or plural or then[0].isdigit())


def _mostly_small(text: str) -> bool:
    """Whether no sentence but a name or two begins with a capital: "saving 4 a trip with Jeroen"."""
    return not text[:1].isupper() and not re.search(r"[.!?] +[A-Z]|\bI\b", text)


def _like(word: str, typed: str) -> str:
    return word[:1].upper() + word[1:] if typed[:1].isupper() and not typed[:1].isdigit() else word


@lru_cache(maxsize=8)
def _pattern(language: Language, table: str) -> re.Pattern[str]:
    found: Mapping[str, object] = language.table("texting", table)
    short = "|".join(sorted(map(re.escape, found), key=len, reverse=True))
    flags = re.IGNORECASE if table == "words" else 0
    return re.compile(rf"{_EDGE[0]}(?:{short}){_EDGE[1]}" if short else r"(?!)", flags)
