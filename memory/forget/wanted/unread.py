"""Lines that ask to forget something in words that nobody understood: a reply must not say that it was done."""

from __future__ import annotations

import re
from functools import lru_cache

from ...language.asked.telling import asks
from ...language.language import Language, english
from ...language.words import any_phrase, content, sentences, stem
from ..orders.lot import names_a_lot

_IDIOM = re.compile(
    r"\bforget (?:about )?(?:it|that)\b[,;]? (?!please|thanks|thank|ok|okay|now|all|again|that)\w", re.IGNORECASE
)
""" "Forget it, we'll take the train"."""


_ORDERS = (
    r" (?:(?:the|all|your|my|any|about) )*(?:previous|above|earlier|last) "
    r"(?:instructions?|prompts?|rules|questions?|requests?)"
)
"""What somebody wants done, and not what the memory holds."""


def seems_to_wish(text: str, language: Language | None = None) -> bool:
    """Whether a line that was read as no wish to forget begins as one, or names the memory that something is to go
    from."""
    language = language or english()
    if "forget" not in language.files:
        return False
    if _IDIOM.search(text):
        return False
    if names_a_lot(text, language):
        return not asks(text, language)
    said = sentences(text)
    wishes = [one for one in said if _begins(language).match(one) or _of_memory(language).search(one)]
    others = [one for one in said if one not in wishes]
    return bool(wishes) and not any(asks(one, language) for one in others) and not all(map(_goes_on, wishes))


def _goes_on(wish: str) -> bool:
    """Whether something else is told or asked behind it: "forget the budget, what's a good hotel in Rome?"; a reason
    ("I was drunk") isn't."""
    _, _, rest = wish.partition(", ")
    return len(rest.split()) >= FEW and not _REASON.match(rest)


FEW = 3
"""Words of what goes on by itself."""
_REASON = re.compile(
    r"(?:please|thanks|thank you|because|since|as|so|it|that|this|and|i)\b|(?:it|that|i)['’]", re.IGNORECASE
)


def is_vague(words: str) -> bool:
    """Whether words name only how much or when: "the last three things I told you"."""
    idle = {stem(word) for name in ("how_much", "nothing") for word in english().words("forget", name)}
    return all(word in idle or word.isdigit() for word in content(words))


@lru_cache(maxsize=4)
def _begins(language: Language) -> re.Pattern[str]:
    before = _any(language, "before")
    all_of = r"(?:it|that|this|all|everything)(?=\W*$|,? (?:please|thanks|from|out|i|we|about)\b)"
    told = r"what (?:i|we)(?:['’]ve)? (?:just )?(?:told|said|mentioned|shared|gave)"
    time = r"the (?:past|last) (?:\w+ )?(?:hours?|minutes?|days?|weeks?)"
    what = rf"(?:{all_of}|{told}|{time}|the slate)"
    forgets = rf"(?:forgett?|unlearn|un-?remember)(?![\w-])(?! (?:to|how|not)\b)(?!{_ORDERS})"
    erases = rf"(?:erase|delete|wipe|scrub|scratch|strike) {what}\b"
    return re.compile(rf"^\W*(?:(?:{before})[\s,:!-]+)*(?:{forgets}|{erases})", re.IGNORECASE)


@lru_cache(maxsize=4)
def _of_memory(language: Language) -> re.Pattern[str]:
    takes = r"\b(?:take|wipe|left|leave|get|strike|want)\b[^.;!?]* "
    keeps = r"\b(?:you mustn't|you must not|please don't|don't you dare) (?:keep|remember|store|bring up|mention) "
    memory = rf"(?=(?:from|out|off) )(?:{_any(language, 'memory')})(?=\W*$|,)"
    return re.compile(rf"{takes}{memory}|{keeps}(?:what|that|anything|any of)\b", re.IGNORECASE)


def _any(language: Language, name: str) -> str:
    return any_phrase(language.files["forget"][name])
