"""What is known of an area of the asker's life: "what do you know about my health?", "... about my family?".

No fact has the word "health" in it; that it is one of health, its topic says (`memory/language/facts/areas.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from ....memory.language.facts.areas import PEOPLE, area
from ....memory.language.kinship import relations
from ....memory.language.language import english
from ....memory.values import OWN_NAME, Memory

FAMILY, FRIENDS, PLANS = "family", "friends", "plans"
_MY = re.compile(r"(?:all (?:of )?)?(?:my|our|the) ", re.IGNORECASE)


def asked_area(about: str) -> str:
    """The area that these words ask for, `family` or `friends`; empty where they ask for a thing itself."""
    return str(english().table("topics", "asked").get(_MY.sub("", about.lower(), count=1).strip(), ""))


def of_area(about: str, rows: Sequence[Memory], today: date) -> list[Memory]:
    """The facts of the area that is asked for, in their order; none where a thing itself is asked for. Plans are also
    what will be."""
    wanted = asked_area(about)
    return [row for row in rows if wanted and not row.fact.startswith(OWN_NAME) and _is_of(row, wanted, today)]


def _is_of(row: Memory, wanted: str, today: date) -> bool:
    kin = relations(row.fact)
    if wanted == PLANS and row.happened_on and row.happened_on > today.isoformat()[: len(row.happened_on)]:
        return True
    strangers = english().words("topics", "not_family")
    if wanted == FAMILY:
        return bool(kin - strangers)
    if wanted == FRIENDS:
        return "friend" in kin
    return area(row.topic, row.fact) == wanted or (wanted == PEOPLE and bool(kin))
