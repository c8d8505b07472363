"""Insights: rows that were concluded from other rows and lines, with a certainty. What they rest on is told by ids:
facts in the column `rests_on`, lines as any row's evidence. Where one of its facts is closed or one of its lines is
forgotten, an insight holds no more."""

from __future__ import annotations

import json
from collections.abc import Collection

from sqlalchemy import Connection, select

from ..values import ASSISTANT, FORGOTTEN
from . import tables as t
from .rows import Image, is_derived, loads

MINE = t.memories.c.certainty.is_not(None)
"""Of rows: that they were concluded."""


def unfounded(db: Connection, user_id: int) -> list[int]:
    """The user's current insights of which a fact is closed or gone, or that rest on nothing at all."""
    own = (t.memories.c.user_id == user_id, MINE, t.memories.c.valid_to.is_(None))
    rows = db.execute(select(t.memories.c.id, t.memories.c.rests_on).where(*own)).all()
    rests = {row.id: set(facts_of(row.rests_on)) for row in rows}
    if not rests:
        return []
    named = {one for some in rests.values() for one in some}
    holds = (t.memories.c.user_id == user_id, t.memories.c.id.in_(named), t.memories.c.valid_to.is_(None))
    current = set(db.scalars(select(t.memories.c.id).where(*holds))) if named else set[int]()
    lines = t.memory_evidence.c.memory_id
    told = set(db.scalars(select(lines).where(lines.in_(rests))))
    return [one for one, facts in rests.items() if not facts <= current or (not facts and one not in told)]


def lacking(db: Connection, user_id: int, image: Image) -> str:
    """Why an insight can't be kept, in a sentence; empty when what it names as its evidence holds."""
    if not 0 < image["certainty"] <= 1:
        return "an insight's certainty is above 0 and at most 1"
    if not image["rests_on"] and not image["evidence"]:
        return "an insight needs evidence: name the facts or lines that it follows from"
    c = t.memories.c
    told = (c.user_id == user_id, c.valid_to.is_(None), c.certainty.is_(None))
    facts = set(db.scalars(select(c.id).where(c.id.in_(image["rests_on"]), *told)))
    missing = sorted(set(image["rests_on"]) - facts)
    if missing:
        return f"there is no fact {missing[0]} that holds now and was told: an insight rests on these alone"
    turns = t.turns.c
    said = (turns.user_id == user_id, turns.speaker != ASSISTANT, turns.text != FORGOTTEN)
    missing = sorted(
        set(image["evidence"]) - set(db.scalars(select(turns.id).where(turns.id.in_(image["evidence"]), *said)))
    )
    return f"line {missing[0]} is no line of a person's: an insight rests on these alone" if missing else ""


def facts_of(text: str | None) -> tuple[int, ...]:
    """The ids of the column `rests_on`."""
    return tuple(json.loads(text)) if text else ()


def told_alone(db: Connection, ids: Collection[int]) -> set[int]:
    """Those of the rows that are no insights: only these came from their lines; an insight was read out of them."""
    concluded = set(db.scalars(select(t.memories.c.id).where(t.memories.c.id.in_(ids), MINE)))
    written = (t.journal.c.memory_id.in_(ids), t.journal.c.after.contains('"certainty"'))
    images = [loads(text) or {} for text in db.scalars(select(t.journal.c.after).where(*written))]
    return set(ids) - concluded - {image["id"] for image in images if is_derived(image)}


def resting_on(db: Connection, user_id: int, facts: Collection[int], lines: Collection[int]) -> set[int]:
    """The user's insights, current or not, that rest on any of these facts or lines, also where they were taken back
    since and live on in the journal."""
    own = (t.memories.c.user_id == user_id, MINE)
    rows = db.execute(select(t.memories.c.id, t.memories.c.rests_on).where(*own)).all()
    tied = select(t.memory_evidence.c.memory_id).where(t.memory_evidence.c.turn_id.in_(lines))
    told = set(db.scalars(tied)) if lines else set[int]()
    found = {row.id for row in rows if row.id in told or not set(facts).isdisjoint(facts_of(row.rests_on))}
    written = t.journal.c.after.contains('"certainty"')
    for text in db.scalars(select(t.journal.c.after).where(t.journal.c.user_id == user_id, written)):
        image = loads(text) or {}
        if is_derived(image) and not (
            set(facts).isdisjoint(image.get("rests_on", ())) and set(lines).isdisjoint(image["evidence"])
        ):
            found.add(image["id"])
    return found
