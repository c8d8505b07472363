"""Which of what was shown an answer picks: "yes, but only the credit card", "not the second one", "just #12".

All of the answer must be understood, and each thing that it names be held whole by a fact that was shown: "just talked
to Felix about it" is talk, though a fact of Felix was shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from ...language.language import english
from ...language.words import alternatives, content
from ...values import Memory

LONGEST_ANSWER = 200
"""Letters of a line that is looked at as an answer."""
_NUMBER = re.compile(r"#?(\d+)")
_NEXT_SENTENCE = re.compile(r"[.!;\n]\s*\S")
_AND = re.compile(r"\s+(?:and|or|plus)\s+(?:also\s+)?", re.IGNORECASE)
_LED = re.compile(r"^(?:(?:and|also|plus)\s+)+", re.IGNORECASE)
_ONE = re.compile(r"(?:the\s+)?(\w+)(?:\s+(?:one|fact|row))?", re.IGNORECASE)
"""What is named by its place."""


class _Named(NamedTuple):
    """What shall go alone ("only") or stay ("but"), in words."""

    kind: Literal["only", "but"]
    words: str


def picked(answer: str, shown: Sequence[Memory]) -> tuple[int, ...] | None:
    """The ids of the facts that shall go by an answer to "erase this?"; None where it says nothing of that, or it isn't
    understood whole, or it picks none of them, or all. `shown`: in the order in which they were."""
    if len(answer) > LONGEST_ANSWER or len(shown) < 2 or "?" in answer:
        return None
    said = _said(answer.strip().replace("’", "'"))
    found = {kind: [_held(one.words, shown) for one in said or () if one.kind == kind] for kind in ("only", "but")}
    if not said or not all(ids for some in found.values() for ids in some):
        return None
    goes, stays = ({key for ids in found[kind] for key in ids} for kind in ("only", "but"))
    left = tuple(one.id for one in shown if (one.id in goes or not goes) and one.id not in stays)
    return left if 0 < len(left) < len(shown) else None


def _said(text: str) -> list[_Named] | None:
    """What an answer names, piece by piece; None where some of it is of another form."""
    begun = _answer().match(text)
    rest = _end().sub("", text[begun.end() :] if begun else text)
    found: list[_Named] = []
    for clause in () if _NEXT_SENTENCE.search(rest) else rest.split(","):
        made = list(_clause(_LED.sub("", clause.strip()), found[-1].kind if found else "", bare=begun is not None))
        if not made:
            return None
        found += made
    return found or None


def _clause(clause: str, last: str, *, bare: bool) -> Iterator[_Named]:
    """What a part between commas names. `last`: the kind of the part before; `bare`: behind a yes or a no."""
    if (stays := _stays().search(clause)) and (bare or last):
        yield from (_Named("but", one) for one in _items(clause[: stays.start()]))
        return
    mark = _mark().match(clause)
    if mark is None:
        yield from (_Named("only", one) for one in _items(clause) if last == "only")
        return
    kind: Literal["only", "but"] = "only" if mark["only"] else "but"
    words, other, instead = clause[mark.end() :].partition(" but ")
    if other and kind == "only":
        return
    yield from (_Named(kind, one) for one in _items(words))
    yield from (_Named("only", one) for one in _items(instead) if other)  # "not the card but the loan"


def _items(words: str) -> list[str]:
    return [one for one in map(str.strip, _AND.split(words)) if one]


def _held(words: str, shown: Sequence[Memory]) -> list[int]:
    """The ids of the facts that one thing names: by its number, by its place, or by words that they hold all."""
    ids = [one.id for one in shown]
    if (number := _NUMBER.fullmatch(words)) and int(number[1]) in ids:
        return [int(number[1])]
    places = [*_listed("places")[: len(shown)]]
    if (place := _ONE.fullmatch(words)) and place[1].lower() in places:
        return [ids[places.index(place[1].lower())]]
    wanted = content(words)
    return [one.id for one in shown if wanted and wanted <= content(f"{one.topic} {one.fact}")]


@lru_cache(maxsize=1)
def _answer() -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?:{_any('answers')})\b[\s,.!;:–—-]*)+(?:but\b\s*(?=(?:{_any('picking')})\b))?", re.IGNORECASE
    )


@lru_cache(maxsize=1)
def _mark() -> re.Pattern[str]:
    out, only = _any("picking_out"), _any("picking")
    return re.compile(rf"(?:(?P<but>{out})|(?P<only>{only}))\s+(?!(?:{only})\b)", re.IGNORECASE)


@lru_cache(maxsize=1)
def _stays() -> re.Pattern[str]:
    return re.compile(rf"\s+(?:{_any('staying')})$", re.IGNORECASE)


@lru_cache(maxsize=1)
def _end() -> re.Pattern[str]:
    return re.compile(rf"(?:[\s,.!]+(?:{_any('after')}))*[\s.!]*$", re.IGNORECASE)


def _any(name: str) -> str:
    return alternatives(_listed(name))


def _listed(name: str) -> list[str]:
    found: list[str] = english().files["forget"][name]
    return found
