"""Orders to forget "all of it" or "everything" beside something else: they mean what the line names, never the whole
memory. "The thing with my knee, forget everything" is a wish about the knee."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...language.language import Language, english
from ...language.words import alternatives, sentences, tokens
from .ordered import has_verb

LONGEST = 300
"""Letters of a sentence that may hold such an order."""
SAYS = re.compile(r"\b(?:sa(?:id|ys?|ying)|t(?:old|ells?) \w+|asks?|asked|was like|thinks?|thought)$", re.IGNORECASE)
"""Before a wish that is somebody else's."""
_SIGNS = " .!?,;:-–—"
_CUT = r"(?:\s*[,;:.!?…]+\s*|\s+[-–—]+\s+|\s*[–—]+\s*)"
_SHORT = re.compile(r"\w+['’](?:m|re|ve|d|ll)\b|(?:it|that|he|she|there)['’]s\b", re.IGNORECASE)
_PRONOUNS = frozenset({"you", "he", "she", "they", "it", "we", "i", "there"})


@dataclass(frozen=True, slots=True)
class Lot:
    """An order to forget all of something that it doesn't name, as it was said. `beside`: what else the line says,
    empty where that is nothing; `sure`: it is said so that it is a wish whatever the memory holds."""

    beside: str
    sure: bool
    said: str


def lot_of(spoken: Sequence[str], language: Language, *, whatever_stays: bool = False) -> Lot | None:
    """The order that one of a line's sentences holds; None where none does, where it is quoted, and (unless
    `whatever_stays`) where what stands beside it is to stay: "forget everything, except my dog"."""
    for place, one in enumerate(spoken):
        found = _order(language).match(one.replace("’", "'")) if len(one) <= LONGEST else None
        if found is None or SAYS.search((found["head"] or "").rstrip(_SIGNS)):
            continue
        around = (*spoken[:place], found["head"] or "", found["tail"] or "", *spoken[place + 1 :])
        sure = found["wish"] is not None or found["memory"] is not None
        parts = [part.strip(_SIGNS) for part in around]
        if not whatever_stays and any(_keeps(language).match(part) for part in parts):
            return None
        beside = ", ".join(part for part in parts if part and not _says_nothing(part, language))
        return Lot(beside, sure, found["order"])
    return None


def names_a_lot(text: str, language: Language | None = None) -> bool:
    """Whether a line orders all of something gone, whatever else it says."""
    language = language or english()
    return "forget" in language.files and lot_of(sentences(text), language, whatever_stays=True) is not None


def matter_of(beside: str, language: Language) -> str:
    """The matter that stands beside such an order, without what leads to it ("and", "the thing with"); empty where it
    is a sentence of its own: nobody can say what "I'm leaving, forget everything" means."""
    words = _leading(language).sub("", beside.replace("’", "'")).strip(_SIGNS)
    words = _behind(language).sub("", words).strip(_SIGNS)
    said = tokens(words)
    if not {*said} - {*language.files["forget"]["answers"]}:  # "yes, forget everything" answers something
        return ""
    of_its_own = said[0] in _PRONOUNS or _SHORT.match(words)
    if of_its_own or has_verb(said) or language.words("forget", "sentence") & {*said}:
        return ""
    return words


@lru_cache(maxsize=4)
def _order(language: Language) -> re.Pattern[str]:
    of_it = rf"(?:\s+(?:{_any(language, 'concerning')})\s+(?:it|that|this|them|these|those|him|her)\b)?"
    memory = rf"(?P<memory>\s+(?:{_any(language, 'memory')}))?"
    order = (
        rf"(?:(?:{_any(language, 'before')})[\s,:!-]+)*"
        rf"(?:(?P<wish>{_any(language, 'wish')})|{_any(language, 'erase')})\s+(?:{_any(language, 'lot')})"
        rf"(?:\s+(?:{_any(language, 'known')}))?{of_it}{memory}(?:[\s,.]+(?:{_any(language, 'after')}))*"
    )
    return re.compile(
        rf"^\W*(?:(?P<head>.+?){_CUT})??(?P<order>{order})(?:{_CUT}(?P<tail>\w.*))?\W*$", re.IGNORECASE | re.DOTALL
    )


@lru_cache(maxsize=4)
def _keeps(language: Language) -> re.Pattern[str]:
    led = rf"(?:(?:{_any(language, 'before', 'lot_but')})\W+)*"
    return re.compile(rf"^\W*{led}(?:{_any(language, 'excepting', 'lot_kept')})", re.IGNORECASE)


def _says_nothing(part: str, language: Language) -> bool:
    """Whether a part is only polite, greets, or says the same once more: "seriously", "i mean everything"."""
    again = language.words("forget", "lot_again") | {
        word for one in language.files["forget"]["lot"] for word in tokens(one)
    }
    return _polite(language).match(part) is not None or {*tokens(part)} <= again


@lru_cache(maxsize=4)
def _polite(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?:(?:{_any(language, 'before', 'after')})\W*)+$", re.IGNORECASE)


@lru_cache(maxsize=4)
def _leading(language: Language) -> re.Pattern[str]:
    """What stands before the matter: "and", "as for", "that thing about", "everything with"."""
    held = (
        rf"(?:(?:{alternatives(language.words('forget', 'held_before'))})\s+)+"
        rf"(?:{alternatives(language.words('forget', 'held'))})\s+(?:{_any(language, 'held_after')})"
    )
    known = rf"(?:\s+(?:{_any(language, 'known')}))?"
    about = rf"(?:{_any(language, 'everything')}){known}\s+(?:{_any(language, 'concerning')})"
    led = rf"(?:{_any(language, 'before', 'topic', 'lot_of', 'told')}|{held}|{about})"
    return re.compile(rf"^\W*(?:{led}(?![\w'-])[\s,:-]+)+", re.IGNORECASE)


@lru_cache(maxsize=4)
def _behind(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?:[\s,]+(?:{_any(language, 'after', 'lot_meant')}))+$", re.IGNORECASE)


def _any(language: Language, *names: str) -> str:
    phrases = {phrase for name in names for phrase in language.files["forget"][name]}
    ordered = sorted(phrases, key=len, reverse=True)
    return "|".join(re.escape(one).replace(r"\ ", r"\s+") + r"(?![\w-])" for one in ordered)
