"""What is known of somebody, the most telling first: "what do you know about my wife?", "... about me?".

Who is meant by "my wife" the facts tell ("Ana's late wife Edda"), and whose "Ana's sister's address" is: the one
sister's that has a name. Of the asker come first the facts that tell of them, and last those of others alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ....memory.language.facts.areas import OTHER, PEOPLE, area, areas
from ....memory.language.facts.matters import About, parts
from ....memory.language.kinship import pattern, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.words import alternatives, terms, tokens
from ....memory.values import OWN_NAME, Memory
from .people import fits, namings

FIRST = ("who", "home", "work", "study", PEOPLE, "health")
"""What tells most of somebody, in this order; the other areas of a life follow in theirs."""
LOOKED = 40
"""The first facts among which one that another says, too, is put last."""
_WHO = english().words("topics", "who")
_OF_MATTER = {
    "age": "who", "home": "home", "job": "work", "study": "study", "health": "health", "diet": "health",
    "partner": PEOPLE,
}  # fmt: skip
_MY = re.compile(r"(?:my|our) ", re.IGNORECASE)
_LATE = re.compile(r"\b(?:late|deceased) (?=[a-z])", re.IGNORECASE)


class Person(NamedTuple):
    """Somebody who is asked of: by which names, and what they alone are to the asker; `me`: the asker."""

    names: frozenset[str]
    roles: frozenset[str] = frozenset()
    me: bool = False


def person(about: str, rows: Sequence[Memory], subject: str) -> Person | None:
    """Whom these words of a question mean; None: nobody of whom the facts tell. `subject`: under what they tell of the
    asker."""
    if about.lower() in ("me", "myself", "i", "us"):
        return Person(own_names(subject), me=True)
    known = introduced(rows, subject)
    kind = _MY.sub("", about, count=1) if _MY.match(about) else ""
    late = _LATE.sub("", kind)
    for some in ([one for one in known if not one[2]], known) if late == kind else ([one for one in known if one[2]],):
        if kind and (names := {name for role, name, _ in some if fits(late, role)}):
            return Person(frozenset(names), _alone(names, known))
    if kind:
        return None
    words = frozenset(tokens(about))
    named = {name for _, name, _ in known if words and words <= {*tokens(name)}}
    if named:
        return Person(frozenset(named), _alone(named, known))
    if words and words <= own_names(subject) and about[:1].isupper():
        return Person(own_names(subject), me=True)
    holders = {name for row in rows for part in parts(row.fact) for name in part.holder.names}
    capital = all(word[:1].isupper() for word in about.split())
    return Person(frozenset({about})) if capital and words and words <= holders else None


def namesakes(rows: Sequence[Memory], subject: str) -> bool:
    """Whether somebody of the asker's is called by a part of the asker's name."""
    own = {*tokens(subject)}
    return len(own) > 1 and any(own & {*tokens(name)} for _, name, _ in introduced(rows, subject))


def introduced(rows: Sequence[Memory], subject: str) -> list[tuple[str, str, bool]]:
    """Who is what to the asker, under which name, and whether they are said to be dead: "wife", "Edda", true."""
    found = []
    for row in rows:
        plain = _LATE.sub("", row.fact)
        said = [(naming.kind, name) for naming in namings(plain, subject) for name in naming.names]
        found += [(kind, name, plain != row.fact) for kind, name in said]
    return found


def _alone(names: set[str], known: Sequence[tuple[str, str, bool]]) -> frozenset[str]:
    """The relations which nobody else of the asker's has."""
    theirs = {kin for kind, name, _ in known if name in names for kin in relations(kind)}
    return frozenset(theirs - {kin for kind, name, _ in known if name not in names for kin in relations(kind)})


