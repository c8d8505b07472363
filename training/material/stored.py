"""A talk with its facts in a store, as a chat would have kept it: what recall is trained and measured on."""

from __future__ import annotations

import random

from ...memory.store.store import Store
from ...memory.values import User
from .templates.talk import GoldTalk

STORED = 0.75
"""Share of the told facts that the memory holds: of the rest only the line is there, as when the storage agent errs."""


def stored_talk(
    store: Store, key: str, talk: GoldTalk, rng: random.Random, share: float = STORED, *, missed: float = 0.0
) -> User:
    """The talk as a chat would have kept it: all lines, and this share of the facts with their lines as evidence.
    `missed`: the share of what a line ended that stands all the same."""
    user = store.users.call(store.users.get(key).id, talk.user)
    session, place, ids = store.sessions.start(user.id, at=talk.lines[0].said_at), 0, dict[int, int | None]()
    for line in talk.lines:
        turn = store.turns.add(session.id, line.speaker, line.text, said_at=line.said_at)
        for gold in line.facts:
            old = ids.pop(gold.replaces, None) if gold.replaces is not None else None
            if old is not None and not (missed and rng.random() < missed):
                store.facts.retire(old)
            if gold.action != "delete" and rng.random() < share:
                entry = store.facts.remember(
                    user.id, gold.subject, gold.topic, gold.fact,
                    happened_on=gold.happened_on, turn_ids=[turn.id], said_at=line.said_at,
                )  # fmt: skip
                ids[place] = entry.memory_id
            place += 1
    store.vectors.embed_pending(user.id, limit=1_000_000)
    return user
