"""What of a line orders something gone: whether the wish is understood or not, no fact is told by it."""

from __future__ import annotations

import re
from functools import lru_cache

from ...language.language import Language, english
from ...language.words import sentences, tokens

_REST = re.compile(
    r"(?:[,;]|\s[-–—])\s+(?=(?:(?:but|and|so|since|because) )?(?:i|we|my|our|it|he|she|they)\b)", re.IGNORECASE
)
"""Before what is told behind an order: "forget Berlin, we're going to Lisbon"."""
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
    for one in said:
        if not _orders(one, language):
            left.append(one)
        elif rest := _REST.search(one):
            left.append(one[rest.end() :])
        elif _BACK.search(one):
            left = left[:-1]
    return text if left == said else " ".join(left)


def _orders(sentence: str, language: Language) -> bool:
    found = _order(language).match(sentence.replace("’", "'"))
    if found is None or _OFTEN.search(sentence):
        return False
    matter = sentence[found.end() :].strip()  # "Forget Paris is a great film"
    return not (matter[:1].isupper() and language.words("forget", "sentence") & {*tokens(matter)[:4]})


@lru_cache(maxsize=4)
def _order(language: Language) -> re.Pattern[str]:
    def any_of(*names: str) -> str:
        phrases = {phrase for name in names for phrase in language.files["forget"][name]}
        ordered = sorted(phrases - {"get", "take", "drop", "lose"}, key=len, reverse=True)
        return "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in ordered)

    forgets = rf"(?:{any_of('wish', 'untold')})(?![\w-])(?! (?:to|how|not)\b)"
    erases = rf"(?:{any_of('erase', 'retract')})(?= (?:the|that|this|those|these|it|all|everything|what)\b)"
    return re.compile(rf"^\W*(?:(?:{any_of('before')})[\s,:!-]+)*(?:{forgets}|{erases})", re.IGNORECASE)
