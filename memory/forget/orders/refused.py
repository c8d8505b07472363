"""A line that says no at "Erase this for good?" in words that say nothing at another question: "keep it", "I changed my
mind"."""

from __future__ import annotations

from functools import lru_cache

from ...language.language import english
from ...language.points import letters as re


def refuses(text: str) -> bool:
    """Whether a line wants all of it kept, and says nothing else."""
    return _refusing().fullmatch(text.strip().replace("’", "'").lower()) is not None


@lru_cache(maxsize=1)
def _refusing() -> re.Pattern[str]:
    forget = english().files["forget"]
    names = "refusing", "refusing_led", "refusing_behind"
    said, led, behind = (str(forget[name]).replace("\n", "") for name in names)
    gap = r"[\s,.!…–—-]*"
    return re.compile(rf"(?:(?:{led})\b{gap})*(?:(?:{said})(?![\w'])(?:{gap}(?:{behind})(?![\w']))*{gap})+")
