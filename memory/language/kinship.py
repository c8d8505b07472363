"""Words for who somebody is to somebody (mother, aunt, friend), and for the animals people keep."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .language import Language, english
from .points import letters as re
from .words import alternatives


def plainly_related(text: str, language: Language | None = None) -> str:
    """The text with one word for each relation: "mum" and "mom" as "mother", "kids" as "child"."""
    language = language or english()
    found = _any(language)
    return found.sub(lambda word: language.relations[word[0].lower()], text) if found else text


def relations(text: str, language: Language | None = None) -> set[str]:
    """The relations that a text speaks of, each in one word."""
    language = language or english()
    found = _any(language)
    return {language.relations[word.lower()] for word in found.findall(text)} if found else set()


@lru_cache(maxsize=8)
def pattern(language: Language) -> str:
    """Pattern of any of the words, in small letters; empty where the language has none."""
    return alternatives(language.relations)


@lru_cache(maxsize=8)
def _any(language: Language) -> re.Pattern[str] | None:
    words = pattern(language)
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE) if words else None


@lru_cache(maxsize=1)
def pets() -> frozenset[str]:
    """Words for animals that people keep."""
    return frozenset(str(english().table("matters", "lists").get("pets", "")).split("|"))


class Role(NamedTuple):
    """Who somebody is by a line, and who they aren't, or (`over`) aren't any more."""

    name: str
    wrong: str
    right: str
    over: bool = False


def role_put_right(line: str) -> Role | None:
    """What a line puts right of who somebody is to the speaker: "Nesta isn't my sister, she's my friend"; None:
    nothing, or it tells of more ("isn't only my sister")."""
    found = _NOT_MINE.search(line) or _MINE_NOT.search(line)
    if found is None or found["wrong"].lower() == found["right"].lower():
        return None
    if found["right"].lower().split()[-1] in english().words("relations", "no_role"):
        return None
    return Role(found["name"], found["wrong"].lower(), found["right"].lower(), bool(_OVER.search(found[0])))


_OVER = re.compile(r"\b(?:any ?more|any longer|now)\b", re.IGNORECASE)
_NAMED = r"(?P<name>(?-i:(?:(?:Mr|Mrs|Ms|Miss|Dr)\.? )?[A-Z][\w-]+(?: [A-Z][\w-]+)?))"
_IS, _REALLY = r"(?:['’]s| is| was)", r"(?: (?:really|actually|in fact|at all))?"
_NOT_MINE = re.compile(
    rf"\b{_NAMED}(?:(?: is| was)n['’]t|{_IS} not){_REALLY} (?:my|our) (?P<wrong>[a-z]+(?:-in-law)?)"
    r"(?: any ?more| any longer| at all)?"
    rf"(?:[,;.:] (?:and |but )?|,? but )(?:(?:(?:he|she|it)|(?:my|our) (?P=wrong)|(?P=name)){_IS}{_REALLY} )?"
    r"(?:my|our) (?P<right>[a-z-]+(?: (?!now\b)[a-z-]+){0,2})(?: now)?(?=[.,;!]|$)",
    re.IGNORECASE,
)
_MINE_NOT = re.compile(
    rf"\b{_NAMED}{_IS}{_REALLY} (?:my|our) (?P<right>[a-z-]+(?: [a-z-]+)?),? (?:and )?not (?:my|our) "
    r"(?P<wrong>[a-z]+(?:-in-law)?)(?=[.,;!]|$)",
    re.IGNORECASE,
)


def with_role(fact: str, role: Role) -> str | None:
    """A fact with who somebody is in the place of who they aren't; None: it doesn't say that they are."""
    known = english().relations
    main = known.get(role.wrong, role.wrong)
    wrong = alternatives({role.wrong, *(word for word, one in known.items() if one == main)})
    name = re.escape(role.name)
    led = re.sub(rf"\b(?:{wrong})(?=,? (?:(?:is |was )?(?:called |named )?){name}\b)", role.right, fact)
    now = re.sub(
        rf"(?<=\b{name})(?P<is>,| is| was) (?P<whose>[\w-]+['’]s|an?|the) (?:{wrong})\b",
        rf"\g<is> \g<whose> {role.right}",
        led,
    )
    article = "an" if role.right[0] in "aeiou" else "a"
    return re.sub(rf"\b[Aa]n? (?={re.escape(role.right)}\b)", f"{article} ", now) if now != fact else None
