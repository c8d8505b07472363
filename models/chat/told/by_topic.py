"""What is known of an area of the asker's life: "what do you know about my health?", "... about my family?".

No fact has the word "health" in it; that it is one of health, its topic says (`memory/language/facts/areas.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from ....memory.language.facts.areas import PEOPLE, area
from ....memory.language.facts.states import Acquaintance
from ....memory.language.kinship import relations
from ....memory.language.language import english
from ....memory.language.words import tokens
from ....memory.values import OWN_NAME, Memory

FAMILY, FRIENDS, PLANS = "family", "friends", "plans"
_MY = re.compile(r"(?:all (?:of )?)?(?:my|our|the) ", re.IGNORECASE)


def asked_area(about: str) -> str:
    """The area that these words ask for, `family` or `friends`; empty where they ask for a thing itself."""
    return str(english().table("topics", "asked").get(_MY.sub("", about.lower(), count=1).strip(), ""))


def of_area(about: str, rows: Sequence[Memory], today: date, subject: str) -> list[Memory]:
    """The facts of the area that is asked for, in their order; none where a thing itself is asked for. Those that
    speak of others alone are none of the asker's; plans are also what will be, and family is told of by its names.
    `subject`: under what the facts tell of the asker."""
    wanted = asked_area(about)
    if not wanted:
        return []
    named = _names(wanted, rows) if wanted in (FAMILY, FRIENDS) else set()
    rows = [row for row in rows if not row.fact.startswith(OWN_NAME)]
    return [row for row in rows if _is_of(row, wanted, today, subject) or named & {*tokens(row.fact)}]


def _names(wanted: str, rows: Sequence[Memory]) -> set[str]:
    """The names of kin, or of friends, as the facts introduce them."""
    roles = Acquaintance.of(row.fact for row in rows).roles
    return {name for name, who in roles.items() if _are(wanted, relations(" ".join(who)))}


def _are(wanted: str, kin: set[str]) -> bool:
    return "friend" in kin if wanted == FRIENDS else bool(kin - english().words("topics", "not_family"))


def _is_of(row: Memory, wanted: str, today: date, subject: str) -> bool:
    kin = relations(row.fact)
    if wanted in (FAMILY, FRIENDS):
        return _are(wanted, kin)
    if wanted == PLANS and row.happened_on and row.happened_on > today.isoformat()[: len(row.happened_on)]:
        return True
    if wanted == PEOPLE and kin:
        return True
    mine = {*tokens(subject), "user"} & {*tokens(row.fact)}
    return bool(mine) and area(row.topic, row.fact) == wanted
