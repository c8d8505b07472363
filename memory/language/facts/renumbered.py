"""The one number of a fact that a line tells anew: "rent went up again. 910 now" of "Ana pays 850 euros of rent".

The rest of the fact stays as it was told: of "my hours went up to five days" a small model makes a row of its own, and
loses at which garden centre.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ..language import english
from ..points import letters as re
from ..words import stem, terms, tokens
from .change_words import compiled, stands
from .corrections import clauses, signals
from .matters import parts
from .over import of_its_holder, things


class _Number(NamedTuple):
    text: str
    begin: int
    end: int
    unit: str
    """The stem of the word after it; empty for none."""
    risen: bool
    """Whether it is told as where something rose or fell to: "up to 8"."""
    hour: bool
    """Whether it stands where an hour or a house number does: "at 6"."""


_RISEN = re.compile(rf"\b(?:(?:up|down|back) to|(?:{english().alternatives('matters', 'renumbered')}) to) $")


def renumbered(known: str, line: str, user: str) -> str | None:
    """The known fact with the number that the line tells in the place of its one; None where it tells none of it."""
    if older := _older(known, line):
        return older
    if not stands("other_number", line):
        return None
    was, part = _numbers(known), parts(known)
    if len(was) != 1 or len(part) != 1:
        return None
    named, changed, said = False, False, signals(line)
    for clause in () if said.maybe or said.passing else clauses(line):
        about, new = {*terms(clause)} & things(part[0], user), stands("other_number", clause)
        now = [number for number in _numbers(clause) if number.text.lower() != was[0].text.lower()]
        fits = len(now) == 1 and _tells(now[0], was[0], clause, known, named or bool(about))
        if fits and (new or changed) and not clause.endswith("?") and of_its_holder(part[0], clause, user, line):
            return f"{known[: was[0].begin]}{now[0].text}{known[was[0].end :]}"
        named, changed = named or bool(about), bool(about) and new
    return None


_AGED = re.compile(
    r"\b(?P<name>[^\W\d_]{2,})(?:['’]s|s| is| has| just| only)* (?:just |already )?(?:turned )?(?P<age>[1-9]\d?)"
    r"(?=\s*(?:now|today|already|years? old|(?P<soon>on|last|this|yesterday|in)\b|[,.!;]|and\b|$))",
    re.IGNORECASE,
)
_OLDER = 2
"""Years by which somebody is older who was told of lately."""


def _older(known: str, line: str) -> str | None:
    """The fact with the age that the line tells of the same one by name: "Adam's 17 now" of "Adam is 16"."""
    for said in _AGED.finditer(line):
        if said["soon"] and "turned" not in said[0].lower():
            continue  # "mum's 61 on Sunday" isn't so yet
        short = said["name"].removesuffix("s")
        name = short if short.lower() in known.lower() else said["name"]
        was = re.search(
            rf"\b{re.escape(name)}\b[^.;\d]*(?:\bis|['’]s|,|\baged|\bturned) (?P<age>[1-9]\d?)"
            r"(?=\s*(?:years? old|[,.;]|and\b|$))",
            known, re.IGNORECASE,
        )  # fmt: skip
        if was and name.lower() not in english().stop and 0 < int(said["age"]) - int(was["age"]) <= _OLDER:
            return f"{known[: was.start('age')]}{said['age']}{known[was.end('age') :]}"
    return None


def _tells(now: _Number, was: _Number, clause: str, known: str, named: bool) -> bool:
    """Whether a clause tells its number of what the fact tells its own of: by no word that the fact hasn't."""
    said = {*terms(clause)}
    if now.hour != was.hour or (was.unit != now.unit and (was.unit in said or (was.unit and now.unit in said))):
        return False  # "my son is 4 now" counts no sons
    pattern = compiled("other_number")
    rest = pattern.sub(" ", clause.lower().replace("’", "'")) if pattern else clause
    strange = {word for word in terms(rest) if not word[0].isdigit()} - {*terms(known)} - {stem(now.text.lower())}
    return not strange and named if not (now.risen and now.unit and now.unit == was.unit) else len(strange) <= 1


def _numbers(text: str) -> list[_Number]:
    """The numbers of a text but for days, years and ordinals."""
    found = []
    for one in _number().finditer(text):
        before, after = text[: one.start()].lower(), text[one.end() :]
        month = {*tokens(before)[-1:], *tokens(after)[:1]} & english().months.keys()
        if month or re.match(r"(?:19|20)\d\d$", one[0]) or re.match(r"(?:st|nd|rd|th)\b|[-/.:]\d", after):
            continue
        following = re.match(r"\s*(?:[€$£%]|([a-z]+))", after)
        unit = stem(following[1]) if following and following[1] and following[1] not in english().stop else ""
        risen, hour = _RISEN.search(before), re.search(r"\b(?:at|from|by) (?:\w+ )?$", before)
        found.append(_Number(one[0], one.start(), one.end(), unit, bool(risen), bool(hour)))
    return found


@lru_cache(maxsize=1)
def _number() -> re.Pattern[str]:
    spelled = "|".join(word for word, value in english().numbers.items() if value > 1)
    return re.compile(rf"(?<![\w.,:/-])(?:\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d{{1,2}})?|(?i:{spelled}))(?![\w])")
