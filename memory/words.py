"""Words as search sees them: lower case, without accents, stemmed as FTS5's `porter unicode61` does."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|\n+")
LONGEST = 40  # a "word" beyond this is a link or noise, and slow to stem


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP = _set(
    "a about above after again against all am an and any are aren as at be because been before being below between "
    "both but by can couldn could d did didn do does doesn doing don down during each few for from further had hadn "
    "has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just "
    "ll m me might more most must my myself needn no nor not now o of off on once only or other our ours ourselves "
    "out over own re s same shall shan she should shouldn so some such t than that the their theirs them themselves "
    "then there these they this those through to too under until up ve very was wasn we were weren what when where "
    "which while who whom why will with won would wouldn you your yours yourself yourselves im ive youre"
)
"""Function words of English: they stand in most lines and tell nothing about any."""
FILLER = _set(
    "remember recall time talk talked talking tell told say said saying mention mentioned hey hi hello thing one last "
    "chat chatted discuss discussed discussing conversation know please"
)
"""Words that people wrap a question in ("remember that time we talked about ..."); dropped from queries only."""


def plain(text: str) -> str:
    """Lower case without accents, as FTS5's tokenizer with remove_diacritics=2."""
    if text.isascii():
        return text.lower()
    return "".join(c for c in unicodedata.normalize("NFKD", text).lower() if not unicodedata.combining(c))


def tokens(text: str) -> list[str]:
    """The words of a text in order, lower case, not stemmed."""
    return _WORD.findall(plain(text))


@lru_cache(maxsize=16_384)
def terms(text: str) -> tuple[str, ...]:
    """The stems of the words that carry meaning, in order. Kept, since the same lines compete for many questions."""
    return tuple([stem(word) for word in tokens(text) if word not in STOP])


def query_words(text: str) -> list[str]:
    """The different words to look for, in order: what the question is about; a bare question keeps its filler."""
    words = [word for word in dict.fromkeys(tokens(text)) if word not in STOP and len(word) <= LONGEST]
    return [word for word in words if word not in FILLER] or words


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Porter's stem (Porter 1980), as FTS5 applies it to the index: words of one or two letters stay."""
    return str(_porter().stemWord(word)) if 2 < len(word) <= LONGEST else word


@lru_cache(maxsize=1)
def _porter() -> Any:
    import Stemmer

    return Stemmer.Stemmer("porter")


def sentences(text: str) -> list[str]:
    """The text cut after . ! ? and at line ends; never empty pieces."""
    return [piece for piece in (part.strip() for part in _SENTENCE.split(text)) if piece]
