"""Whether a line wishes something forgotten, in whatever words, and which facts it means.

The rules of `memory/forget/asking.py` read wishes that are said plainly; nobody can list the others ("my ex reads over
my shoulder, so the bit about Leo has to go"). Two small models (`models/embedder/cross_encoder.py`) that were trained
for it read the line: one with what was said before it, whether it is a wish, the other with each fact that search
finds near, whether that is meant (`chatmem train recall --wished`). They erase nothing: what they find is asked about.
English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ....memory.errors import ModelBroken
from ....memory.forget.asking import LONGEST_LINE
from ....memory.language.language import Language
from ....memory.language.words import sentences, tokens
from ...embedder import cross_encoder

WISHED, MEANT = "wished", "meant"
"""The adapters' names: of what tells a wish, and of what tells which facts it means."""
ASKED = "Is something to be forgotten?"
"""What a line is read with: the model was trained to read pairs."""

SHORTEST = 7
"""Words of a line that is looked at: "let us go on" and "leave it" are orders, too, and of 140 wishes three are so
short."""

_OPENER = re.compile(
    r"^\W*(?:(?:oh|and|so|well|ok|okay),? )*(?:by the way|btw|anyway|anyways|incidentally)\b[\s,:–-]*(?=\w)",
    re.IGNORECASE,
)
"""With which anything may begin: behind it the model takes talk for a wish that it reads well without."""

_OTHERS_DO = re.compile(
    r"^\W*(?:(?:oh|and|so|well|but|no|nah|honestly),? )*(?:i )?"
    r"(?:(?:just )?(?:can['’]?t|cannot|couldn['’]?t) (?:really |quite |just )?(?:see|imagine|picture)"
    r" (?:them|him|her|anyone|anybody|(?:the|my|our|that) [\w-]+|(?-i:[A-Z])[\w-]+)"
    r" (?:ever )?(?!stay|remain|stand|being|sit)\w+ing\b"
    r"|(?:doubt|(?:don['’]?t|can['’]?t) (?:think|believe|suppose|imagine|reckon))(?: that)?"
    r" (?:they|he|she|anyone|anybody|(?:the|my|our|that) [\w-]+|(?-i:[A-Z])[\w-]+)"
    r"(?:['’](?:ll|d)| will| would| can| could|(?= (?:ever )?\w+(?:s|ed)\b)) )"
    r"[^,;:.!?–]*(?:, [\w'’ ]{1,12})?[.!?… ]*$",
    re.IGNORECASE,
)
"""A line that says no more than that others won't do something: "can't see them getting it off all of us"."""
_ASKED_OF = re.compile(r"\b(?:you|your|yours|please|pls|memory|records?|files?|so|[io]n there)\b", re.IGNORECASE)

SURELY = 3.0
"""Above the bound, from which on no fact is told of a line: "I threw away all his letters" exceeds it by two."""


NAMED, FAR = 2, -5.0
"""Facts that are named where none is surely meant, and the logit from which on one is."""


class Bounds(NamedTuple):
    """Of the logits, fitted by `chatmem train recall --wished`: from `wish` on a line is one, below `talk` it surely is
    none, from `meant` on a fact is meant."""

    wish: float
    talk: float
    meant: float


