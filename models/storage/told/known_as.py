"""Who is known to be somebody's son is nobody's dog: what a small model makes of a name that it was told of before.

Of "its jordans 18th" it made "Dee has a dog called Jordan", though the row before tells of "Dee's lad Jordan". And of
"Lena from the office is moving" it made a move of the sister of that name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from ....memory.language.kinship import pets, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.told.kinds import below
from ....memory.language.words import alternatives, stem, tokens
from ....memory.values import Memory
from ...prompts.draft import Draft
from ...prompts.messages import Line

_WORD = r"[a-z][a-z-]*"
_NAME = r"(?P<name>[A-Z][\w-]*\w)"
_HAS = re.compile(
    rf"\b(?:has|had|have|got) (?:an? |the |two )?(?:{_WORD} ){{0,2}}?(?P<role>{_WORD}) (?:called|named) {_NAME}"
)
_WHOSE = re.compile(rf"['’]s (?:{_WORD} ){{0,2}}?(?P<role>{_WORD}),? (?:(?:is |was )?(?:called |named )?)?{_NAME}")


_NAMING = re.compile(
    r"\b(?:named|called|call|name|born|birth|arrived|baby|puppy|kitten|vets?|walk\w*|sleep|put down|flea\w*|lead"
    r"|died|dead|lost|fed|feed)\b", re.IGNORECASE,
)  # fmt: skip
"""In a line that may tell of a namesake: somebody new, or an animal by what is done with it."""


def as_known(draft: Draft, rows: Iterable[str], line: Line) -> Draft:
    """The draft of the line with a namesake by the name alone, and without the animals that have the name of somebody
    known, or the other way round; what is told of "Ana's dog Jordan" is told of her lad. `rows`: the known facts. What
    the line itself calls so may be."""
    told = [*rows]
    draft = draft.told(lambda fact: by_name_alone(fact, line, told))
    if _NAMING.search(line.text):
        return draft

    def mended(fact: str) -> str | None:
        if (found := _HAS.search(fact)) and fact.startswith(f"{line.speaker} "):
            return None if _other(found["role"], found["name"], told, line) else fact
        for found in _WHOSE.finditer(fact):
            role = _other(found["role"], found["name"], told, line)
            if role := role or _other_kin(fact[: found.start()], found["role"], found["name"], told, line):
                return f"{fact[: found.start('role')]}{role}{fact[found.end('role') :]}"
        return fact

    return draft.told(mended)


def _other(role: str, name: str, told: Iterable[str], line: Line) -> str:
    """What somebody of that name is known to be, where that is a person and `role` an animal, or turned round."""
    own = [fact for fact in told if name in fact and fact.startswith((f"{line.speaker} ", f"{line.speaker}'s "))]
    found = [one for fact in own for form in (_HAS, _WHOSE) for one in form.finditer(fact)]
    roles = {one["role"] for one in found if one["name"] == name} - english().stop
    animal, known = role in pets(), {one in pets() for one in roles}
    person = role in english().relations
    if len(known) != 1 or known == {animal} or not (animal or person):
        return ""
    near = re.findall(rf".{{0,30}}\b{re.escape(name)}\b.{{0,30}}", line.text, re.IGNORECASE)
    said = {stem(word) for one in near for word in tokens(one)} & {stem(role), *below(role)}
    return "" if said else min(roles)


def _other_kin(owner: str, role: str, name: str, told: Iterable[str], line: Line) -> str:
    """What somebody is to the speaker by the known facts, where a fact of the speaker's has another relation that its
    line hasn't: "Ana's sister Carol" of a line about her sister, where Carol is her wife; empty where they are told of
    as two, or it is nobody of a family."""
    kin = relations(role)
    if (
        owner not in (line.speaker, "User")
        or not kin
        or kin <= _NO_FAMILY
        or (kin & relations(line.text) and name in line.text)
    ):
        return ""
    mine = rf"^(?:{re.escape(line.speaker)}|User)['’]s"
    own = rf"{mine} (?P<role>(?:[a-z-]+ )?[a-z-]+),? (?:is (?:called |named )?)?{name}\b"
    found = [(fact, one["role"]) for fact in told if (one := re.match(own, fact)) and relations(one["role"])]
    known = min((one for _, one in found), default="")
    if len({one for _, one in found}) != 1 or any(is_of_a_namesake(fact, line.text) for fact, _ in found):
        return ""
    return "" if kin & relations(known) or (kin | relations(known)) <= _TOGETHER else known


_TOGETHER = frozenset({"boyfriend", "girlfriend", "fiance", "husband", "wife", "spouse", "partner"})
"""What one may become after the other."""


def without_namesakes(rows: Iterable[Memory], line: str) -> list[Memory]:
    """The rows but those of whom a line has by name for another person (`is_of_a_namesake`)."""
    return [row for row in rows if not is_of_a_namesake(row.fact, line)]


def is_of_a_namesake(fact: str, line: str) -> bool:
    """Whether a line has the name of somebody of a fact's family for another person, by what it calls them: "Lena from
    the office" or "my boss Lena" is no "sister Lena"."""
    for kin in _kin_named().finditer(fact):
        name = kin["name"]
        if name not in line:
            continue
        called = [*re.finditer(rf"(?P<before>(?:[\w'’-]+ ){{0,2}})\b(?P<name>{name})\b(?![’'-])", line)]
        if called and all(_is_other(one, {*tokens(fact)}) for one in called):
            return True
    return False


