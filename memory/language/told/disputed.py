"""What somebody says was noted of them and isn't so: "you've noted that I like fish, but I hate it", "I never said that
I'm married", "it's not true that we live in Utrecht". English.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..language import english
from ..words import tokens


class Disputed(NamedTuple):
    """`claim`: what isn't so, as it was said; `right`: what the line tells besides, most often in its place."""

    claim: str
    right: str


def disputed(line: str) -> Disputed | None:
    """The claim that a line disputes; None: it disputes none."""
    line = line.strip().replace("’", "'")
    if line.endswith("?"):
        return None
    for pattern in _patterns():
        found = pattern.search(line)
        if found and len(tokens(found["claim"])) >= LEAST and not _adding().search(found["right"] or ""):
            right = f"{line[: found.start()]} {found['right'] or ''}".strip(" ,;.!-–—")
            return Disputed(found["claim"].strip(" ,"), right)
    return None


LEAST = 3
"""Words of a claim that says what isn't so."""


@lru_cache(maxsize=1)
def _adding() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('openings', 'adding')})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    noted, wrong, never = (english().alternatives("openings", name) for name in ("noted", "is_wrong", "never_said"))
    joint = r"(?:,|;|\.| -+|\s)\s*"
    rest = r"(?:[,.;:!]?\s+(?:(?:and|but|because|since|as)\s+)?(?P<right>\S.*))?"
    lead = r"(?:^|(?<=[.!?] )|\b(?:but|and|also|now) )"
    does = r"(?:is|isn't|are|was|has|have|lives|works|likes|wants|can|will)"
    mine = rf"(?:i|i'm|i've|we|we're)\b|(?:my|our) [^.;!?,]*? {does}\b"
    you = rf"{lead}you(?:'ve| have)? (?:{noted})(?: down)?(?: that)?"
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            rf"{you} (?P<claim>[^.;!?]+?){joint}(?:but |and |which )?(?:{wrong})\b{rest}[.!]*$",
            rf"{you} (?P<claim>[^.;!?]+?),? but (?P<right>\S.*)$",
            rf"{lead}(?:i|we) (?:{never}) (?:that )?(?P<claim>(?:{mine})[^.;!?,]*){rest}[.!]*$",
            rf"{lead}(?:it's|it is|that's) (?:not true|wrong|not right|false) that (?P<claim>[^.;!?,]+){rest}[.!]*$",
        )
    )
