"""Words as search sees them: lower case, without accents, stemmed as FTS5's `porter unicode61` does.

All texts are cut and stemmed in one way, whatever their language: a word must come out of a question as it went into
the index. Scripts without spaces are cut into letters and pairs of letters, as Lucene's CJKBigramFilter does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from .language import Language, english
from .points.abbreviated import parted

_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"[^\W_][\w'’-]*(?:[.,:]\d+)*")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|\n+|(?<=[。！？])(?=[^\s\"'”’)」』])")
_SINGLE = "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
_SINGLE += "\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
"""Chinese, Japanese, Korean: one letter may be a word."""
_PAIRED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese, Khmer: a letter alone tells no more than one of ours."""
_UNSPACED = re.compile(f"[{_SINGLE}]+|[{_PAIRED}]+")
_FIRST_PAIRED, _LAST_PAIRED = "\u0e00", "\u17ff"
LONGEST = 40  # a "word" beyond this is a link or noise, and slow to stem


def plain(text: str) -> str:
    """Lower case without accents, as FTS5's tokenizer with remove_diacritics=2."""
    if text.isascii():
        return text.lower()
    bare = "".join(c for c in unicodedata.normalize("NFKD", text).lower() if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", bare)  # syllables of Korean come apart above, and aren't accents


def spaced(text: str) -> str:
    """The text with spaces where its words begin and end: what the index is given. Others come back unchanged.

    A run of letters of a script without spaces becomes its pairs of letters, and where one letter may be a word its
    single letters too, so that "我养了两只猫" is found by "猫".
    """
    return text if text.isascii() or not is_unspaced(text) else _UNSPACED.sub(_pieces, text)


def is_unspaced(text: str) -> bool:
    """Whether some of the text is in a script without spaces between words."""
    return bool(_UNSPACED.search(text))


def _pieces(run: re.Match[str]) -> str:
    letters = "".join(_WORD.findall(plain(run[0])))  # signs above and below letters would part words in the index
    pairs = [letters[at : at + 2] for at in range(len(letters) - 1)]
    single = list(letters) if len(letters) == 1 or not _FIRST_PAIRED <= run[0][0] <= _LAST_PAIRED else []
    return f" {' '.join([*single, *pairs])} "


def tokens(text: str) -> list[str]:
    """The words of a text in order, lower case, not stemmed."""
    return _WORD.findall(plain(spaced(text)))


def alternatives(words: Iterable[str]) -> str:
    """The words as alternatives of a regular expression, the longest first: "car" would hide "caravan"."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def any_phrase(texts: Iterable[str]) -> str:
    """Phrases as alternatives, the longest first: between their words any white space may stand."""
    return "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in sorted(texts, key=len, reverse=True))


def word_count(text: str) -> int:
    """How many words a text has, as they take room in a prompt; of scripts without spaces two letters count as one."""
    if text.isascii() or not is_unspaced(text):
        return len(text.split())
    return len(_UNSPACED.sub(" ", text).split()) + sum((len(run) + 1) // 2 for run in _UNSPACED.findall(text))


@lru_cache(maxsize=16_384)
def terms(text: str) -> tuple[str, ...]:
    """The stems of the words that carry meaning, in order. Kept, since the same lines compete for many questions."""
    stop = english().stop
    return tuple([stem(word) for word in tokens(text) if word not in stop])


def query_words(text: str, language: Language | None = None) -> list[str]:
    """The different words to look for, in order: what the question is about; a bare question keeps its filler.

    `language`: that of the question (English where it isn't known): "die" is a word of English, and none of German.
    """
    language = language or english()
    words = [word for word in dict.fromkeys(tokens(text)) if word not in language.stop and len(word) <= LONGEST]
    return [word for word in words if word not in language.filler] or words


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Porter's stem (Porter 1980), as FTS5 applies it to the index: words of one or two letters stay."""
    return str(_porter().stemWord(word)) if 2 < len(word) <= LONGEST else word


@lru_cache(maxsize=1)
def _porter() -> Any:
    import Stemmer

    return Stemmer.Stemmer("porter")


def sentences(text: str) -> list[str]:
    """The text cut after . ! ? and at line ends, but not behind "Dr." and the like; never empty pieces."""
    return [piece for piece in (part.strip() for part in parted(_SENTENCE, text)) if piece]


SHOUTED = 4
"""Words from which on a line all in capitals is one, and no name or initials."""


def calmed(text: str) -> str:
    """A line that is typed all in capitals, in small letters; others as they are. A small model takes each word of it
    for a name."""
    words = re.findall(r"[^\W\d_]{2,}", text)
    return text.lower() if len(words) >= SHOUTED and text == text.upper() and text != text.lower() else text


def content(text: str, subject: str = "") -> frozenset[str]:
    """The stems of the words that carry meaning, number words as digits, without the subject's own name."""
    names = set(terms(subject))
    return frozenset(_figure(word) for word in _stems(text) if word not in names)


def _stems(text: str) -> Iterable[str]:
    return (stem(_figure(word)) for word in tokens(text) if word not in english().stop)


def _figure(word: str) -> str:
    """A number word in figures; any other word as it is."""
    number = english().numbers.get(word)
    return word if number is None else str(number)


def details(text: str, subject: str = "") -> frozenset[str]:
    """Names (capitals inside a sentence) and numbers, lower case, without the subject's own name."""
    own, found = set(tokens(subject)), set()
    for sentence in sentences(text):
        for place, match in enumerate(_NAME.finditer(sentence)):
            word = match.group()
            low = re.sub(r"['’]s$", "", word.lower())
            if (not word.isalpha() and any(letter.isdigit() for letter in word)) or low in english().numbers:
                found.add(_figure(low))
            elif place and word[0].isupper() and low not in english().stop and low not in own:
                found.add(low)
    return frozenset(found)


def lost(facts: Iterable[str], kept: Iterable[str], subject: str = "") -> frozenset[str]:
    """The content of `facts` that stands nowhere in `kept` (a new wording and the lines that it comes from)."""
    there = frozenset[str]().union(*(content(text) for text in kept))
    return frozenset[str]().union(*(content(fact, subject) for fact in facts)) - there
