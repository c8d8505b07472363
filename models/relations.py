"""Words for who somebody is to somebody: mother, aunt, friend."""

from __future__ import annotations

import re

_SYNONYMS = (
    "mother mom mum mama mommy mummy", "father dad papa daddy", "parent", "sister sis", "brother bro", "sibling",
    "aunt auntie aunty", "uncle", "cousin", "niece", "nephew", "grandmother grandma granny gran nana",
    "grandfather grandpa granddad grandad", "grandparent", "grandson", "granddaughter", "grandchild grandchildren",
    "wife", "husband hubby", "spouse", "partner", "girlfriend", "boyfriend", "fiance fiancee", "daughter", "son",
    "child children kid", "stepmother stepmom stepmum", "stepfather stepdad", "friend", "roommate flatmate housemate",
    "neighbour neighbor", "colleague coworker", "boss", "teacher", "landlord", "twin",
)  # fmt: skip
_RELATION = {word: group.split()[0] for group in _SYNONYMS for word in group.split()}
_RELATION |= {f"{word}s": name for word, name in _RELATION.items()}
ANY = "|".join(sorted(_RELATION, key=len, reverse=True))
"""Pattern of any of the words, in small letters."""
_ANY = re.compile(rf"\b(?:{ANY})\b", re.IGNORECASE)


def plainly_related(text: str) -> str:
    """The text with one word for each relation: "mum" and "mom" as "mother", "kids" as "child"."""
    return _ANY.sub(lambda found: _RELATION[found[0].lower()], text)


def relations(text: str) -> set[str]:
    """The relations that a text speaks of, each in one word."""
    return {_RELATION[word.lower()] for word in _ANY.findall(text)}
