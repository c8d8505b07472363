"""What of a line orders something gone: whether the wish is understood or not, no fact is told by it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from ...language.language import Language, english
from ...language.third_person import verbs
from ...language.words import alternatives, any_phrase, sentences, tokens

_REST = re.compile(r"(?:[,;:]|\s[-–—])\s+(?:(?:but|and|so|since|because) )?(?P<rest>.+)", re.DOTALL)
_SHORT = re.compile(r"(?:i|we|you|he|she|it|they)['’](?:m|s|re|ve|d|ll)\b", re.IGNORECASE)
_OF_THE_WISH = re.compile(r"(?:that|what|how|when|where|who|whom|which)\b", re.IGNORECASE)
"""With which another matter of the same wish begins: "forget that I was ill, that I lost my job"."""
_ALL_OF_IT = re.compile(r"(?:about )?(?:that|i|we|everything|all|what(?:ever)? (?:i|we))\b", re.IGNORECASE)
"""With which a wish begins that may go on to its end: "forget what I told you: I was drunk"."""
_BEFORE_NOUNS = frozenset({
    "the", "a", "an", "my", "our", "your", "his", "her", "their", "its", "all", "any", "no", "this", "these", "those",
})  # fmt: skip
_OFTEN = re.compile(r"\b(?:every|each|daily|weekly|always|often|usually|sometimes|all the time|never)\b", re.IGNORECASE)
"""What one does so is told: "forget the keys every single day"."""
_BACK = re.compile(r"\b(?:it|that|this|them)\b\W*(?:(?:please|now|again|ok|okay|thanks|thank you)\W*)*$", re.IGNORECASE)
"""With which an order means what stands before it: "Tom drinks. Erase that please."."""


def without_orders(text: str, language: Language | None = None) -> str:
    """A line without its orders to forget, and without what such an order points back to; the line itself where there
    is none."""
    language = language or english()
    if "forget" not in language.files:
        return text
    said, left = sentences(text), list[str]()
    for place, one in enumerate(said):
        matter = _ordered(one, language)
        if matter is None:
            left.append(one)
        elif _puts_right(one, said[place + 1 :], language):
            return text
        elif rest := _told_behind(matter):
            left.append(rest)
        elif _BACK.search(one):
            left = left[:-1]
    return text if left == said else " ".join(left)


def _puts_right(sentence: str, after: Sequence[str], language: Language) -> bool:
    """Whether one takes a word back and says another: "Scratch that, the dentist is on Thursday"."""
    found = re.match(
        rf"\W*(?:[\w'’]+\W+){{0,3}}?(?:{alternatives(language.files['forget']['corrects'])})\b(?P<rest>.*)",
        sentence,
        re.I | re.S,
    )
    return found is not None and bool(after or _REST.match(found["rest"]))


def _told_behind(matter: str) -> str:
    """A clause of its own behind an order, with its verb: "Berlin, Tom moved to Lisbon"; empty for none."""
    found = None if _ALL_OF_IT.match(matter) else _REST.search(matter)
    while found is not None:
        rest = found["rest"]
        if not _OF_THE_WISH.match(rest) and (_SHORT.match(rest) or has_verb(tokens(rest)[:5])):
            return rest
        found = _REST.search(matter, found.start("rest"))
    return ""


def has_verb(words: Sequence[str]) -> bool:
    """Whether a verb follows a subject among the first words: "the knee is", no "my plans and the abortion"."""
    known = verbs()
    surely = (known.verbish - known.third) | {"am"}
    return any(
        word in surely
        or (before not in _BEFORE_NOUNS and (word in known.third or (len(word) > 4 and word.endswith("ed"))))
        for before, word in pairwise(words)
    )


def _ordered(sentence: str, language: Language) -> str | None:
    """What a sentence orders gone, with what stands behind it; None where it orders nothing."""
    found = _order(language).match(sentence.replace("’", "'"))
    if found is None or _OFTEN.search(sentence):
        return None
    matter = sentence[found.end() :].strip()  # "Forget Paris is a great film"
    named = matter[:1].isupper() and not re.match(r"I\b", matter)
    return None if named and language.words("forget", "sentence") & {*tokens(matter)[:4]} else matter


@lru_cache(maxsize=4)
def _order(language: Language) -> re.Pattern[str]:
    def any_of(*names: str) -> str:
        phrases = {phrase for name in names for phrase in language.files["forget"][name]}
        return any_phrase(phrases - {"get", "take", "drop", "lose"})

    forgets = rf"(?:{any_of('wish', 'untold')})(?![\w-])(?! (?:to|how|not)\b)"
    erases = rf"(?:{any_of('erase', 'retract')})(?= (?:the|that|this|those|these|it|all|everything|what)\b)"
    return re.compile(rf"^\W*(?:(?:{any_of('before')})[\s,:!-]+)*(?:{forgets}|{erases})", re.IGNORECASE)
