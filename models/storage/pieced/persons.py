"""Whether a fact says of one what its line says of another: of "I got a message from mum. Dad has a bad cold" that the
mother has one, of "they go to her parents" that they are the speaker's.

Who stands before a word in the line and in the fact are held against each other. Of facts where they aren't the same
.83 aren't told and .13 are (77 of 2,937 judged facts; docs/log/storage.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ....memory.language.kinship import relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.words import stem
from ..told.fidelity import alike, names
from .breaks import END, SELF, laid

_THEY = frozenset({"he", "she", "him", "her", "hi", "his", "they", "them", "their"})
"""Somebody else by a pronoun, as stems."""
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w-]*\w")


def of_somebody_else(fact: str, line: str, speaker: str) -> bool:
    """Whether wherever the line has a word that follows somebody in the fact, somebody else stands before it there."""
    return _exchanged(fact, line, speaker) or _another(fact, line, speaker)


def _exchanged(fact: str, line: str, speaker: str) -> bool:
    """Whether the speaker stands where the line has "he" or "they" ("User's parents" of "her parents"), or, in a fact
    about somebody else, one of these where it has the speaker ("Tom drives when he is on nights" of "when I am")."""
    told, said = _marked(fact, speaker), _marked(line, speaker)
    others = not re.match(rf"(?:{re.escape(speaker)}|User) ", fact) and (names(fact) - {speaker} or relations(fact))

    def is_exchanged(at: int) -> bool:
        who = [said[place] for place in _same_way(told, at, said) if said[place] in (SELF, "they")]
        return bool(who) and told[at] not in who

    return any(is_exchanged(at) for at, one in enumerate(told) if one == SELF or (one == "they" and others))


def _same_way(told: Sequence[str], at: int, said: Sequence[str]) -> Iterator[int]:
    """Where what was said goes on as the fact does behind `at`, with the word before it, or one more behind, alike."""
    following = told[at + 1 : at + 3]
    if not following or following[0] in (END, SELF, "they"):
        return
    for place in range(len(said) - 1):
        if said[place + 1] == following[0]:
            before = at > 0 and place > 0 and told[at - 1] == said[place - 1]
            if before or (len(following) > 1 and following[1] != END and following == said[place + 1 : place + 3]):
                yield place


def _another(fact: str, line: str, speaker: str) -> bool:
    """Whether of one person or relation is told what the line tells of another: "mum has it" of "Dad has it"."""
    told, said = _marked(fact, speaker), _marked(line, speaker)
    people = _people(fact, speaker) | _people(line, speaker)

    def is_one_of_two(words: Sequence[str], at: int) -> bool:
        both = at > 0 and words[at - 1] in people
        return both and (words[at - 1] in _kin()) == (words[at] in _kin())  # "papa Luis" is one

    def is_another(at: int) -> bool:
        after = told[at + 1 : at + 2]
        if told[at] not in people or not after or after[0] in people or after[0] in (END, SELF, "they"):
            return False
        if is_one_of_two(told, at):
            return False  # "mum and dad" of "my parents"
        places = [place for place in range(len(said) - 1) if said[place + 1] == after[0]]
        told_of = {*told[: at + 1]} - {SELF}
        return (
            bool(places)
            and all(
                said[place] in people
                and not is_one_of_two(said, place)  # "parents" of "mum and dad"
                and not told_of & {*_together(said[max(0, place - 2) : place + 1])}
                for place in places
            )
        )

    return any(is_another(at) for at in range(len(told) - 1))


def _together(words: Sequence[str]) -> Sequence[str]:
    """The last of the words that stand in one sentence."""
    return words[max((at + 1 for at, word in enumerate(words) if word == END), default=0) :]


def _marked(text: str, speaker: str) -> list[str]:
    return ["they" if word in _THEY else word for word in laid(text, speaker)]


def _people(text: str, speaker: str) -> frozenset[str]:
    """Words for somebody, as stems: relations, and what is written like a name, days and months aside."""
    named = {stem(one.lower()) for one in _NAME.findall(alike(text))} - _calendar()
    return frozenset(named | _kin()) - {stem(speaker.lower()), "user", SELF}


@lru_cache(maxsize=1)
def _kin() -> frozenset[str]:
    known = english().relations
    return frozenset(stem(one) for one in (*known, *known.values()))


@lru_cache(maxsize=1)
def _calendar() -> frozenset[str]:
    return frozenset(stem(one) for one in english().calendar)