def of_person(who: Person, rows: Sequence[Memory], subject: str) -> list[Memory]:
    """The facts that tell of them, the most telling first; of the asker all, those of others alone last."""
    if who.me:
        return _in_order([(_of_me(row, subject), row) for row in rows], who, subject)
    whose = re.compile(
        rf"\b(?:{_own(subject)})['’]s (?:[a-z-]+ ){{0,2}}?(?P<kin>{pattern(english())})\b(?![\w-])"
        rf"(?!['’]s (?:{pattern(english())})\b)"
    )

    def named(text: str) -> bool:
        return any({*tokens(name)} <= {*tokens(text)} for name in who.names)

    def by_role(row: Memory) -> bool:
        return bool(who.roles) and any(who.roles & relations(one["kin"]) for one in whose.finditer(row.fact))

    found = [(row, by_role(row)) for row in rows if named(f"{row.subject} {row.fact}") or by_role(row)]
    own = [(0 if kin or named(row.subject) or _holds(row, who) else 1, row) for row, kin in found]
    return _in_order(own, who, subject)


def own_names(subject: str) -> frozenset[str]:
    """By which words the facts call the asker, in small letters."""
    return frozenset({*tokens(subject), "user"})


def _own(subject: str) -> str:
    return alternatives({subject, *subject.split(), "User", "user"})


def _holds(row: Memory, who: Person) -> bool:
    names = {word for name in who.names for word in tokens(name)}
    return any(part.holder.names & names for part in parts(row.fact))


def _of_me(row: Memory, subject: str) -> int:
    """0: it tells of the asker, 1: of what has to do with them, 2: of others alone."""
    own, told = own_names(subject), parts(row.fact)
    if row.fact.startswith(OWN_NAME) or any(_is_mine(part, own) for part in told):
        return 0
    theirs = rf"\b(?:{_own(subject)})['’]s (?:[a-z-]+ ){{0,2}}?(?:{pattern(english())})\b"
    return 1 if own & {*tokens(re.sub(theirs, "", row.fact))} else 2


def _is_mine(part: About, own: frozenset[str]) -> bool:
    return part.owner is None and not part.holder.roles and bool(part.holder.names & own)


def _in_order(told: Sequence[tuple[int, Memory]], who: Person, subject: str) -> list[Memory]:
    """First what tells of them, by how telling its matter is; what another fact says, too, comes after all."""
    order = ("name", *FIRST, *(one for one in areas() if one not in FIRST))
    kin = _kin([row for _, row in told], subject)

    def key(one: tuple[int, Memory]) -> tuple[bool, int, int]:
        place, row = one
        matter = (PEOPLE if who.me else "name") if row.id in kin else group(row)
        matter = "name" if row.fact.startswith(OWN_NAME) else matter
        place = min(place, 1) if row.id in kin else place
        first = matter in ("name", *FIRST) and place < 2
        telling = order.index(matter)
        return place == 2, telling if first else len(order) + place, telling

    found = [row for _, row in sorted(told, key=key)]
    again = [row for row in found[:LOOKED] if _said_again(row, found[:LOOKED])]
    return [*(row for row in found if row not in again), *again]


def _kin(rows: Sequence[Memory], subject: str) -> set[int]:
    """The facts which say who somebody is to the asker, and as little else as any."""
    first = dict[str, Memory]()
    for row in sorted(rows, key=lambda row: len(row.fact)):
        for naming in namings(_LATE.sub("", row.fact), subject):
            if relations(naming.kind):
                first |= {name: row for name in naming.names if name not in first}
    return {row.id for row in first.values()}


def _said_again(row: Memory, found: Sequence[Memory]) -> bool:
    mine, holder = {*terms(row.fact)}, _holders(row)
    return any(mine < {*terms(one.fact)} and holder == _holders(one) for one in found)


def _holders(row: Memory) -> frozenset[str]:
    return parts(row.fact)[0].holder.names if parts(row.fact) else frozenset()


def group(row: Memory) -> str:
    """The area of a fact; "who" where it tells a name, an age or a birth."""
    if _WHO & {*tokens(row.topic)} or {"born", "birth"} & {*tokens(row.fact)} or row.fact.startswith(OWN_NAME):
        return "who"
    found = area(row.topic, row.fact)
    kinds = [matter.kind.split(".")[0] for part in parts(row.fact) for matter in part.matters]
    by_matter = next((_OF_MATTER[kind] for kind in kinds if kind in _OF_MATTER), found)
    return by_matter if found in (PEOPLE, OTHER) or by_matter in ("who", PEOPLE) else found
