"""Several encoders over one memory: each one's vectors apart, made in steps, forgotten with what they are of."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.database.engine import raw
from chatmem.memory.errors import InputError, ModelError
from chatmem.memory.search import vectors
from chatmem.memory.search.nearest.numbers import first_of
from chatmem.memory.store import searching, vector_upkeep
from chatmem.memory.store.store import Store
from chatmem.memory.values import User

THINGS = ("a lamp", "two cats", "a red kite", "some bread", "a train ticket")


class Hashed:
    """Words to places of a vector: an encoder of any size, quick, and one that two words share nothing in."""

    def __init__(self, name: str, dimensions: int = 64) -> None:
        self.name, self.dimensions = name, dimensions
        self.asked: list[str] = []
        self.fails_from: int | None = None
        self.seen = threading.Event()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        self.seen.set()
        if self.fails_from is not None and len(self.asked) >= self.fails_from:
            raise ModelError("The encoder is out of order; mend it.")
        found = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                found[row, sum(word.encode()) * len(self.name) % self.dimensions] += 1
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)

    embed_questions = embed


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db", embedder=Hashed("first")) as opened:
        yield opened


def fill(store: Store, lines: int = 40, facts: int = 5) -> User:
    user = store.users.get("ana")
    session = store.sessions.start(user.id)
    for number in range(lines):
        turn = store.turns.add(session.id, "Ana", f"On day {number} I bought {THINGS[number % 5]}.")
        if number < facts:
            store.facts.remember(user.id, "Ana", "things", f"Ana bought {THINGS[number]}.", turn_ids=[turn.id])
    return user


def kept(store: Store) -> dict[str, int]:
    return {name: count for name, count, _ in store.vectors.kept()}


def test_another_encoder_gets_vectors_of_its_own_and_the_first_keeps_its(store: Store) -> None:
    fill(store)
    assert store.reembedding.run() == 0
    assert kept(store) == {"first": 45}
    store.embedder = Hashed("gguf:second/32/x", 32)
    assert store.reembedding.waiting() == 45
    told: list[tuple[int, int]] = []
    assert store.reembedding.run(lambda done, total: told.append((done, total))) == 0
    assert told[-1] == (45, 45) and [done for done, _ in told] == sorted(done for done, _ in told)
    assert kept(store) == {"first": 45, "gguf:second/32/x": 45}
    again = Hashed("first")
    store.embedder = again
    assert store.reembedding.waiting() == 0 and store.reembedding.run() == 0
    assert not again.asked  # switching back takes no work


def test_it_stops_where_it_is_told_and_goes_on_from_there(store: Store) -> None:
    fill(store)
    store.embedder = Hashed("gguf:second/32/x", 32)
    done: list[int] = []
    left = store.reembedding.run(lambda some, _: done.append(some), stop=lambda: bool(done))
    assert 0 < left == 45 - done[-1]
    second = Hashed("gguf:second/32/x", 32)
    store.embedder = second
    assert store.reembedding.run() == 0
    assert len(second.asked) == left  # nothing is made twice


def test_an_encoder_that_fails_in_the_middle_loses_nothing(store: Store) -> None:
    user = fill(store)
    store.embedder = failing = Hashed("openai:second@host/32/x", 32)
    failing.fails_from = 20
    with pytest.raises(ModelError, match="out of order"):
        store.reembedding.run()
    some = kept(store)[failing.name]
    assert 0 < some < 45
    found = store.search(user.id, "who bought a kite?")
    assert "kite" in found.items[0].turns[0].text and store.search.trouble == "The encoder is out of order; mend it."
    failing.fails_from = None
    assert store.search(user.id, "who bought a kite?").items and store.search.trouble == ""
    assert store.reembedding.run() == 0 and kept(store)[failing.name] == 45


def test_a_write_succeeds_while_the_encoder_fails(store: Store) -> None:
    user = fill(store, facts=0)
    store.embedder.fails_from = 0  # type: ignore[union-attr]
    written = store.facts.remember(user.id, "Ana", "pets", "Ana has a parrot.")
    assert written.memory_id and store.search(user.id, "parrot").memories[0].fact == "Ana has a parrot."
    store.embedder.fails_from = None  # type: ignore[union-attr]
    assert store.reembedding.run() == 0
    assert store.vectors.kept()[0][1] == 41


def test_two_encoders_are_never_compared(store: Store) -> None:
    """Search by one looks at its own vectors alone, and finds the rest by their words."""
    user = fill(store)
    store.reembedding.run()
    one, other = Hashed("gguf:one/64/x"), Hashed("gguf:another/64/x")
    store.embedder = one
    seen = store.ground.searcher.cache
    with store.db.read() as db:
        queries = one.embed(["bought"])
        assert not len(seen.compare(db, user.id, "passage", one.name, queries)[0].ids)
    store.search(user.id, "who bought a kite?")  # the newest four get theirs
    assert kept(store)[one.name] == 4
    with store.db.read() as db:
        assert len(seen.compare(db, user.id, "memory", one.name, queries)[0].ids) == 4
        assert not len(seen.compare(db, user.id, "memory", other.name, queries)[0].ids)
    assert any("kite" in turn.text for item in store.search(user.id, "who bought a kite?").items for turn in item.turns)


def test_forgetting_takes_the_vectors_of_every_encoder(store: Store) -> None:
    user = fill(store)
    names = ("first", "gguf:b/8/x", "openai:c@d/16/x")
    for name in names:
        store.embedder = Hashed(name, 8)
        store.reembedding.run()
    fact = store.facts.all(user.id)[0]
    turn = store.facts.evidence([fact.id])[fact.id][0]
    store.forget.memories(user.id, [fact.id], with_evidence_text=True)
    with store.db.read() as db:
        query = (
            "SELECT 1 FROM vectors WHERE (kind = 'memory' AND ref_id = ?) OR (kind = 'passage' AND ref_id >> 20 = ?)"
        )
        assert raw(db).execute(query, (fact.id, turn.id)).fetchall() == []
    assert {*kept(store).values()} <= {*range(1, 44)} and len({*kept(store).values()}) == 1  # as many of each
    store.forget.user(user.id)
    assert kept(store) == {}


def test_dropping_the_others_leaves_a_running_search_whole(store: Store, tmp_path: Path) -> None:
    """A cache is told which row lost a vector, not whose: it must not take its own for lost."""
    user = fill(store)
    store.reembedding.run()
    with Store.open(tmp_path / "memory.db", embedder=Hashed("first")) as running:
        before = [item.why for item in running.search(user.id, "what did I buy?").items]
        store.embedder = Hashed("gguf:second/32/x", 32)
        store.reembedding.run()
        store.embedder = Hashed("first")
        assert store.vectors.drop(others=True) == 45 and kept(store) == {"first": 45}
        assert [item.why for item in running.search(user.id, "what did I buy?").items] == before
        assert any("meaning" in why for why in before)


def test_opening_does_not_wait_for_it(store: Store) -> None:
    fill(store, lines=100)
    store.reembedding.run()
    second = Hashed("gguf:second/32/x", 32)
    store.embedder = second
    store.reembedding.begin()  # as the chat does
    assert second.seen.wait(30)
    store.reembedding.end()
    assert kept(store)["first"] == 105
    assert len(second.asked) == len(set(Counter(second.asked)))  # each text once


def test_five_megabytes_and_text_without_a_letter_are_kept_and_found(store: Store) -> None:
    user = store.users.get("ana")
    session = store.sessions.start(user.id)
    store.turns.add(session.id, "Ana", "?!… 😀 -- ★ \u200b")
    with pytest.raises(InputError, match="send it in parts"):
        store.turns.add(session.id, "Ana", "word " * 1_000_000)
    store.turns.add(session.id, "Ana", "¿? " * 330_000 + "parrot")
    store.turns.add(session.id, "Ana", "I have a parrot.")
    store.embedder = Hashed("gguf:second/32/x", 32)
    assert "parrot" in store.search(user.id, "parrot").items[0].turns[0].text
    store.reembedding.run(stop=chain([False, False], repeat(True)).__next__)
    assert "parrot" in store.search(user.id, "parrot").items[0].turns[0].text
    assert store.search(user.id, "?!").items is not None and store.search.trouble == ""


def test_searches_look_further_and_further_back_for_what_has_no_vector(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(searching, "LOOKED_BACK", 10)
    monkeypatch.setattr(vector_upkeep, "RECENT", 2)
    user = fill(store)
    assert store.vectors.embed_pending() == 40
    with store.db.write() as db:
        raw(db).execute(f"DELETE FROM vectors WHERE kind = 'passage' AND ref_id IN ({first_of(3)}, {first_of(22)})")
    store.ground.embedded.clear()
    lacking = []
    for _ in range(6):
        store.search(user.id, "What did I buy?")
        lacking.append(store.reembedding.waiting())
    assert lacking == [2, 1, 1, 0, 0, 0]
    turn = store.turns.add(store.sessions.start(user.id).id, "Ana", "I bought a boat.")
    store.search(user.id, "What did I buy?")
    assert store.reembedding.waiting() == 0 and first_of(turn.id) in {ref for _, ref, _ in newest(store)}


def newest(store: Store) -> list[tuple[str, int, np.ndarray]]:
    with store.db.read() as db:
        return vectors.newest(db, "first", 3)
