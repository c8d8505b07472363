"""Several that one wish names: "everything about the clinic and Birkenhof" means either, each with all of it."""

from __future__ import annotations

from collections.abc import Collection

from ...language.language import english
from ...language.points import letters as re
from ...language.words import stem, tokens
from ..parting import holders

_AND = re.compile(r",?\s+(?:and|or|as well as|plus)\s+|\s*&\s*", re.IGNORECASE)
_COMMA = re.compile(r"\s*,\s+")
_LED = re.compile(r"^(?:also |(?:everything|anything|all) )*(?:about |of |on |with )?", re.IGNORECASE)
_CLAUSE = re.compile(r"\b(?:I|we|you|he|she|they|it)\b", re.IGNORECASE)
"""In a sentence "and" joins what it tells: "how Tom and I met"."""
_WHOSE = re.compile(r"(?P<whose>my|our|the)\s", re.IGNORECASE)


def pieces(words: str) -> tuple[str, ...]:
    """Those that words name one beside the other, each as it stands by itself ("my mum and dad" is "my dad", too);
    none where they name one."""
    if _CLAUSE.search(words):
        return ()
    halves = [half for half in _AND.split(words) if half.strip()]
    some = [one for half in halves[:-1] for one in _COMMA.split(half)] + halves[-1:]
    found = [_LED.sub("", one.strip()).strip() for one in some]
    if len(found) < 2 or not all(found):
        return ()
    whose = _WHOSE.match(found[0])
    return tuple(
        f"{whose['whose']} {one}" if whose and one.lower() in english().relations else one for one in found
    )  # fmt: skip


def is_one_name(words: str, halves: Collection[str], facts: Collection[str], lines: Collection[str]) -> bool:
    """Whether they are one name, which stands so in a fact or line ("fish and chips"), and no two people."""
    who = holders(facts)
    if all({stem(word) for word in tokens(one)} - english().stop <= who for one in halves):
        return False
    together = re.compile(rf"\b{re.escape(words.strip())}\b", re.IGNORECASE)
    return any(together.search(text) for text in (*facts, *lines))
