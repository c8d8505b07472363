"""What one can't take, mustn't eat, isn't allowed: a question for that isn't answered by what one is given or likes.

The sentence nearest in meaning to "which medicine can't I take?" is the one about the medicine that is taken. English.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ....memory.language.language import english


def asks_forbidden(question: str) -> bool:
    """Whether it asks what somebody can't or mustn't: "which of my friends mustn't eat nuts?"; not "why can't I sleep?"
    nor "can't you help?"."""
    return bool(_asked().search(question.replace("’", "'")))


def says_no(sentence: str) -> bool:
    """Whether a sentence tells of what somebody can't have, mustn't do, or doesn't."""
    return bool(_no().search(sentence.replace("’", "'")))


@lru_cache(maxsize=1)
def _asked() -> re.Pattern[str]:
    asked = english().alternatives("questions", "forbidden")
    return re.compile(rf"\b(?:what|which|who|whom)\b[^?.!]*\b(?:{asked})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _no() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('questions', 'says_no')})\b|n't\b", re.IGNORECASE)
