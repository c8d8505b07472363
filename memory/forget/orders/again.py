"""Lines that want back what was erased: they are to be told that it can't be had back."""

from __future__ import annotations

import re
from functools import lru_cache

from ...language.language import Language, english
from ...language.words import alternatives, any_phrase

LONGEST = 300
"""Letters of a line that may be such a wish: what is longer was pasted, or is talk."""


def wants_back(text: str, language: Language | None = None) -> bool:
    """Whether a line, some time after something was erased, wants that back or asks whether it can be had: "bring it
    back please", "can that be undone?", "I didn't mean to erase everything"."""
    language = language or english()
    if "forget" not in language.files or len(text) > LONGEST:
        return False
    return _back(language).search(text.replace("’", "'")) is not None


@lru_cache(maxsize=4)
def _back(language: Language) -> re.Pattern[str]:
    def any_of(*names: str) -> str:
        return any_phrase({phrase for name in names for phrase in language.files["forget"][name]})

    held = alternatives(language.words("forget", "held"))
    held = rf"(?:the|my|your|all|those|these)\s+(?:(?:my|your|the)\s+)?(?:{held})"
    pointed = rf"(?:{any_of('lot', 'whole')}|it|that|this|them|those|these|{held})"
    named = r"(?:the|my|your|what|everything|all)\b[^,.;:!?]{0,60}?"
    first = rf"^|[,.;:!?\n–—-]|\b(?:{any_of('had_back_asked')})\b"
    begins = rf"(?:{first})\W*(?:(?:{any_of('before')})[\s,:!-]+)*"
    ends = rf"(?=(?:[\s,]+(?:{any_of('after')}))*\s*(?:$|[,.;:!?\n–—-]))"
    return re.compile(
        rf"{begins}(?:(?:{any_of('give_back')})\s+{pointed}\s+back|bring\s+{pointed}\s+back"
        rf"|(?:{any_of('restore')})\s+{pointed}|{pointed}\s+back){ends}"
        rf"|(?:^|[,.!?])\W*(?:(?:{any_of('before')})[\s,:!-]+)*(?:bring\s+{named}\s+back|restore\s+{named}){ends}"
        rf"|(?:^|[,.!?])\W*(?:can|could)\s+{pointed}\s+(?:still\s+)?be\s+(?:{any_of('had_back')})\b"
        rf"|\b(?:{any_of('not_meant')})\s+(?:you\s+)?(?:to\s+)?(?!forget)(?:{any_of('erase')})\s+{pointed}\b",
        re.IGNORECASE,
    )
