"""Of very many vectors only the most promising are compared exactly: nothing else may differ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.database.engine import raw
from chatmem.memory.search import vectors
from chatmem.memory.search.nearest import wide
from chatmem.memory.search.nearest.similarities import Similarities, by_turn
from chatmem.memory.search.nearest.wide import Wide, WideTurns
from chatmem.memory.search.vectors import VectorCache
from chatmem.memory.store.store import Store

DIMENSIONS = 384


def alike(rows: int, seed: int = 1) -> np.ndarray:
    """Unit vectors that differ as those of texts do: much in some directions, little in most."""
    rng = np.random.default_rng(seed)
    spread = 1 / np.sqrt(np.arange(1, DIMENSIONS + 1))
    found = rng.normal(size=(rows, DIMENSIONS)) * spread + 0.3 * spread
    unit: np.ndarray = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    return unit


def filled(path: Path, numbers: list[int], matrix: np.ndarray) -> Store:
    store = Store.open(path)
    user = store.users.get("ana").id
    with store.db.write() as db:
        vectors.put(db, user, "passage", numbers, matrix, "m")
    return store


def compared(store: Store, cache: VectorCache, queries: np.ndarray) -> list[Similarities] | list[Wide]:
    with store.db.read() as db:
        return cache.compare(db, 1, "passage", "m", queries)


def test_the_nearest_by_codes_are_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wide, "CLOSE", 200)
    rows, queries = alike(6_000), alike(20, seed=2)
    with filled(tmp_path / "m.db", list(range(1, 6_001)), rows) as store:
        exact = compared(store, VectorCache(), queries)
        monkeypatch.setattr(vectors, "WIDE", 5_000)
        rough = compared(store, VectorCache(), queries)
    shares = [len({*one.best(20)} & {*other.best(20)}) / 20 for one, other in zip(exact, rough, strict=True)]
    assert isinstance(rough[0], Wide) and np.mean(shares) >= 0.97 and min(shares) >= 0.8
    ids = [5, 6_000, 17, 9_999]
    assert np.allclose(exact[0].of(ids), rough[0].of(ids)) and np.allclose(
        exact[0].standard(ids), rough[0].standard(ids)
    )
    assert rough[0].best(20) == rough[0].all().best(20, ordered=True)


@pytest.mark.parametrize("equal", [False, True])
def test_the_best_are_those_of_a_sort(equal: bool) -> None:
    for seed in range(20):
        cosines = np.random.default_rng(seed).normal(size=5_000 + seed).astype(np.float32)
        if equal:
            cosines = np.round(cosines, 2)
        near = Similarities(np.arange(len(cosines)), cosines)
        assert cosines[near.best(60, ordered=True)].tolist() == np.sort(cosines)[: -60 - 1 : -1].tolist()
        assert sorted(near.best(60)) == sorted(np.argpartition(cosines, -60)[-60:].tolist())


def test_turns_are_their_nearest_passages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [turn << 20 | place for turn in (3, 4, 9) for place in range(4)]
    with filled(tmp_path / "m.db", numbers, alike(12)) as store:
        exact = by_turn([one for one in compared(store, VectorCache(), alike(2, 5)) if isinstance(one, Similarities)],
                        [Similarities(np.empty(0, np.int64), np.empty(0, np.float32))] * 2)  # fmt: skip
        monkeypatch.setattr(vectors, "WIDE", 1)
        rough = [WideTurns(one) for one in compared(store, VectorCache(), alike(2, 5)) if isinstance(one, Wide)]
    assert len(rough) == 2
    turns = [4, 5, 9, 3]
    for one, other in zip(exact, rough, strict=True):
        assert one.nearest(turns) == other.nearest(turns) and other.nearest(turns)[1] == -1
        assert one.best(2, ordered=True) == other.best(2)
        assert np.allclose(one.of(turns), other.of(turns)) and np.allclose(one.standard(turns), other.standard(turns))
        assert np.allclose(one.standard_passages([*numbers, 7]), other.standard_passages([*numbers, 7]))


def test_codes_follow_what_comes_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "WIDE", 1)
    monkeypatch.setattr(wide, "CLOSE", 3)  # so that a code at the wrong row would hide it
    rows, cache = alike(40), VectorCache()
    with filled(tmp_path / "m.db", list(range(2, 82, 2)), rows) as store:

        def first(query: np.ndarray) -> int:
            return compared(store, cache, query[None])[0].best(1)[0]

        assert [first(rows[place]) for place in (0, 20, 39)] == [2, 42, 80]
        with store.db.write() as db:
            raw(db).execute("DELETE FROM vectors WHERE ref_id IN (4, 50)")
            vectors.put(db, 1, "passage", [31, 42, 99], alike(3, seed=8), "m")  # between, in place of one, behind all
        new = alike(3, seed=8)
        assert [first(one) for one in new] == [31, 42, 99]
        assert [first(rows[place]) for place in (0, 19, 39)] == [2, 40, 80]


def test_a_search_finds_the_same(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    user = store.users.get("ana").id
    session = store.sessions.start(user).id
    for line in ("We have two cats, Nori and Wasabi.", "I work as a nurse in Boston.", "I drive an old green Volvo."):
        store.turns.add(session, "Ana", line)
        store.turns.add(session, "assistant", f"{line} " * 30)
    store.facts.remember(user, "Ana", "pets", "Ana has two cats, Nori and Wasabi.")

    def found() -> list[list[tuple[float, str]]]:
        some = [store.search(user, one, speaker="Ana") for one in ("What are my cats called?", "Hello. My car?")]
        return [[(round(item.score, 4), item.passage) for item in one.items] for one in some]

    before = found()
    store.ground.searcher.cache = VectorCache()
    monkeypatch.setattr(vectors, "WIDE", 1)
    assert found() == before and all(before)
