"""The vectors in memory are those on the disk, whoever writes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem.memory.database.engine import raw
from chatmem.memory.search import vectors
from chatmem.memory.search.shelves import reading
from chatmem.memory.search.vectors import VectorCache
from chatmem.memory.store.store import Store
from tests.effort import times

DIMENSIONS = 48
STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "replace", "delete", "other user"]), st.integers(1, 12), st.booleans()),
    max_size=20,
)


def unit(seed: int) -> np.ndarray:
    row = np.random.default_rng(seed).normal(size=DIMENSIONS)
    return (row / np.linalg.norm(row)).astype(np.float32)


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two stores on one file, as two processes have them."""
    with Store.open(tmp_path / "m.db") as first, Store.open(tmp_path / "m.db") as second:
        first.users.get("ana"), first.users.get("ben")
        yield first, second


def write(store: Store, what: str, ref: int, seed: int) -> None:
    with store.db.write() as db:
        if what == "delete":
            raw(db).execute("DELETE FROM vectors WHERE kind = 'turn' AND ref_id = ? AND user_id = 1", (ref,))
        else:
            kind, user = ("memory", 2) if what == "other user" else ("turn", 1)
            vectors.put(db, user, kind, [ref], unit(seed)[None, :], "m")


def check(store: Store, cache: VectorCache, query: np.ndarray) -> None:
    with store.db.read() as db:
        (found,) = cache.compare(db, 1, "turn", "m", query[None, :])
        rows = raw(db).execute("SELECT ref_id, data FROM vectors WHERE user_id = 1 AND kind = 'turn' ORDER BY ref_id")
        stored = {ref: np.frombuffer(data, np.float16).astype(np.float32) for ref, data in rows}
    assert list(found.ids) == sorted(stored)
    exact = np.array([stored[ref] @ query for ref in sorted(stored)])
    assert np.allclose(found.cosines, exact, atol=0.01)  # a byte per number
    assert found.of([99]) == 0 and found.standard([99]) == 0
    assert set(found.best(3)) <= set(stored) and len(found.best(3)) == min(3, len(stored))


@settings(max_examples=times(25, 10), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_caches_follow_every_writer(two: tuple[Store, Store], steps: list[tuple[str, int, bool]]) -> None:
    caches, query = (VectorCache(), VectorCache()), unit(1000)
    for number, (what, ref, by_second) in enumerate(steps):
        write(two[by_second], what, ref, number)
        for store, cache in zip(two, caches, strict=True):
            check(store, cache, query)


def test_a_cache_that_slept_too_long_loads_anew(two: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "REMOVALS", 5)
    first, second = two
    for ref in range(1, 13):
        write(first, "put", ref, ref)
    cache = VectorCache()
    check(second, cache, unit(7))
    for ref in range(1, 10):
        write(first, "delete", ref, 0)
    with first.db.write() as db:
        raw(db).execute("DELETE FROM vector_removals WHERE id < 8")
    check(second, cache, unit(7))


def test_old_users_make_room_for_new_ones(two: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "SHELVES", 1)
    cache = VectorCache()
    write(two[0], "put", 1, 1)
    write(two[0], "other user", 2, 2)
    for _ in range(2):
        with two[1].db.read() as db:
            assert list(cache.compare(db, 2, "memory", "m", unit(3)[None, :])[0].ids) == [2]
        check(two[1], cache, unit(3))


def test_vectors_of_another_model_are_not_compared(two: tuple[Store, Store]) -> None:
    write(two[0], "put", 1, 1)
    with two[0].db.read() as db:
        assert not len(VectorCache().compare(db, 1, "turn", "other", unit(3)[None, :])[0].ids)
