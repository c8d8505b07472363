"""What was told first and is otherwise now: the home of before ("You live in Namur" after they moved to Dinant), the
day from which something was put off.

The rows of a recall hold, the lines beside them are what was once said. English.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ....memory.language.asked import expects
from ....memory.language.dates import hours
from ....memory.language.facts.change_words import stands
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.words import query_words, stem, terms, tokens
from ....memory.values import ASSISTANT
from .known import Known

_ORDINAL = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b")
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


class Told(NamedTuple):
    """Words, and when they were said."""

    text: str
    said_at: str


def put_off(question: str, answer: Told, others: Sequence[Told]) -> Told | None:
    """The last of what was told later that gives another time for the matter in hand: "the pilot moves to 17 June", of
    a question when the pilot is. None: nothing does, or no time is asked for."""
    if expects.kind_of(question) != "time":
        return None
    asked = {*terms(" ".join(query_words(question)))} - {stem(word) for word in expects.of_time()}
    matter = asked & {*terms(answer.text)} or asked  # "we're getting married" holds no "wedding"
    later = [
        one
        for one in others
        if one.said_at > answer.said_at and matter & {*terms(one.text)} and stands("put_off", one.text)
    ]
    timed = [one for one in later if expects.days(one.text) or hours(one.text) or _ORDINAL.search(one.text)]
    return max(timed, key=lambda one: one.said_at, default=None)
