"""Does a reply claim to have saved something? When nothing was written, the user is told."""

from __future__ import annotations

import re

from .language import Language, english

_CLAIM = re.compile(
    r"\b(?:i(?:['’]ll| will| shall)(?: be sure to| make sure to| always| definitely)?"
    r" (?:remember|not forget|never forget|"
    r"keep (?:that|this|it) in mind|make a note|note (?:that|this|it)|save (?:that|this|it)|store (?:that|this|it))"
    r"|i (?:won['’]t|will not) forget"
    r"|i(?:['’]ve| have)(?: just| now)? (?:saved|noted|stored|remembered|recorded|made a note|added|written)"
    r"|(?:saved|noted|stored|added) (?:that |this |it )?(?:to|in) (?:my |your )?memory)\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\b(?:if|whether|unless)\b[^.!?]*$", re.IGNORECASE)


def claimed_save(reply: str, language: Language | None = None) -> str | None:
    """The words with which `reply` claims that something is remembered, or None."""
    if not (language or english()).claims:
        return None
    for match in _CLAIM.finditer(reply):
        if not _DENIAL.search(reply[: match.start()]):
            return match.group(0)
    return None
