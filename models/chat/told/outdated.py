"""A reply about where somebody lives that is taken from an older line: "You live in Namur" after they moved to Dinant.

The rows of a recall hold, the lines beside them are what was once said. English.
"""

from __future__ import annotations

import re

from ....memory.language.language import english
from ....memory.language.words import terms, tokens
from ....memory.values import ASSISTANT
from .known import Known

_PLACE = re.compile(r"(?<=\w )[A-Z][\w'’-]+")


def outdated(known: Known, reply: str) -> str | None:
    """The fact that tells the home that is asked for, where all that a reply says of it stands in lines that are no
    newer; None: the reply holds, or no fact names the place."""
    if known.wanted is None or known.wanted.kind != "home" or not known.own or "ever" in tokens(known.core):
        return None
    told = {one for one in known.found.values() if one in known.facts}
    rows = [row for row in known.recall.memories if row.fact in told and _places(row.fact, known)]
    if not rows:
        return None
    row = max(rows, key=lambda one: one.said_at)
    new = {*terms(reply)} - {*terms(known.core)} - {*terms(known.asker)}
    before = [
        turn.text
        for item in known.recall.items
        for turn in item.turns
        if turn.speaker != ASSISTANT and turn.said_at <= row.said_at
    ]
    stale = {one for text in before for place in _places(text, known) for one in terms(place)}
    held = {one for each in rows for one in terms(each.fact)}
    return row.fact if new & stale and not new & held else None


def _places(text: str, known: Known) -> list[str]:
    """Names in a text that aren't the asker's."""
    return [one for one in _PLACE.findall(text) if one.lower() not in english().stop | {*known.asker.split(), "user"}]
