"""LoCoMo's observations as memories: short facts that a person noted, each with the turns that it came from.

Retrieval is measured over them, since what a storage agent misses must not count against the SELECT; the storage agent
is measured against them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...memory.search.vectors import Embedder
    from ...memory.store.store import Store
    from ...memory.values import User
    from ..datasets.locomo import LocomoTalk, Observed

TOPICS = (
    "job", "studies", "school", "hobby", "music", "art", "reading", "writing", "film", "games", "sport", "running",
    "travel", "trip", "home", "garden", "car", "pets", "partner", "children", "sister", "brother", "parents",
    "grandparents", "friends", "wedding", "birthday", "health", "diet", "food", "cooking", "favourite food", "drink",
    "money", "shopping", "clothes", "phone", "computer", "volunteering", "religion", "politics", "nature", "camping",
    "photography", "dancing", "theatre", "concert", "exam", "project", "business", "plans", "goal", "feelings", "fear",
    "dream", "memory", "tradition", "childhood", "language", "weather",
)  # fmt: skip
"""Short noun phrases such as the storage agent writes; observations come without one."""
LEAST = 0.7
"""The cosine from which two sentences tell the same."""


def topics_of(facts: Sequence[str], embedder: Embedder) -> list[str]:
    """The nearest of the topics for each fact (MiniLM)."""
    if not facts:
        return []
    nearest = (embedder.embed(facts) @ embedder.embed(TOPICS).T).argmax(axis=1)
    return [TOPICS[int(place)] for place in nearest]


def remember(store: Store, user: User, observed: Sequence[Observed], turn_of: Mapping[str, int]) -> None:
    """Puts observations into the memory, each with the turns that it came from (LoCoMo's id -> id in the store)."""
    assert store.embedder is not None
    labels = topics_of([one.fact for one in observed], store.embedder)
    for one, topic in zip(observed, labels, strict=True):
        turns = [turn_of[turn] for turn in one.evidence if turn in turn_of]
        said_at = store.turns.get(turns[0]).said_at if turns else None
        store.facts.remember(user.id, one.subject, topic, one.fact, turn_ids=turns, said_at=said_at)
    store.vectors.embed_pending(user.id, limit=100_000)


def tell(store: Store, user: User, talk: LocomoTalk) -> dict[str, int]:
    """Puts the turns into the store; LoCoMo's id of each -> its id there."""
    ids = {}
    for sitting in talk.sessions:
        session = store.sessions.start(user.id, at=sitting.at)
        for said in sitting.turns:
            if said.text.strip():
                turn = store.turns.add(session.id, said.speaker, " ".join(said.text.split()), said_at=sitting.at)
                ids[said.id] = turn.id
        store.sessions.end(session.id, at=sitting.at)
    return ids


def matched(
    written: Sequence[tuple[str, str]], noted: Sequence[tuple[str, str]], embedder: Embedder
) -> tuple[list[bool], list[bool]]:
    """Which written facts have a noted one of the same subject at a cosine (MiniLM) of `LEAST`, and the reverse.

    Facts are (subject, sentence). A fact may stand for several of the other side: noters part what is said differently.
    """
    if not written or not noted:
        return [False] * len(written), [False] * len(noted)
    first, second = (embedder.embed([fact for _, fact in side]) for side in (written, noted))
    same = np.array([[a == b for b, _ in noted] for a, _ in written])
    near = (first @ second.T >= LEAST) & same
    return [bool(one) for one in near.any(axis=1)], [bool(one) for one in near.any(axis=0)]
