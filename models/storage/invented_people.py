"""People of whom nobody spoke: names and relations in a fact that stand in no line that it may come from.

Of "Themba is a nurse" a small model makes "Ana's aunt Themba", and gives "my cousin" a name of its own. An invented
relative is the worst of its mistakes, and can be seen from the words alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ...memory.language.kinship import pattern, relations
from ...memory.language.language import english
from ...memory.language.words import tokens
from ..prompts.draft import Draft
from .fidelity import details

CAPITAL = re.compile(r"\b[A-Z][a-z]+\b")
"""A word with a capital, which may be a name."""
AKIN = 4
"""Letters at the beginning that a name may share with a word that was said: "Italy" says "Italian"."""


@lru_cache(maxsize=1)
def _of_named() -> re.Pattern[str]:
    """Somebody named, whose relation somebody named is said to be: "Ana's aunt Themba"."""
    return re.compile(rf"\b(?P<of>[^\W\d_][\w-]*)'s (?P<who>{pattern(english())}),? (?P<name>[A-Z][\w-]*)")


def names(text: str) -> set[str]:
    """The words with a capital that may be names."""
    return {word for word in CAPITAL.findall(text) if word.lower() not in english().stop}


def strangers(fact: str, said: Sequence[str]) -> set[str]:
    """The names and the relations of a fact that none of the texts speaks of."""
    return strange_names(fact, said) | (relations(fact) - relations(" ".join(said)))


def strange_names(fact: str, said: Sequence[str]) -> set[str]:
    """The names in a fact that none of the texts holds."""
    words = {word for text in said for word in tokens(text)}
    return {name for name in details(fact) if not name[0].isdigit() and not _spoken(name, words)}


def disowned(fact: str, said: Sequence[str], known: Sequence[str] = ()) -> str:
    """The fact without a relation that nobody told of somebody who was named ("Ana's aunt Themba" -> "Themba").

    `known`: facts that may tell the relation too, if they tell it of the same name.
    """

    def owned(found: re.Match[str]) -> str:
        heard = [*said, *(text for text in known if found["name"] in text)]
        told = relations(found["who"]) <= relations(" ".join(heard)) and found["of"] != found["name"]
        return found[0] if told or strange_names(f"Is {found['name']}", [*said, *known]) else found["name"]

    return _of_named().sub(owned, fact)


def without_strangers(draft: Draft, said: Sequence[str]) -> Draft:
    """The draft without the facts that hold a name that none of the texts holds.

    A relation without a name may be a right guess ("mine are 3 and 6": children), so it stays.
    """
    return draft.told(lambda fact: None if strange_names(fact, said) else fact)


def _spoken(name: str, words: set[str]) -> bool:
    parts = tokens(name)
    return all(
        part in words or any(len(word) >= AKIN and word[:AKIN] == part[:AKIN] for word in words) for part in parts
    )
