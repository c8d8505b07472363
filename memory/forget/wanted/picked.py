"""Which of what was shown an answer picks: "yes, but only the credit card", "not the second one", "just #12"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from ...language.language import english
from ...language.sentences import content
from ...values import Memory
from ..telling import count_of

LONGEST_ANSWER = 200
"""Letters of a line that is looked at as an answer."""
_NUMBER = re.compile(r"#?(\d+)\b")


def picked(answer: str, shown: Sequence[Memory]) -> tuple[int, ...] | None:
    """The ids of the facts that shall go by an answer to "erase this?"; None where it says nothing of that, picks none
    of them, or all. `shown`: in the order in which they were."""
    if len(answer) > LONGEST_ANSWER or len(shown) < 2:
        return None
    goes: list[int] | None = None
    stays: list[int] = []
    for kind, words in _said(answer):
        named = _named(words, shown)
        if kind == "only":
            goes = [*(goes or []), *named]
        else:
            stays += named
    if goes == [] or (goes is None and not stays):
        return None
    left = tuple(one.id for one in shown if (goes is None or one.id in goes) and one.id not in stays)
    return left if 0 < len(left) < len(shown) else None


def _said(answer: str) -> list[tuple[str, str]]:
    """What an answer names as going alone ("only") or as staying ("but"), in its words; nothing where it doesn't begin
    with the one or the other, behind a yes or no at most."""
    text = answer.strip().replace("’", "'")
    begun = _answer().match(text)
    rest = text[begun.end() :] if begun else text
    marks = [(one.start(), one.end(), one.lastgroup or "") for one in _mark().finditer(rest)]
    ends = [(one.start(), one.end()) for one in _stays().finditer(rest)]
    if not marks or marks[0][0] != 0:
        whole = _stays().search(rest)
        return [("but", rest[: whole.start()])] if begun and whole else []
    found = [(kind, rest[end:start]) for (_, end, kind), (start, _, _) in pairwise([*marks, (len(rest), 0, "")])]
    return [piece for kind, words in found for piece in _apart(kind, words, bool(ends))]


def _apart(kind: str, words: str, some_stay: bool) -> list[tuple[str, str]]:
    """A part whose second half says of itself that it stays: "only the card, the loan must stay"."""
    if not some_stay or not (said := _stays().search(words)):
        return [(kind, words)]
    head, _, tail = words[: said.start()].rpartition(",")
    return [(kind, head), ("but", tail)] if head.strip() else [("but", tail)]


def _named(words: str, shown: Sequence[Memory]) -> list[int]:
    """The ids of the facts that words name: by number, by their place, or by most of their words."""
    ids = {one.id for one in shown}
    if numbers := [int(one) for one in _NUMBER.findall(words) if int(one) in ids]:
        return numbers
    places = [*_listed("places")[: len(shown)]]
    if at := [places.index(word) for word in map(_bare, words.lower().split()) if word in places]:
        return [shown[place].id for place in at]
    wanted = content(words)
    counts = [count_of(f"{one.topic} {one.fact}", wanted) for one in shown] if wanted else []
    most = max(counts, default=0)
    return [one.id for one, count in zip(shown, counts, strict=False) if most and count == most]


def _bare(word: str) -> str:
    return word.strip(".,;:!?")


@lru_cache(maxsize=1)
def _answer() -> re.Pattern[str]:
    return re.compile(rf"(?:(?:{_any('answers')})\b[\s,.!;:–—-]*)+(?:but\b\s*)?", re.IGNORECASE)


@lru_cache(maxsize=1)
def _mark() -> re.Pattern[str]:
    but, only = _any("picking_out"), _any("picking")
    return re.compile(rf"[\s,;.–—-]*\b(?:(?P<but>{but})|(?P<only>{only}))\b(?=\W)", re.IGNORECASE)


@lru_cache(maxsize=1)
def _stays() -> re.Pattern[str]:
    return re.compile(rf"\s+(?:{_any('staying')})\b", re.IGNORECASE)


def _any(name: str) -> str:
    return "|".join(re.escape(one) for one in sorted(_listed(name), key=len, reverse=True))


def _listed(name: str) -> list[str]:
    found: list[str] = english().files["forget"][name]
    return found
