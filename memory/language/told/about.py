"""Of whom a sentence speaks, as far as a question asks of them: by name, as kin, as a thing, or as "she" who was named.

English.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..kinship import relations
from ..language import english
from ..points import letters as re
from ..words import sentences, stem, tokens

LEANING = re.compile(
    rf"^\W*(?:(?:{english().alternatives('openings', 'leaning')}),? )*(?:he|hes|she|shes|they|theyre|it|his|"
    r"her|their|its|that|this|both|mine|hers|theirs|name is|named|called)\b",
    re.IGNORECASE,
)
"""What goes on from the sentence before."""
_GOES_ON = re.compile(r"^\W*and\b.*\b(?:he|she|they|it|his|her)\b.*\?$", re.IGNORECASE)
_HYPHENED = re.compile(r"\w+(?:-\w+)+")
_BY_LAW = re.compile(r"\b\w+-in-law\b", re.IGNORECASE)
_LAW = re.compile(r"\b(mother|father|sister|brother|son|daughter|parents)s?[ -]in[ -]law\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][^\W\d_]+")
_FIRST = re.compile(r"\b(?:i|i'm|im|i've|ive|my|we|we're|our|me)\b", re.IGNORECASE)
_POINTING = frozenset(["he", "she", "him", "her", "hers", "his", "they", "them", "their", "theirs", "it", "its"])
LEANT = "\v"
"""Before a text that goes on with "she" from what isn't there."""


@dataclass(frozen=True, slots=True)
class Whom:
    """Who or what is asked of, by any word that speaks of them, in small letters: `names` they go by, `kin` they are
    (`roles`: where no other name stands), stems of `things`; `owner`: the names of whose it is, `mine`: the asker's;
    `me`: the asker is asked of, by the name that facts have; `asker`: that name."""

    names: frozenset[str] = frozenset()
    kin: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    owner: frozenset[str] = frozenset()
    me: str = ""
    mine: bool = False
    asker: str = "user"

    def in_(self, sentence: str) -> bool:
        """Whether a sentence speaks of them."""
        words = [*tokens(sentence), *(one.lower() for one in _HYPHENED.findall(sentence))]
        if self.me:
            return bool(_FIRST.search(sentence)) or bool({*words[:1]} & {*self.me.split()})
        stems = {*words, *map(stem, words)}
        sentence = _BY_LAW.sub("", sentence)
        if self.names & stems or self.things & stems or self.kin & (relations(sentence) | stems):
            return True
        others = {one.lower() for one in _NAME.findall(sentence)} - {*self.asker.split(), "user"} - english().stop
        return bool(self.roles & relations(sentence)) and not others


def _of_somebody(sentence: str) -> bool:
    """Whether a sentence names anybody, so that "he" in the next one may be another."""
    common = english().stop | english().words("forget", "common")
    return bool(relations(sentence)) or any(one.lower() not in common for one in _NAME.findall(sentence))


def goes_on(sentence: str) -> bool:
    """Whether a sentence is understood with what stands before it alone: it begins so, or has a "he" or an "it" and
    names nobody."""
    if LEANING.match(sentence):
        return True
    return bool({*tokens(sentence)} & _POINTING) and not _of_somebody(sentence)


def told_sentences(text: str) -> list[str]:
    """The sentences of what was told."""
    plain = _LAW.sub(r"\1-in-law", text.strip(LEANT).replace("’", "'"))
    return sentences(plain)


def spoken(whom: Whom, text: str) -> Iterator[str]:
    """The sentences of a text that speak of them, and those after these that go on with "she"."""
    near, owned, before = text.startswith(LEANT), not whom.owner, False
    asked = False
    for sentence in told_sentences(text):
        owned = owned or bool(whom.owner & {*tokens(sentence)})
        goes_on = asked or bool(LEANING.match(sentence) or _GOES_ON.match(sentence))
        spoken_of = whom.in_(sentence) or (not whom.me and (near or before) and goes_on)
        before = near and not spoken_of and not _of_somebody(sentence)
        near, asked = spoken_of, sentence.endswith("?")  # what follows a question of one's own may answer it
        if owned and near and not asked:
            yield sentence
