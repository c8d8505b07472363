"""Trades, colours, birthdays and places that a sentence tells. English."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ..asked import expects
from ..language import english
from ..points import letters as re
from ..words import tokens
from .about import Whom
from .kinds import colours as more_colours


@lru_cache(maxsize=1)
def workers() -> frozenset[str]:
    """Who somebody is by their work."""
    told = english().words("others", "workers") | frozenset(english().table("matters", "words")["worker"].split())
    return told - english().relations.keys()


_AT_WORK = re.compile(r"\b(?:works?|worked|working) (?:as|at|in|for|on|with)\b|\b(?:job|retired|employed)\b", re.I)
_IS_A = re.compile(
    r"(?:\b(?:is|was|became|as|am)|'s|'m|,) (?:an?|now an?|still an?|only an?) ([\w-]+(?: [\w-]+)?)", re.IGNORECASE
)


@lru_cache(maxsize=1)
def _work() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('trades', 'doing')})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _endings() -> tuple[str, ...]:
    """With which words for trades end, if `_no_trades` aren't among them."""
    return english().listed("trades", "endings")


@lru_cache(maxsize=1)
def _heads() -> tuple[str, ...]:
    """With which words of two parts end that are trades."""
    return english().listed("trades", "heads")


@lru_cache(maxsize=1)
def _no_trades() -> frozenset[str]:
    return english().words("trades", "no_trades")


def jobs(sentence: str, whom: Whom) -> Iterator[str]:
    """What tells of their work; of the asker's own no mere deed."""
    yield from (found[0].lower() for found in (_AT_WORK if whom.me else _work()).finditer(sentence))
    yield from (word for word in tokens(sentence) if word in workers() or word.rstrip("s") in workers())
    if not whom.me:
        yield from (
            said for found in _IS_A.finditer(sentence) if not {*(said := found[1].lower()).split()} & _no_trades()
        )
    yield from (word for word in tokens(sentence) if word.endswith(_endings() + _heads()) and word not in _no_trades())


def is_trade(part: str) -> bool:
    """Whether words without a verb name who somebody is by their work: "retired stationmaster", "a nurse in Lund"."""
    head = re.split(r"\b(?:in|at|from|of|for|on|with|and|near|who)\b", part, maxsplit=1)[0]
    words = tokens(head)
    known = {*words[-1:], *(word for word in words if word in ("retired", "student", "apprentice", "freelance"))}
    return any(word in workers() or (word.endswith(_endings()) and word not in _no_trades()) or word.endswith(_heads())
               or word in ("retired", "freelance") for word in known)  # fmt: skip


def colours(sentence: str, whom: Whom) -> Iterator[str]:
    """The colours."""
    words = expects.words_in(sentence)
    yield from (words[at].lower() for at in expects.answers_at("colour", words, ()))
    yield from (
        word for word in tokens(sentence) if word.endswith(("ish", "coloured", "colored")) or word in more_colours()
    )


_BIRTH = re.compile(r"\b(?:birthday|born|birth|bday|b-day|turn(?:s|ed|ing)?)\b", re.IGNORECASE)


def births(sentence: str, whom: Whom) -> Iterator[str]:
    """The days of a birthday."""
    if _BIRTH.search(sentence):
        words = expects.words_in(sentence)
        yield from (words[at].lower() for at in expects.answers_at("time", words, ()) if not _CODE.match(words[at]))


_CODE = re.compile(r"0\d{3}|\d{5,}|[3-9]\d{2,}$")
_IN = re.compile(r"\b(?:in|at|to|near|from|of|for) (?P<where>[A-Z]\w+)")


def _is_time(word: str) -> bool:
    return word.lower() in english().months or word.lower() in english().weekdays


def plainly_living(text: str) -> str:
    """The text with "lives in" for "is based in", "relocated to", "is a resident of": whoever asks where somebody lives
    asks for that. "Based" alone, as a question has it at its end, is "live"."""
    return _dwelling().sub(lambda found: "lives in" if found["where"] else "live", text)


@lru_cache(maxsize=1)
def _dwelling() -> re.Pattern[str]:
    words = "|".join(english().listed("matters", "dwelling"))
    return re.compile(
        rf"\b(?:(?:am|is|are|was|were) (?:now )?)?(?:an? )?(?:{words})(?: (?:down|over|permanently))?"
        r"(?:(?P<where> (?:in|to|of|at|near)\b)|(?=\W*$))", re.IGNORECASE,
    )  # fmt: skip


@lru_cache(maxsize=1)
def _lives() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('matters', 'living')})\b", re.IGNORECASE)


def homes(sentence: str, whom: Whom) -> Iterator[str]:
    """What tells of a home; of the asker no mere place."""
    yield from (found[0].lower() for found in _lives().finditer(sentence))
    if not whom.me:
        yield from (found[0].lower() for found in _IN.finditer(sentence) if not _is_time(found["where"]))


def places(sentence: str, whom: Whom) -> Iterator[str]:
    """Places, and what tells of some."""
    for found in _AT.finditer(sentence):
        if not _is_time(found["where"]):
            yield found[0].lower()


_AT = re.compile(r"\b(?:in|at|for|on|near|with|from|works?) (?!me\b|him\b|her\b|\d)(?P<where>\w+)", re.IGNORECASE)
