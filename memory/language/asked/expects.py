"""What kind of answer a question wants (a number, a time, a name, ...), and where in a text one stands.

"How old is Leo?" wants a number, and "Leo starts school in May" holds none: whatever is near to a question in words and
meaning, without the right kind of word it answers nothing. English; a question of another kind is open to any answer.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path

from ..language import english
from ..words import tokens

OPEN = "open"
"""The kind of a question that any words may answer."""
KINDS = ("number", "time", "reason", "name", "person", "job", "place", "colour")
_WORD = re.compile(r"[^\W_]+(?:['’.,:-][^\W_]+)*")


def kind_of(question: str) -> str:
    """One of `KINDS`, or `OPEN`."""
    low = f" {' '.join(word.lower() for word in _WORD.findall(question.replace('’', chr(39))))} "
    asks = _data()["asks"]
    for kind in KINDS:
        if any(f" {phrase} " in low for phrase in asks[kind]):
            return kind
    return OPEN


def generic() -> frozenset[str]:
    """Words that say which kind of answer is wanted, and nothing of what it is about."""
    return frozenset(_data()["generic"]["words"])


def words_in(text: str) -> list[str]:
    """The words of a text as they stand there."""
    return _WORD.findall(text)


def answers_at(kind: str, words: list[str], asked: Collection[str]) -> list[int]:
    """The places of the words that may be an answer of this kind; none of those that were `asked`."""
    return [place for place, word in enumerate(words) if _is_answer(kind, word, place, asked)]


def _is_answer(kind: str, word: str, place: int, asked: Collection[str]) -> bool:
    low = word.lower().replace("’", "'")
    bare = low.split("'")[0]
    listed = _data()["answers"].get(kind, ())
    if kind == "number":
        return word[0].isdigit() or bare in english().numbers or bare in listed
    if kind == "time":
        return word[0].isdigit() or bare in _times()
    if kind in ("name", "person"):
        named = word[0].isupper() and place > 0 and bare not in asked and bare not in english().stop
        return named or low in _data()["answers"]["name"] or (
            kind == "person" and bare in english().relations and bare not in asked
        )  # fmt: skip
    if kind == "job":
        return bare in listed or bare in english().words("others", "workers")
    return bare in listed if kind != OPEN else bare not in asked and bare not in english().stop


def numbers(text: str, *, ordinals: bool = False) -> set[str]:
    """The numbers of a text as digits, also those in words; "the 7th" only as one of `ordinals`."""
    found: list[int] = []
    run = False
    for word in re.findall(r"[^\W_]+", text.lower()):
        value = english().numbers.get(word, _LARGE.get(word))
        digits = re.match(r"(\d+)(st|nd|rd|th)?", word)
        if value is None:
            run = False
            found += [int(digits[1])] if digits and (ordinals or not digits[2]) else []
        elif run and word in _LARGE:
            found[-1] *= value
        elif run and found[-1] >= 20 > value and found[-1] % 10 == 0:
            found[-1] += value
        else:
            found, run = [*found, value], True
    return set(map(str, found))


def of_time() -> frozenset[str]:
    """Words of days, months, seasons and the like."""
    return _times()


_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}


def days(text: str) -> set[str]:
    """The months and days of the week that stand in a text."""
    language, words = english(), tokens(text)
    return {str((kind, names[word])) for kind, names in (("m", language.months), ("d", language.weekdays))
            for word in words if word in names and not (word in ("may", "sun") and word not in text)}  # fmt: skip


@lru_cache(maxsize=1)
def _times() -> frozenset[str]:
    language = english()
    known = {*language.weekdays, *language.months, *language.seasons, *language.feasts}
    return language.words("dates", "time_words") | known


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    table = tomllib.loads((Path(__file__).parent / "expects.toml").read_text(encoding="utf-8"))["en"]
    return {
        "asks": {kind: tuple(" ".join(one.split()) for one in text.split("|")) for kind, text in table["asks"].items()},
        "answers": {kind: tuple(text.split()) for kind, text in table["answers"].items()},
        "generic": {"words": tuple(table["generic"]["words"].split())},
    }
