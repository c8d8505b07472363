"""Lines typed in a hurry, read out: "what do i do 4 work" as "what do i do for work".

Their models and searches know few of these abbreviations. English; the line that is kept stays as it was typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ..language import Language, english
from ..points import letters as re
from ..third_person import verbs
from ..words import alternatives, calmed

_EDGE = r"(?<![\w'’./@#&-])", r"(?![\w'’/@#-]|\.\w)"
"""No part of a longer word, an address or a number."""


def typed_out(text: str, language: Language | None = None) -> str:
    """The text with its abbreviations as words; a text without any comes back as it is."""
    language = language or english()
    if not language.claims:
        return text
    text = calmed(text)
    words, marks = language.table("texting", "words"), language.table("texting", "marks")
    closing = language.table("texting", "closing")

    def said(found: re.Match[str]) -> str:
        low = found[0].lower()
        initials = found[0] not in (low, low.capitalize()) or (len(low) < 3 and found[0] != low)  # "BC", "U of T"
        return found[0] if initials else _like(str(words[found[0].lower()]), found[0])

    text = _before_an_hour(language).sub(
        lambda found: _day(found[0], language), _pattern(language, "words").sub(said, text)
    )
    if text != text.lower() and not _mostly_small(text):
        return text

    def meant(found: re.Match[str]) -> str:
        return str(marks[found[0]]) if _is_word(found, language) else found[0]

    return _closing(language).sub(lambda found: str(closing[found[0]]), _pattern(language, "marks").sub(meant, text))


def _day(short: str, language: Language) -> str:
    """A day of the week in full: of "tue" a model makes a Tuesday that no line holds."""
    number = language.short_weekdays[short.lower()]
    return next((day.capitalize() for day, other in language.weekdays.items() if other == number), short)


@lru_cache(maxsize=4)
def _before_an_hour(language: Language) -> re.Pattern[str]:
    """A day of the week cut short: before an hour alone, for "sat" and "sun" are words, too."""
    days = alternatives(language.short_weekdays)
    hour = r"\d{1,2}(?:[.:]\d\d|(?:[.:]\d\d)? ?[ap]\.?m\b)"
    return re.compile(rf"{_EDGE[0]}(?:{days})(?=,? (?:at |from )?{hour})" if days else r"(?!)", re.IGNORECASE)


def _is_word(found: re.Match[str], language: Language) -> bool:
    """Whether a letter or digit between two words stands for a word."""
    before = re.search(r"([\w'’]+)[ ,]*$", found.string[: found.start()])
    after = re.match(r" +([\w'’]+)", found.string[found.end() :])
    if after is None:
        return False
    if not found[0].isdigit():
        return before is not None or found[0] in "rn"
    if before is None or before[1].lower() in str(language.table("texting", "numbers")["before"]).split():
        return False
    then = after[1].lower()
    follows = str(language.table("texting", "follows")[found[0]]).split()
    return not before[1][-1].isdigit() and (then in follows or (found[0] == "2" and then in verbs().base))


def _mostly_small(text: str) -> bool:
    """Whether no sentence but a name or two begins with a capital: "saving 4 a trip with Jeroen"."""
    return not text[:1].isupper() and not re.search(r"[.!?] +[A-Z]|\bI\b", text)


def _like(word: str, typed: str) -> str:
    return word[:1].upper() + word[1:] if typed[:1].isupper() and not typed[:1].isdigit() else word


@lru_cache(maxsize=4)
def _closing(language: Language) -> re.Pattern[str]:
    """Abbreviations that end a clause, and are no noun there."""
    short = "|".join(map(re.escape, language.table("texting", "closing")))
    return re.compile(
        rf"(?<=\w )(?<!\ban )(?<!\ba )(?<!\bthe )(?<!\bas )(?:{short})(?=\W*$|[,.!;])" if short else r"(?!)"
    )


@lru_cache(maxsize=8)
def _pattern(language: Language, table: str) -> re.Pattern[str]:
    found: Mapping[str, object] = language.table("texting", table)
    short = alternatives(found)
    flags = re.IGNORECASE if table == "words" else 0
    return re.compile(rf"{_EDGE[0]}(?:{short}){_EDGE[1]}" if short else r"(?!)", flags)
