"""Several that one wish names: "everything about the clinic and Birkenhof" means either, each with all of it."""

from __future__ import annotations

from collections.abc import Collection

from ...language.language import english
from ...language.points import letters as re
from ...language.words import stem, tokens
from ..parting import holders
from ..telling import common

_AND = re.compile(r",?\s+(?:and|or|as well as|plus)\s+|\s*&\s*", re.IGNORECASE)
_COMMA = re.compile(r"\s*,\s+")
_LED = re.compile(r"^(?:also |(?:everything|anything|all) )*(?:about |of |on |with )?", re.IGNORECASE)
_CLAUSE = re.compile(r"\b(?:I|we|you|he|she|they|it)\b", re.IGNORECASE)
"""In a sentence "and" joins what it tells: "how Tom and I met"."""
_WHOSE = re.compile(r"(?P<whose>my|our|the)\s+", re.IGNORECASE)


def pieces(words: str) -> tuple[str, ...]:
    """Those that words name one beside the other, each as it stands by itself ("my mum and dad" is "my dad", too);
    none where they name one."""
    if _CLAUSE.search(words):
        return ()
    halves = [half for half in _AND.split(words) if half.strip()]
    some = [one for half in halves[:-1] for one in _COMMA.split(half)] + halves[-1:]
    found = [_LED.sub("", one.strip()).strip() for one in some]
    if len(found) < 2 or not all(map(_stands_alone, found)):
        return ()
    whose = _WHOSE.match(found[0])
    return tuple(
        f"{whose['whose']} {one}" if whose and one.lower() in english().relations else one for one in found
    )  # fmt: skip


def _stands_alone(half: str) -> bool:
    """Whether it names one by itself: "the clinic", "green tea"; of "the fight between Tom" and "Tom and me" nothing
    does, nor of "and so on"."""
    said = tokens(_WHOSE.sub("", half))
    bare = _WHOSE.match(half) is None and half == half.lower()
    idle = english().stop | (common() - english().relations.keys() if bare and len(said) == 1 else frozenset())
    return 0 < len(said) <= 2 and len(half) > 1 and "'" not in half.replace("’", "'") and idle.isdisjoint(said)


def is_one_name(words: str, halves: Collection[str], facts: Collection[str], lines: Collection[str]) -> bool:
    """Whether they are one name, which stands so in a fact or line ("fish and chips"), and no two people."""
    who = holders(facts)
    if all({stem(word) for word in tokens(one)} - english().stop <= who for one in halves):
        return False
    together = re.compile(rf"\b{re.escape(words.strip())}\b", re.IGNORECASE)
    return any(together.search(text) for text in (*facts, *lines))
