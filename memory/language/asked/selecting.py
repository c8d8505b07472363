"""Which questions a SELECT helps with: those that count, list or date, where search brings what is nearest in words."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

from ...values import Moment
from ..detect import language_of
from ..language import english
from ..points import letters as re
from ..question import WHEN
from ..words import query_words
from .forms import words_of
from .periods import periods
from .telling import asks


def wants_select(query: str) -> bool:
    """Whether a question asks for a number of things, for all of them, or for what was at some time; a line that asks
    nothing wants none."""
    language = language_of(query, thorough=False)
    if not asks(query, language):
        return False
    code = language.code
    text = f" {' '.join(word.low for word in words_of(query))} "
    phrases = _data().get(code, ())
    if code == "zh":
        return any(one in query for one in phrases)
    dated = code == "en" and bool(WHEN.search(query))
    return dated or any(f" {one} " in text for one in phrases) or any(word.isdigit() for word in text.split())


_LISTING = english().alternatives("questions", "listing").replace(" ", r"\ ")
_ENDS = english().alternatives("questions", "ends").replace(" ", r"\ ")
_ROWS = re.compile(
    rf"""\b(?:how\ (?:many|often)|number\ of|counts?(?:\ of)?
    |(?:all|every|each)\ (?:of\ )?(?:the\ |my\ |our\ |your\ )?\w+
    |{_LISTING}|aren['’]t|weren['’]t|wasn['’]t
    |(?:in|of)\ (?:(?:what|which|the)\ )?order|order\ of|first\ to\ last
    |{_ENDS}
    |(?:the|was|were|my|did\ \w+\ \w+)\ (?:very\ )?(?:first|last)
    |(?:last|first|latest|recent)\ (?:one|two|three|four|five|six|\d+)|(?:two|three|four|five|six|\d+)\ (?:last|latest)
    |(?:come|came|happen(?:ed)?|\w+ed|\w+s)\ (?:first|last)|(?:first|last)(?=[?.,]*(?:\ please[.!?]*)?$)
    |which\ were|sum\ up)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Counts, lists, what is left out, order."""
_SEVERAL = re.compile(r"\b(?:which|what) (?:[\w'’-]+ ){0,3}\w+[^\Ws]s (?:did|have|has)\b", re.IGNORECASE)
"""Several things of a kind: with a period, its rows are wanted; without one search finds them as well."""
FEW = 2
"""Words of its own from which on a question with a period is left to search: "which painting did I sell in March?"."""
_PLAIN = english().words("questions", "plain")
"""Words of a question that name nothing."""
_NAMES = re.compile(r"(?<=[\w,] )[A-Z][\w’']+")
_WISHES = re.compile(
    rf"(?:please )?(?:{english().alternatives('questions', 'wishing')})\b|.*(?:\?|\bplease[.!]?)\s*$", re.I
)
"""How a line begins or ends that wants an answer."""


_HABIT = re.compile(
    r"^(?!.*\b(?:did|was|were|have|has|had|since|last|past)\b).*(?:"
    rf"\b(?:{english().alternatives('questions', 'habitual')})\b"
    rf"|\b(?:every|each) (?:other |second )?(?:{english().alternatives('questions', 'recurring')})\b"
    r"|\bdo(?:es)?\b.*\bon \w+days?\b)",
    re.I,
)
"""What asks how things are as a rule ("what do I do on Thursdays?"): one fact tells it, and no day has to fit."""


def wants_rows(query: str, now: Moment) -> bool:
    """Whether a question counts, lists or orders what was told, or asks of a period (not: when it was). English."""
    language = language_of(query, thorough=False)
    if language.code != "en" or not (_WISHES.match(query) or asks(query, language)):
        return False
    if WHEN.match(query) or _HABIT.search(query):
        return False
    if _ROWS.search(query):
        return True
    several = bool(_SEVERAL.search(query)) and bool(periods(query, now))
    return not WHEN.search(query) and (several or _telling(query, now) < FEW)


def asks_only_when(query: str, now: Moment) -> bool:
    """Whether a period is all that is told of what is wanted: "what did I do in March?"."""
    return _telling(query, now) == 0


def _telling(query: str, now: Moment) -> int:
    """How many words tell what is wanted beside a period; of a question without one, more than there can be."""
    named = periods(query, now)
    for one in named:
        query = re.sub(re.escape(one.words), " ", query, flags=re.IGNORECASE)
    words = [word for word in query_words(_NAMES.sub(" ", query)) if word not in _PLAIN]
    return len(words) if named else len(query)


@lru_cache(maxsize=1)
def _data() -> dict[str, tuple[str, ...]]:
    table = tomllib.loads((Path(__file__).parent / "selecting.toml").read_text(encoding="utf-8"))
    return {code: tuple(" ".join(one.split()) for one in text.split("|")) for code, text in table.items()}
