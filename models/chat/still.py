"""Whether something still is so, read off what a later line ended: "do I still have the Vespa?" after it was sold.

A small model sees "I ride a Vespa" and says yes, whatever else it is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...memory.language.facts.corrections import signals
from ...memory.language.words import query_words, stem, terms
from ...memory.values import Memory, Recall, Turn, User

if TYPE_CHECKING:
    from ...memory.store.store import Store

LEAST = 0.5
"""Share of the question's telling words that a fact must hold to be what is asked about."""
_IDLE = frozenset(stem(word) for word in ("still", "anymore", "longer", "now", "currently"))


class Over(NamedTuple):
    """What was so, and the line that ended it."""

    fact: Memory
    line: Turn


def over(store: Store, user: User, recall: Recall) -> Over | None:
    """What the question of the recall asks about, where that has ended; None: it may still be so.

    The recall holds earlier states beside those of today (`memory/search/earlier.py`).
    """
    words = {stem(word) for word in query_words(recall.query)} - _IDLE - {*terms(user.subject)}

    def share(fact: Memory) -> float:
        return len(words & {*terms(fact.fact)}) / max(len(words), 1)

    before = [fact for fact in recall.memories if fact.valid_to is not None]
    asked = max(before, key=share, default=None)
    if asked is None or share(asked) < LEAST:
        return None
    today = [fact for fact in recall.memories if fact.valid_to is None and not signals(fact.fact).ends]
    if any(share(fact) >= share(asked) for fact in today):
        return None
    line = _ending(store, user, asked)
    return Over(asked, line) if line else None


def _ending(store: Store, user: User, fact: Memory) -> Turn | None:
    """The line that changed or closed the fact."""
    for entry in store.journal.history(fact.id, user_id=user.id):
        if entry.before and entry.before["id"] == fact.id and entry.turn_id and not entry.undone:
            return next(iter(store.turns.by_id(user.id, [entry.turn_id])), None)
    return None
