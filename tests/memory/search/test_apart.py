"""What one user finds, and how high it scores, does not depend on what others have said."""

from __future__ import annotations

import random
from pathlib import Path

from chatmem.memory.search.fulltext import POSTINGS
from chatmem.memory.store.store import Store

WORDS = [
    "goose",
    "lake",
    "river",
    "garden",
    "nurse",
    "teacher",
    "cat",
    "dog",
    "boat",
    "music",
    "letter",
    "summer",
    "coffee",
    "train",
    "window",
    "bread",
]
ASKED = ("the cat by the lake", "who has a dog and a boat", "music in the garden", "a letter w7", "bread")


def talk(store: Store, name: str, lines: int, seed: int) -> int:
    rng = random.Random(seed)
    user = store.users.get(name)
    session = store.sessions.start(user.id)
    with store.db.write(durable=False):
        for number in range(lines):
            words = " ".join(rng.choices(WORDS, k=6))
            store.turns.add(session.id, name, f"{words} w{number}.", said_at="2026-05-08T10:00:00Z")
            if number < 60:
                store.facts.remember(user.id, name, "", f"{name} {words} f{number}.")
    return user.id


def found(path: Path, user: int) -> list[list[tuple[float, str]]]:
    """Scores and texts, from a store opened anew, so that nothing is remembered of earlier counts."""
    with Store.open(path) as store:
        return [
            [(item.score, item.memory.fact if item.memory else item.turns[0].text) for item in recall.items]
            for recall in (store.search(user, question, now="2026-05-09T10:00:00Z") for question in ASKED)
        ]


def test_others_rows_shift_no_score(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        ana = talk(store, "ana", 400, 1)
        for memory in store.facts.all(ana)[:20]:
            store.facts.retire(memory.id)
    alone = found(path, ana)
    assert all(alone)
    with Store.open(path) as store:
        talk(store, "bob", 20, 2)
    assert found(path, ana) == alone
    with Store.open(path) as store:
        talk(store, "bob", POSTINGS * 3, 3)
    assert found(path, ana) == alone
