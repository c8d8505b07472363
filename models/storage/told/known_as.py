"""Who is known to be somebody's son is nobody's dog: what a small model makes of a name that it was told of before.

Of "its jordans 18th" it made "Dee has a dog called Jordan", though the row before tells of "Dee's lad Jordan".
"""

from __future__ import annotations

from collections.abc import Iterable

from ....memory.language.kinship import pets
from ....memory.language.language import english
from ....memory.language.points import letters as re
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
    """The draft of the line without the animals that have the name of somebody known, or the other way round; what is
    told of "Ana's dog Jordan" is told of her lad. `rows`: the known facts. What the line itself calls so may be."""
    told = [*rows]
    if _NAMING.search(line.text):
        return draft

    def mended(fact: str) -> str | None:
        if (found := _HAS.search(fact)) and fact.startswith(f"{line.speaker} "):
            return None if _other(found["role"], found["name"], told, line) else fact
        for found in _WHOSE.finditer(fact):
            if role := _other(found["role"], found["name"], told, line):
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
    said = rf"\b{role}s?\b.{{0,20}}\b{re.escape(name)}\b|\b{re.escape(name)}\b.{{0,20}}\b{role}s?\b"
    return "" if re.search(said, line.text, re.IGNORECASE) else min(roles)
