"""Where a point ends no sentence: "Dr. Holm retired" is one, "I live in St. Ives. It rains" are two.

A text is cut by patterns, so the points that end nothing are hidden before and shown again after: `parted` does both.
By rule and not by a trained splitter: in a chat most lines have one to three sentences, capitals and points are often
missing, and what decides is whether a word of the list stands before the point and what begins after it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

HIDDEN = "\ue001"
"""Stands for a point that ends no sentence; one character, so that all places stay."""
_POINT = re.compile(r"(?P<word>[^\s\"“”„(]*)\.(?=[\"'”’)]*\s+(?P<after>\S+))")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_MARKS = "\"'“”„‚‘’()[].,;:!?*"
_NEW = re.compile(r"(?:^|[.!?…\n])[\s\"'“”)]*$")
_SMALL = re.compile(r"i(?:t?$|')")
"""What begins a sentence in small letters, too."""
_FRONT = 4
"""Words of a time that stands first: "at around 3 p.m."."""


def parted(pattern: re.Pattern[str], text: str) -> list[str]:
    """The text cut by a pattern that knows sentences by their points, as `re.split` does it."""
    masked = hidden(text)
    return pattern.split(text) if masked == text else [shown(part) for part in pattern.split(masked)]


def shown(part: str) -> str:
    """A part of a hidden text with its points."""
    return part and part.replace(HIDDEN, ".")


def hidden(text: str) -> str:
    """The text with `HIDDEN` in the place of each point that ends no sentence; as long as before."""
    if (". " not in text and not re.search(r"\.[\"'”’)]*\s", text)) or HIDDEN in text:
        return text
    letters = list(text)
    for found in _POINT.finditer(text):
        if goes_on(found["word"].lstrip(_MARKS), text[: found.start()], found["after"]):
            letters[found.end() - 1] = HIDDEN
    return "".join(letters)


def goes_on(word: str, before: str, after: str) -> bool:
    """Whether a sentence goes on behind a point: `word` stands right before it, `after` is the next word."""
    if not word:
        return False
    low, then = word.lower(), after.strip(_MARKS).lower().replace("’", "'")
    begins = _has("starters", then) and (after.lstrip(_MARKS)[:1].isupper() or bool(_SMALL.match(then)))
    if _has("leading", low) or f"{low}.{then}" in _lists()["pairs"]:
        return True
    if _has("titles", word) or _has("small", word):
        return not begins
    if _has("numbered", low) and after[:1].isdigit():
        return not _NEW.search(before)
    if word.isdigit():
        return len(word) < 3 and _counts(before, then)
    if len(word) == 1:
        return word.isupper() and word != "I" and not begins and _initial(before)
    return _within(low, before, after, then, begins)


def _within(low: str, before: str, after: str, then: str, begins: bool) -> bool:
    """The same for words that may also end a sentence."""
    hour, acronym = _has("hours", low), bool(_ACRONYM.fullmatch(low))
    listed = hour or acronym or _has("ending", low) or _has("suffixes", low)
    measured = _has("measures", low) and re.search(r"\d\s*$", before) is not None
    if begins or not (listed or measured):
        return False
    if not after.lstrip(_MARKS)[:1].isupper() or _has("calendar", then):
        return True
    if hour or _has("ending", low) or measured:
        words = re.split(r"[.!?\n]\s", before)[-1].lower().split()
        return hour and bool(words) and len(words) < _FRONT and _has("fronted", words[0])
    return True


def _counts(before: str, then: str) -> bool:
    """Whether a number before a point counts: "am 3. Mai", "im 3. Stock"."""
    words = before.lower().split()
    return _has("calendar", then) or (bool(words) and _has("ordinal", words[-1]) and not _has("starters", then))


def _initial(before: str) -> bool:
    """Whether a single capital is an initial, by the word before it: none that has letters for names ("vitamin C")."""
    words = before.split()
    return not (words and _has("lettered", words[-1].lower().strip(_MARKS)))


def _has(name: str, word: str) -> bool:
    return word in _lists()[name]


@lru_cache(maxsize=1)
def _lists() -> Mapping[str, frozenset[str]]:
    table = tomllib.loads((Path(__file__).parent / "abbreviations.toml").read_text(encoding="utf-8"))
    return {name: frozenset(text.split()) for name, text in table.items()}
