"""Does a reply claim to have saved something? When nothing was written, the user is told."""

from __future__ import annotations

import re
from functools import lru_cache

from ..language import Language, english

_DENIAL = re.compile(r"\b(?:if|whether|unless)\b[^.!?]*$", re.IGNORECASE)


def claimed_save(reply: str, language: Language | None = None) -> str | None:
    """The words with which `reply` claims that something is remembered, or None."""
    if not (language or english()).claims:
        return None
    for match in _claim().finditer(reply):
        if not _DENIAL.search(reply[: match.start()]):
            return match.group(0)
    return None


def claimed_forgetting(reply: str) -> str | None:
    """The words with which `reply` claims that something is forgotten or will be, or None. English."""
    found = _FORGETS.search(reply)
    return found[0] if found and not _DENIAL.search(reply[: found.start()]) else None


_FORGETS = re.compile(
    r"\bi(?:['’]ll| will| shall|['’]ve| have)(?: (?:just|now|gladly|happily|certainly|definitely))? "
    r"(?:(?:forget|forgotten)\b(?! (?:to|how)\b)"
    r"|(?:erased?|deleted?|removed?|wiped?|scrubbed)\b[^.!?;]*\b(?:memor(?:y|ies)|chat history|what i know)\b)",
    re.IGNORECASE,
)
"""What was removed from a text or a program is no claim: "I've removed the second loop"."""


@lru_cache(maxsize=1)
def _claim() -> re.Pattern[str]:
    """A claim that something will be kept, or was."""
    return re.compile(
        r"\b(?:i(?:['’]ll| will| shall)(?: be sure to| make sure to| always| definitely)?"
        rf" (?:{english().alternatives('replies', 'will_keep')})"
        r"|i (?:won['’]t|will not) forget"
        rf"|i(?:['’]ve| have)(?: just| now)? (?:{english().alternatives('replies', 'has_kept')})"
        r"|(?:saved|noted|stored|added) (?:that |this |it )?(?:to|in) (?:my |your )?memory)\b",
        re.IGNORECASE,
    )