class Wishes:
    """Thread-safe, as its encoders are."""

    def __init__(self, sees: cross_encoder.CrossEncoder, means: cross_encoder.CrossEncoder) -> None:
        """`sees`: tells whether a line is a wish; `means`: whether a wish means a fact. Raises ModelBroken where no
        bounds were fitted with them."""
        self._sees, self._means = sees, means
        self._last: tuple[tuple[str, str], float] = ("", ""), -np.inf
        try:
            self.bounds = Bounds(sees.head.bounds["wish"], sees.head.bounds["talk"], means.head.bounds["meant"])
        except KeyError as error:
            raise ModelBroken(
                f"{WISHED}.json or {MEANT}.json lacks {error}: run chatmem train recall --wished to its end"
            ) from error

    def is_wish(self, text: str, before: str = "", above: float = 0.0) -> bool:
        """Whether a line wishes something forgotten. `before`: the same person's line before it; `above`: how far the
        logit must exceed its bound. Raises ModelError."""
        return self._logit(text, before) >= self.bounds.wish + above

    def is_talk(self, text: str, before: str = "") -> bool:
        """Whether a line that has the words of a wish surely is none: "forget the gym tonight, I'm shattered". Raises
        ModelError."""
        logit = self._logit(text, before)
        return bool(np.isfinite(logit)) and logit < self.bounds.talk

    def _logit(self, text: str, before: str) -> float:
        """That it is a wish; minus infinity where it isn't looked at."""
        text = _OPENER.sub("", text)
        if not text.strip() or len(text) > LONGEST_LINE or (_OTHERS_DO.match(text) and not _ASKED_OF.search(text)):
            return -np.inf
        last, logit = self._last
        if last != (text, before):  # a line is looked at before its reply and after it
            logit = float(wish_logits(self._sees, [(text, before)])[0])
            self._last = (text, before), logit
        return logit

    def meant(self, text: str, facts: Sequence[str], before: str = "") -> list[int]:
        """The places of the facts that a wish means, the surest first. Raises ModelError."""
        if not facts:
            return []
        found = meant_logits(self._means, text, before, facts)
        return [int(at) for at in np.argsort(-found, kind="stable") if found[at] >= self.bounds.meant]

    def nearest(self, text: str, facts: Sequence[str], before: str = "") -> list[int]:
        """The places of the few facts that a wish comes nearest to, below the bound too: of 30 unread wishes that mean
        none by it the first is meant in 13, one of two in 19. Raises ModelError."""
        if not facts:
            return []
        found = meant_logits(self._means, text, before, facts)
        return [int(at) for at in np.argsort(-found, kind="stable")[:NAMED] if found[at] >= FAR]

    def without(self, text: str, language: Language, before: str = "", above: float = SURELY) -> str:
        """A line without its sentences that wish something forgotten, of which no fact is told where that is sure. A
        wish that stands in none of them alone leaves nothing. `above`: as of `is_wish`. Raises ModelError."""
        if not (knows(language) and self.is_wish(text, before, above)):
            return text
        said = sentences(text)
        wishes = [self.is_wish(one, last, above) for one, last in zip(said, [before, *said], strict=False)]
        return " ".join(one for one, wish in zip(said, wishes, strict=True) if not wish) if any(wishes) else ""


def wish_logits(encoder: cross_encoder.CrossEncoder, lines: Sequence[tuple[str, str]]) -> np.ndarray:
    """Of each line with the one before it that it is a wish: the mean of what it is with that line and alone. By the
    greater of the two twice as many lines of evenings are taken for one (docs/log/chat.md). Of a line below `SHORTEST`
    words minus infinity. Shape (lines,). Raises ModelError."""
    found = np.full(len(lines), -np.inf)
    if read := [at for at, (text, _) in enumerate(lines) if len(tokens(text)) >= SHORTEST]:
        found[read] = encoder.logits(ASKED, [lines[at][0] for at in read])
    if both := [at for at in read if lines[at][1]]:
        found[both] = (found[both] + encoder.logits(ASKED, [read_as(*lines[at]) for at in both])) / 2
    return found


def meant_logits(
    encoder: cross_encoder.CrossEncoder, text: str, before: str, facts: Sequence[str]
) -> np.ndarray:  # fmt: skip
    """Of each fact that a wish means it: the greater of what it is with the line before and alone. Shape (facts,).
    Raises ModelError."""
    alone = encoder.logits(text, facts)
    return np.maximum(alone, encoder.logits(read_as(text, before), facts)) if before else alone


def read_as(text: str, before: str = "") -> str:
    """A line as the model reads it, with the one before it."""
    return f"({before}) {text}" if before else text


def knows(language: Language) -> bool:
    """Whether it was trained on lines of a language."""
    return language.code == "en"


@lru_cache(maxsize=1)
def wishes() -> Wishes | None:
    """What ships; None where one of the two isn't there. Raises ModelBroken."""
    sees, means = cross_encoder.load(WISHED), cross_encoder.load(MEANT)
    return None if sees is None or means is None else Wishes(sees, means)
