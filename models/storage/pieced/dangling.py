"""Facts with a word for something that they don't name: "Ana gave it up when Paul came"."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ....memory.language.facts.matters import parts
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.third_person import verbs

_POINTS = re.compile(
    r"\b(?:it|them|him|these|those|(?:the|an)(?: new| old)? ?(?:other )?ones?)\b(?!['’]s)|\bthat\b(?=$|[.,]| \w+ed\b)",
    re.IGNORECASE,
)
_BOUND = re.compile(r"[,;:]|\b(?:and|but|because|when|if|so|while|who|which|that|since|until|as|than)\b")

_DOES = re.compile(r"[\w'’-]+(?: (?:to|with|for|at|on|of|from|by|in|about|up))? $")
"""The verb that has it for its object, known or not."""


def dangles(fact: str, speaker: str) -> bool:
    """Whether before such a word a fact names nothing that it can stand for: who does something with it isn't it."""
    found = _POINTS.search(fact)
    if found is None:
        return False
    begin = parts(fact)[0].begin
    before = _DOES.sub("", fact[: found.start()]) if found.start() > begin else fact[: found.start()]
    clause = max((one.end() for one in _BOUND.finditer(before) if one.end() > begin), default=None)
    if clause is None:
        return not any(_named(before[begin:]))
    own = {speaker.lower(), "user"}
    subject = (word for word in _named(before[:begin]) if word.removesuffix("'s") not in own)
    return not any(subject) and not any(_named(before[begin:]))


def _named(text: str) -> Iterator[str]:
    """The words of a text that may name something."""
    for word in re.findall(r"[\w'’-]+", text.lower().replace("’", "'")):
        if word not in _names_nothing() and not word.endswith(("ing", "ly")):
            yield word


@lru_cache(maxsize=1)
def _names_nothing() -> frozenset[str]:
    known = verbs()
    does = known.third | known.past | known.base | known.modals | known.adverbs | known.finite
    return does | english().stop | english().calendar
