"""Whose partner somebody was: after a break-up "Ana's girlfriend Tess is a florist" tells of "Ana's ex-girlfriend
Tess". Her job is as before; what she is to Ana isn't."""

from __future__ import annotations

from functools import lru_cache

from ..language import english
from ..points import letters as re
from ..words import tokens
from .change_words import stands, tells
from .corrections import signals
from .matters import About, details, parts


def former(known: str, told: str, speaker: str) -> str | None:
    """The known fact with "ex-" before what its holder was to the speaker, if `told` says that the two parted; None
    where it doesn't, or of somebody else."""
    holder = parts(known)[0] if parts(known) else None
    if holder is None or not _is_partner(holder, speaker) or not (gone := _left_whom(told, speaker)):
        return None
    named, roles = gone
    if (named and holder.holder.names and not named & holder.holder.names) or (
        roles and not roles & {*holder.holder.roles}
    ):
        return None
    return _role().sub(r"\g<of>ex-\g<role>", known, count=1)


def had(known: str, told: str, speaker: str) -> bool:
    """Whether the known fact says no more than that the speaker has a partner, without a name, and `told` that the two
    parted."""
    partners = english().words("matters", "partners")
    words = "|".join(word for word, role in english().relations.items() if role in partners)
    only = re.fullmatch(rf"{re.escape(speaker)} (?:has|is with) an? (?:[a-z-]+ )?(?:{words})\.?", known)
    gone = _left_whom(told, speaker) if only else None
    return gone is not None and (not gone[1] or bool(gone[1] & {english().relations.get(w, w) for w in tokens(known)}))


def _is_partner(part: About, speaker: str) -> bool:
    return (
        part.owner is not None
        and bool(part.owner.names & {*tokens(speaker)})
        and bool({*part.holder.roles} & english().words("matters", "partners"))
    )


def _of_a_thing(part: About) -> bool:
    """Whether it tells of something that the speaker has: "Ana's car broke up"."""
    return part.text[part.begin :].startswith(("'s ", "’s "))


def _left_whom(told: str, speaker: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The names and the roles of whom the speaker parted from, as far as they are told; None: that isn't told."""
    said = signals(told)
    if said.maybe or not said.ends or (stands("parting", told) and not tells("parting", told)):
        return None
    mine = (
        part
        for part in parts(told)
        if part.owner is None and part.holder.names & {*tokens(speaker)} and not _of_a_thing(part)
    )
    part = next((one for one in mine if any(matter.kind == "partner" for matter in one.matters)), None)
    if part is None:
        return None
    roles = {english().relations.get(word, word) for word in tokens(part.text)}
    named, roles = (
        details(told) - part.holder.names - english().calendar,
        roles & english().words("matters", "partners"),
    )
    if not named and not roles and re.search(r"\bdivorc", told.lower()):
        roles = {"husband", "wife", "spouse"}  # who is divorced may have a boyfriend
    return named, frozenset(roles)


@lru_cache(maxsize=1)
def _role() -> re.Pattern[str]:
    partners = english().words("matters", "partners")
    words = "|".join(word for word, role in english().relations.items() if role in partners)
    return re.compile(rf"(?P<of>['’]s (?:[a-z-]+ ){{0,2}}?)(?P<role>{words})\b")
