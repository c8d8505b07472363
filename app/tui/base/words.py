"""Words that mean something to the window without a slash."""

from __future__ import annotations

import re

BARE = ("bye", "reset")
"""Only as the whole line."""
_BEFORE_BYE = {"thanks", "thank", "you", "ok", "okay", "well", "good", "alright", "great", "cool", "cheers", "so"}
_BEFORE_BYE |= {"and", "bye", "then"}


def bare_word(line: str) -> str:
    """The session word that a line is ("": talk). A courtesy before `bye` changes nothing: "thanks, bye!"."""
    if line.casefold() in BARE:
        return line.casefold()
    words = re.findall(r"[^\s,.!]+", line.casefold())
    leaves = len(words) <= 3 and words[-1:] == ["bye"] and set(words) <= _BEFORE_BYE
    return "bye" if leaves else ""
