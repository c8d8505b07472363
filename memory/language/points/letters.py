"""Regular expressions in which `[A-Z]` is a capital and `[a-z]` a small letter of any Latin alphabet.

Rules tell a name by its capital. With the 26 letters of English they read "Gra" of Graça, and took Élodie and Łukasz
for nobody at all. Imported as `re` where patterns read what people write; all else is the standard library's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from re import DOTALL, IGNORECASE, VERBOSE, I, Match, Pattern, escape

__all__ = [
    "DOTALL", "IGNORECASE", "VERBOSE", "I", "Match", "Pattern",
    "compile", "escape", "findall", "finditer", "fullmatch", "match", "search", "split", "sub",
]  # fmt: skip

_LETTERS = [
    chr(one) for one in (*range(0xC0, 0x180), *range(0x218, 0x21C), 0x1A0, 0x1A1, 0x1AF, 0x1B0, *range(0x1E80, 0x1EFA))
]
"""Latin letters beyond A to Z: Latin-1, Latin Extended-A, and what Romanian, Welsh and Vietnamese need beside these."""
CAPITALS = "".join(one for one in _LETTERS if one.isupper())
SMALL = "".join(one for one in _LETTERS if one.islower())


@lru_cache(maxsize=4096)
def widened(pattern: str) -> str:
    """The pattern with all Latin letters in the places of A to Z and a to z."""
    return pattern.replace("A-Z", f"A-Z{CAPITALS}").replace("a-z", f"a-z{SMALL}")


def compile(pattern: str, flags: int = 0) -> Pattern[str]:
    """`re.compile` of the widened pattern."""
    return re.compile(widened(pattern), flags)


def match(pattern: str, string: str, flags: int = 0) -> Match[str] | None:
    """`re.match` with the widened pattern."""
    return re.match(widened(pattern), string, flags)


def fullmatch(pattern: str, string: str, flags: int = 0) -> Match[str] | None:
    """`re.fullmatch` with the widened pattern."""
    return re.fullmatch(widened(pattern), string, flags)


def search(pattern: str, string: str, flags: int = 0) -> Match[str] | None:
    """`re.search` with the widened pattern."""
    return re.search(widened(pattern), string, flags)


def findall(pattern: str, string: str, flags: int = 0) -> list[str]:
    """`re.findall` with the widened pattern, which has one group at most."""
    return re.findall(widened(pattern), string, flags)


def finditer(pattern: str, string: str, flags: int = 0) -> Iterator[Match[str]]:
    """`re.finditer` with the widened pattern."""
    return re.finditer(widened(pattern), string, flags)


def split(pattern: str, string: str, maxsplit: int = 0, flags: int = 0) -> list[str]:
    """`re.split` at the widened pattern."""
    return re.split(widened(pattern), string, maxsplit=maxsplit, flags=flags)


def sub(
    pattern: str, repl: str | Callable[[Match[str]], str], string: str, count: int = 0, flags: int = 0
) -> str:  # fmt: skip
    """`re.sub` with the widened pattern."""
    return re.sub(widened(pattern), repl, string, count=count, flags=flags)
