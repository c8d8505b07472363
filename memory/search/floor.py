"""The floor below which nothing is shown as memory: for questions, where nothing that was found answers them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..language.about_others import people
from ..language.asked.personal import named_in, personal
from ..language.asked.telling import told_part
from ..language.kinship import pattern as any_relation
from ..language.kinship import relations
from ..language.language import english
from ..language.points import letters as re
from ..language.words import tokens
from ..values import ASSISTANT
from . import evidence
from .candidates import Fact, Search
from .lines import FoundLine

_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][^\W\d_]+")
_LEANING = english().words("words", "others") | {"hers", "theirs"}
"""With these a question leans on the lines before it, which search doesn't see."""


class Judged(NamedTuple):
    """Whether what was found lies below the floor, and whether the question is about the user's own life or people."""

    below: bool = False
    personal: bool = False
    general: bool = False
    """Neither that, nor about anything of which the memory speaks: no question for a memory at all."""


def judged(
    search: Search, best: Sequence[Fact], told: Sequence[FoundLine], known: Mapping[int, Sequence[int]]
) -> Judged:
    """The judgement on a question; none on a line that tells, asks back, leans on others or isn't English."""
    question, model = search.question, evidence.load()
    leans = bool({*tokens(question.parts[-1])} & _LEANING)
    if model is None or question.language.code != "en" or question.asks_back or leans:
        return Judged()
    if search.vectors is None or told_part(question.text, english()):
        return Judged()
    if search.plain is None:  # by another encoder's cosines nothing can be judged, by names alone
        unknown = stranger(question.text, best, told)
        return Judged(unknown, unknown)
    pieces = evidence.pieces_of(search, best, told, known)
    asked = evidence.asked_of(question.text, question.asker or "", pieces)
    if stranger(question.text, best, told) or nobody_of_theirs(question.text, best, told):
        return Judged(True, True)
    if (pieces and not asked.telling) or model.logit(evidence.signs(asked, pieces)) >= model.floor:
        return Judged()  # all that was found may answer, or something does
    mine = personal(question.text, english(), _people(best, told)) is not None
    return Judged(True, mine, not mine and not evidence.speak_of(asked, pieces))


def stranger(text: str, best: Sequence[Fact], told: Sequence[FoundLine]) -> bool:
    """Whether somebody is asked of, as one asks of one's own people, whose name stands in nothing of what was found."""
    matter = personal(text, english())
    core = matter.core if matter else ""
    names = {*(matter.names if matter else ()), *named_in(core)} - english().relations.keys()
    held = {word for one in _texts(best, told) for word in tokens(one)}
    return bool(names) and all(not held & {*tokens(name)} for name in names)


def nobody_of_theirs(text: str, best: Sequence[Fact], told: Sequence[FoundLine]) -> bool:
    """Whether it asks of a mother, a son, a boss of the asker's of whom nothing that was found speaks in any word."""
    near = family_asked_of(text)
    texts = _texts(best, told) if near else []
    return bool(near) and not any(near & relations(one) or near & {*tokens(one)} for one in texts)


def family_asked_of(text: str) -> frozenset[str]:
    """The words any of which may tell of the one of the asker's kin whom a question asks of; empty: it asks of none."""
    found = _of_kin().search(text.replace("’", "'"))
    if found is None or personal(text, english()) is None:
        return frozenset()
    return family(english().relations[found["who"].lower()])


def family(who: str) -> frozenset[str]:
    """The words any of which may tell of one who is that to the asker: "son" -> son, child, boy, ..."""
    alone = frozenset({who}) if who in english().relations.values() else frozenset[str]()
    near = next((group for group in _families() if who in group), alone)
    sexes = _sexes()
    return near - next((other for one, other in (sexes, sexes[::-1]) if who in one), frozenset())


@lru_cache(maxsize=1)
def _families() -> tuple[frozenset[str], ...]:
    """Words of which any may tell of the same person, and what tells that there is one."""
    return tuple(frozenset(words.split()) for words in english().table("relations", "told_by").values())


@lru_cache(maxsize=1)
def _sexes() -> tuple[frozenset[str], ...]:
    """Who is the one isn't the other: a brother who was told of says nothing of a sister."""
    return tuple(frozenset(words.split()) for words in english().table("relations", "sexes").values())


@lru_cache(maxsize=1)
def _of_kin() -> re.Pattern[str]:
    """A question whose subject is somebody's kin: "where does my sister live", not "what do I give my sister"."""
    asks = "is|was|are|were|does|did|do|has|have|had|will|can|'s"
    return re.compile(
        rf"(?:\b|(?<=\w))(?:{asks}) (?:my|our) (?:[a-z-]+ )?(?P<who>{any_relation(english())})\b", re.IGNORECASE
    )


def _texts(best: Sequence[Fact], told: Sequence[FoundLine]) -> list[str]:
    """What was found: facts, and what people told."""
    texts = [f"{one.memory.subject} {one.memory.fact}" for one in best]
    return texts + [
        line.turn.text for line in told if line.turn.speaker != ASSISTANT and not line.turn.text.endswith("?")
    ]


def _people(best: Sequence[Fact], told: Sequence[FoundLine]) -> Collection[str]:
    """Names in what was found of the user's own, in small letters: those who may be meant."""
    texts = [(fact.memory.subject, fact.memory.fact) for fact in best]
    texts += [("", line.turn.text) for line in told if line.turn.speaker != ASSISTANT]
    named = {name for _, text in texts for name in _NAME.findall(text)}
    return {word.lower() for word in named | people(texts)} - english().stop - {""}