def by_name_alone(fact: str, line: Line, told: Sequence[str]) -> str:
    """The fact with the name alone of whom the line calls otherwise: "Lena moves" for "Ana's sister Lena moves" of
    "Lena from work moves". `told`: the known facts, by which she may be from there."""
    theirs = rf"\b(?:{re.escape(line.speaker)}|User)['’]s (?:[a-z-]+ ){{0,2}}?(?P<said>{_kin_named().pattern})"

    def called(found: re.Match[str]) -> str:
        rows = (row for row in (found["said"], *told) if found["said"] in row)
        return found["name"] if all(is_of_a_namesake(row, line.text) for row in rows) else found[0]

    return re.sub(theirs, called, fact)


def _is_other(called: re.Match[str], fact: set[str]) -> bool:
    """Whether beside a name stands what makes it that of somebody else than one's own of the fact with these words."""
    rest = called.string[called.end() :]
    if (role := _ROLE.search(called["before"])) and relations(role["role"]):
        return relations(role["role"]) <= _NO_FAMILY
    if _ANOTHER.search(called["before"]):
        return True
    behind = _FROM.match(rest) if _BEGINS.search(called.string[: called.start("name")]) else None
    if behind is None or relations(rest[behind.end() : behind.end() + len(", my sister-in-law")]) - _NO_FAMILY:
        return False
    words = {*tokens(behind[0])} - english().stop
    words |= {"works", "working"} if "work" in words else set()
    return not words & (fact | english().calendar) and not _TIME.search(behind[0])


_NO_FAMILY = frozenset({"friend", "colleague", "neighbour", "boss", "roommate", "landlord", "teacher"})
_ROLE = re.compile(r"\b(?:my|our) (?:[a-z-]+ )?(?P<role>[a-z-]+) $", re.IGNORECASE)
_ANOTHER = re.compile(r"\b(?:another|different|the other) $", re.IGNORECASE)
_BEGINS = re.compile(r"(?:^|[.!?;,:] ?|\b(?:and|but|so|with|because|that|the other|another) )$", re.IGNORECASE)
_FROM = re.compile(
    r",? (?:(?:from )?next door|from (?:(?:the|my|our|your|down) )?[\w'’-]+|at (?:work|church|the office)"
    r"|(?:up|down)stairs|across the [\w-]+)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\bfrom (?:his|her|their|next(?! door)|this|last|now|then|today|to(?:morrow|night)|\d)", re.IGNORECASE
)


@lru_cache(maxsize=1)
def _kin_named() -> re.Pattern[str]:
    """Somebody of a family by name; a friend or a colleague may be from anywhere."""
    family = alternatives(word for word, kind in english().relations.items() if kind not in _NO_FAMILY | {"partner"})
    return re.compile(rf"\b(?P<who>{family}),? (?:is |called |named )?(?P<name>[A-Z][\w-]*\w)\b")
