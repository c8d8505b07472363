"""Names in a reply, spelled as they were told: a small model writes "Gravz" after "my sister lives in Graz"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher

from ....memory.language.points import letters as re
from ...lm import Chunk

_NAME = re.compile(r"\b[A-Z][^\W\d_]{3,}")
_BEGUN = re.compile(r"[^\W\d_]+$")
"""A word that may go on in the next piece."""
NEAR = 0.8
"""How much of two names must be the same: twice the letters they share, of all their letters."""


def spelled(reply: Iterator[Chunk], line: str) -> Iterator[Chunk]:
    """The reply with each name that is nearly one of the line, and none of its words, as the line has it."""
    names, words = {*_NAME.findall(line)}, {word.lower() for word in re.findall(r"[^\W\d_]+", line)}
    if not names:
        yield from reply
        return

    def mended(found: re.Match[str]) -> str:
        return found[0] if found[0].lower() in words else _nearest(found[0], names)

    begun = ""
    for chunk in reply:
        text = begun + chunk.text
        begun = "" if chunk.finish or not (rest := _BEGUN.search(text)) else rest[0]
        whole = text.removesuffix(begun) if begun else text
        yield replace(chunk, text=_NAME.sub(mended, whole))
    if begun:
        yield Chunk(_NAME.sub(mended, begun))


def _nearest(word: str, names: set[str]) -> str:
    """The name that a word is a slip of; the word itself where there is none. "Croatian" is no slip of "Croatia"."""
    low = word.lower()
    near = [(SequenceMatcher(None, low, name.lower()).ratio(), name) for name in sorted(names)]
    share, name = max(near)
    return name if share >= NEAR and not low.startswith(name.lower()) and not name.lower().startswith(low) else word
