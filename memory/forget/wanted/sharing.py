"""Which facts may be offered for a wish in words of its own that says of what it is: that calls it a thing of some
sort, or speaks of what was said about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ...language.language import english
from ...language.points import letters as re
from ...language.words import alternatives, details, stem, tokens
from ...values import Memory
from ..telling import words_of

_NO_NAME = frozenset(["it", "that", "this", "them", "these", "those"])
_SAYS_AFTER = re.compile(r":\s*\w")
"""Behind a colon the matter itself is told."""
_NAME_BEHIND = re.compile(r"[a-z,]\s+[A-Z]\w")
"""A name inside of a sentence."""
_MINE = re.compile(r"\b(?:what |all )?(?:that )?I\b(?:['’]\w+)?", re.IGNORECASE)
"""Who said it: before the matter this names nothing."""


def sharing(wish: str, facts: Sequence[Memory]) -> list[Memory]:
    """Those of the facts that a wish may mean: where all it names is "the dentist thing" or what was "said about Greg",
    and facts have a rare word of it, those; all where none has, which may tell it in other words, where it is named by
    words that stand everywhere, or where the wish names more."""
    named = _named(wish.replace("’", "'"))
    shared = [one for one in facts if named & _telling(f"{one.subject} {one.topic} {one.fact}")] if named else []
    return shared or list(facts)


_BEHIND = re.compile(r"\b(?:with|about|of|on|regarding|concerning|between|and) ([A-Z][\w-]*)")


def names_other(wish: str, last: str) -> bool:
    """Whether a wish names somebody or something of which the line before has no word: then it doesn't mean that line,
    though it says "that" ("that thing with Emil should go")."""
    said = wish.replace("’", "'")
    matters = [*(matter for _, _, matter in _spans(said)), *(found["named"] for found in _with().finditer(said))]
    behind = [
        text for text in _BEHIND.findall(said) if details(text)
    ]  # "thanks", "OK" and who is spoken to name nothing
    named = frozenset[str]().union(*map(_telling, [*matters, *behind]))
    return bool(named) and named.isdisjoint(stem(word) for word in tokens(last))


def _named(wish: str) -> frozenset[str]:
    """The rare words of the one thing that a wish names; none where it names something beside it."""
    spans = sorted(_spans(wish))
    spans = [one for at, one in enumerate(spans) if not at or one[0] >= spans[at - 1][1]]  # "about the dentist thing"
    if len(spans) != 1:
        return frozenset()
    begin, end, matter = spans[0]
    before, behind = _MINE.sub(" ", wish[:begin]), wish[end:]
    if _more().search(f"{before} . {behind}") or _SAYS_AFTER.search(behind) or _NAME_BEHIND.search(behind):
        return frozenset()
    return _telling(matter)


def _telling(text: str) -> frozenset[str]:
    """The stems of names and rare words."""
    return frozenset(stem(word) for word in words_of([f"x {text}"]).strong)


def _spans(wish: str) -> Iterator[tuple[int, int, str]]:
    """Where a wish says of what it is, and the words with which it names that."""
    for found in _things().finditer(wish):
        yield found.start(), found.end(), found["named"]
    for found in _said_of().finditer(wish):
        ends = _ends().search(wish, found.end())
        end = ends.start() if ends else len(wish)
        matter = wish[found.end() : end].split()
        if matter and matter[0].lower() not in _NO_NAME:
            yield found.start(), end, " ".join(matter)


@lru_cache(maxsize=1)
def _things() -> re.Pattern[str]:
    sorts = alternatives(english().words("forget", "sorts"))
    return re.compile(rf"\b(?:the|that|this|my|our)\s+(?P<named>(?:[\w'-]+\s+){{1,3}}?)(?:{sorts})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _with() -> re.Pattern[str]:
    """Behind "the thing" and its like, what it is of: "that business with the mafia"."""
    sorts = alternatives(english().words("forget", "sorts") | english().words("forget", "held"))
    of = "with|about|of|on|around|regarding|concerning"
    return re.compile(rf"\b(?:{sorts}) (?:{of}) (?P<named>[^,.;:!?()–—]{{1,40}})", re.IGNORECASE)


@lru_cache(maxsize=1)
def _said_of() -> re.Pattern[str]:
    """Behind this stands of what one said something: "worried about" and "talk about" are of nothing that was told."""
    return re.compile(rf"\b(?:{alternatives(english().files['forget']['said_of'])}) about\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _ends() -> re.Pattern[str]:
    words = alternatives(english().words("forget", "said_of_ends"))
    return re.compile(rf"[,.;:!?()–—]|\s-\s|\b(?:{words})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _more() -> re.Pattern[str]:
    return re.compile(rf"(?<!['\w])(?:{alternatives(english().words('forget', 'names_more'))})(?!['\w])", re.IGNORECASE)
