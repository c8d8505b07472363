"""A wish not to have something kept, in careful words: "I would rather you did not hold on to my address"; and one in
easy words: "can you lose the dentist thing"."""

from __future__ import annotations

import re
from functools import lru_cache

from ...language.language import Language

_RATHER = r"\bI(?:'d| would) (?:much )?(?:rather|prefer)(?: it if)? you (?:didn't|did not|not to)"


def plainly_put(text: str, language: Language) -> str:
    """The line with the plain verb that the wishes go by. What else one may "keep" or "hold on to" (a hand, a brother
    waiting, a bike in the hall) is no matter of a memory: of these verbs only what one knows of somebody counts; and of
    "lose" and "drop" only what is called a thing or a story, where it is asked of the one who listens."""
    lose, ours = _lost(language)
    text = lose.sub(lambda found: found[0] if ours.search(text[: found.start()]) else "erase", text)
    for pattern, plain in _patterns(language):
        text = pattern.sub(plain, text)
    return text


@lru_cache(maxsize=8)
def _patterns(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    known = "|".join(language.listed("forget", "known_of_one"))
    after = "|".join(map(re.escape, language.files["forget"]["after"]))
    ends = rf"(?:[\s,]+(?:{after}))*\s*(?:[.!?;]|$)"
    datum = rf"(?=\s+my\s+(?:[\w'-]+\s+){{0,2}}(?:{known}){ends})"
    rules = (
        (rf"{_RATHER} (?=(?:know|remember)\b|keep (?:that|this|it)\W*$)", "I'd rather you didn't "),
        (rf"{_RATHER} (?:keep|store|save|record|(?:hold|hang) on to)\b{datum}", "I'd rather you didn't keep"),
        (rf"\b(?P<no>do not|please not) (?:hold|hang) on to\b{datum}", r"\g<no> keep"),
    )
    return tuple((re.compile(rule, re.IGNORECASE), plain) for rule, plain in rules)


@lru_cache(maxsize=8)
def _lost(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The verb before what is called a thing, and is nobody's ("my mum's note" lies in a drawer); and who else may do
    it than the one who listens: "can we scrap the Paris thing" is of a plan."""
    sorts = "|".join(language.listed("forget", "lost_sorts"))
    lose = "|".join(map(re.escape, language.files["forget"]["lose"]))
    after = "|".join(map(re.escape, language.files["forget"]["after"]))
    what = rf"\s+(?:the|that|this|my|our)\s+(?:(?![\w-]*(?:'s|s')\s)[\w'-]+\s+){{1,4}}?(?:{sorts})"
    closed = r"(?:[.!?,;:(–—]|$)|\s+-\s|\s+because\b"
    rule = rf"\b(?:{lose})(?={what}(?:(?:[\s,]+(?:{after}))*\s*{closed}))"
    ours = rf"\b(?:{'|'.join(map(re.escape, language.files['forget']['lose_ours']))})\b[^.!?;:,]*$"
    return re.compile(rule, re.IGNORECASE), re.compile(ours, re.IGNORECASE)
