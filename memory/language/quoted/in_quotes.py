"""What somebody told, kept in their own words: `Ana said: "Forty days without a cigarette."`; and what they said of it
later, behind that: `Ana said: "The audit is on Thursday, Leo comes too", then: "The audit got cancelled"`."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..words import sentences

_THEN = '", then: "'
_WORDS = r"[^\"“”]+"
_QUOTE = re.compile(rf"(?P<who>{_WORDS}?) said: [\"“](?P<words>{_WORDS}(?:{_THEN}{_WORDS})*)[\"”]\.?")
MOST_FOLLOWED = 2
"""Later lines that a quotation carries."""


def in_quotes(speaker: str, words: str) -> str:
    """The words as a fact about who said them."""
    return f'{speaker} said: "{_inside(words)}"'


def quoted(fact: str) -> str | None:
    """What a fact quotes, if it is nothing but a quotation; None: it tells something itself."""
    found = _QUOTE.fullmatch(fact.strip())
    return found["words"] if found and ";" not in found["who"] else None


def followed(fact: str, words: str) -> str | None:
    """The quotation with words that were said later behind it; None: it carries them, or enough, already."""
    was, words = fact.strip().removesuffix("."), _inside(words)
    if not words or was.count(_THEN) >= MOST_FOLLOWED or f'{_THEN}{words}"' in was:
        return None
    return f'{was[:-1]}{_THEN}{words}"'


def is_followed(fact: str) -> bool:
    """Whether a fact is a quotation with words behind it that were said later."""
    return _THEN in (quoted(fact) or "")


def quotations(fact: str) -> list[str]:
    """The sentences of a quotation, each as one; none where it isn't one."""
    words = quoted(fact)
    who = fact.partition(" said: ")[0].strip()
    return [in_quotes(who, one) for part in (words or "").split(_THEN) for one in sentences(part)]


def without(fact: str, gone: Collection[int]) -> str:
    """A quotation without these of its sentences; empty: it has no others."""
    who, left, place = fact.partition(" said: ")[0].strip(), list[str](), 0
    for part in (quoted(fact) or "").split(_THEN):
        said = sentences(part)
        left.append(" ".join(one for at, one in enumerate(said, place) if at not in gone))
        place += len(said)
    told = _THEN.join(filter(None, left))
    return f'{who} said: "{told}"' if told else ""


def spoken_to(fact: str, name: str) -> str | None:
    """A quotation of the words of one who is told of under `name`, said to them; None: it is none."""
    words = quoted(fact)
    if words is None or not fact.startswith(f"{name} said: "):
        return None
    return f"You told me: “{words.replace(_THEN, '”, then: “')}”"


def _inside(words: str) -> str:
    """The words with other marks for what they quote themselves, so that it is plain where the quotation ends."""
    inches = re.sub(r"(?<=\d)\"", "″", words.strip())
    return re.sub(r"[\"“”„«»]", "'", inches)
