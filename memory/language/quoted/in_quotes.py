"""What somebody told, kept in their own words: `Ana said: "Forty days without a cigarette."`."""

from __future__ import annotations

import re

_QUOTE = re.compile(r"(?P<who>[^\"“]+?) said: [\"“](?P<words>.+)[\"”]\.?", re.DOTALL)


def in_quotes(speaker: str, words: str) -> str:
    """The words as a fact about who said them."""
    return f'{speaker} said: "{words}"'


def quoted(fact: str) -> str | None:
    """What a fact quotes, if it is nothing but a quotation; None: it tells something itself."""
    found = _QUOTE.fullmatch(fact.strip())
    return found["words"] if found and ";" not in found["who"] else None
