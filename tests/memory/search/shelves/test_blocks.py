"""Vectors that are read from blocks are those of the rows, whoever writes; and no block outlives one of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem.memory.database.engine import raw
from chatmem.memory.database.key import Secret
from chatmem.memory.errors import StoreFull
from chatmem.memory.search import vectors
from chatmem.memory.search.nearest.numbers import first_of
from chatmem.memory.search.shelves import blocks, reading
from chatmem.memory.search.shelves.packing import Packing
from chatmem.memory.search.shelves.shelf import Shelf
from chatmem.memory.search.vectors import VectorCache
from chatmem.memory.store.store import Store
from tests.effort import times

DIMENSIONS = 64
KEY = (1, "passage", "m")
WHAT = ("put", "put", "replace", "delete", "other user", "pack", "encode", "all gone")
STEPS = st.lists(
    st.tuples(st.sampled_from(WHAT), st.lists(st.integers(1, 40), min_size=1, max_size=12), st.booleans()), max_size=16
)


def units(seeds: Sequence[int]) -> np.ndarray:
    rows = np.stack([np.random.default_rng(seed).normal(size=DIMENSIONS) for seed in seeds])
    made: np.ndarray = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return made


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows."""
    monkeypatch.setattr(blocks, "SIZE", 5)
    monkeypatch.setattr(blocks, "RUN", 3)
    monkeypatch.setattr(vectors, "WIDE", 12)


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two stores on one file, as two processes have them."""
    with Store.open(tmp_path / "m.db") as first, Store.open(tmp_path / "m.db") as second:
        first.users.get("ana"), first.users.get("ben")
        yield first, second


def put(store: Store, refs: Sequence[int], seeds: Sequence[int] = (), user: int = 1, kind: str = "passage") -> None:
    with store.db.write() as db:
        vectors.put(db, user, kind, refs, units(seeds or refs), "m")


def pack(store: Store, codes: bool = True) -> None:
    """All that pays, as the thread does it; the directions are those of the rows."""
    cache = VectorCache()
    with store.db.read() as db:
        cache.compare(db, *KEY, units([1]))
    Packing(cache.directions if codes else lambda key: None).run(store.db, KEY)


def sizes(store: Store) -> list[int]:
    with store.db.read() as db:
        return [one.size for one in blocks.listed(db, KEY)]


def by_rows(store: Store) -> Shelf:
    """The shelf as the rows alone make it."""
    shelf = Shelf(DIMENSIONS)
    with store.db.read() as db:
        for found in blocks.rows_between(db, KEY, 0, reading.END):
            shelf.merge(blocks.as_rows(found, DIMENSIONS))
    return shelf


def same(store: Store, cache: VectorCache) -> None:
    """The rows, what a new process reads, and what one has that follows the others, are the same."""
    with store.db.read() as db:
        cache.compare(db, *KEY, units([1]))
        fresh = reading.read(db, KEY, DIMENSIONS, 12)
    followed, true = cache._shelves[KEY], by_rows(store)
    for one in (fresh, followed):
        assert one.rows.ids.tolist() == true.rows.ids.tolist()
        assert one.rows.data.tobytes() == true.rows.data.tobytes()
        assert one.rows.steps.tobytes() == true.rows.steps.tobytes()
        if one.codes is not None and one.count:
            codes, coded = one.with_codes()
            assert np.array_equal(coded, codes.of(one.rows.data, one.rows.steps))


def act(store: Store, what: str, refs: list[int], number: int) -> None:
    if what == "put" or what == "other user":
        user, kind = (2, "turn") if what == "other user" else (1, "passage")
        put(store, [*dict.fromkeys(refs)], [number * 100 + ref for ref in dict.fromkeys(refs)], user, kind)
    elif what == "replace":
        put(store, refs[:1], [number])
    elif what == "pack":
        pack(store, codes=number % 2 == 0)
    elif what == "encode":
        with store.db.write() as db:
            blocks.encode(db, KEY)
    else:
        which = "1" if what == "all gone" else f"ref_id = {refs[0]}"
        with store.db.write() as db:
            raw(db).execute(f"DELETE FROM vectors WHERE user_id = 1 AND {which}")


@settings(max_examples=times(150, 40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_blocks_hold_what_the_rows_hold_whoever_writes(
    two: tuple[Store, Store], steps: list[tuple[str, list[int], bool]]
) -> None:  # fmt: skip
    caches = VectorCache(), VectorCache()
    act(two[0], "all gone", [], 0)
    put(two[0], range(1, 16))
    pack(two[0])
    for number, (what, refs, by_second) in enumerate(steps, 1):
        act(two[by_second], what, refs, number)
        for store, cache in zip(two, caches, strict=True):
            same(store, cache)


def test_a_start_reads_blocks_and_only_the_rest_by_row(two: tuple[Store, Store]) -> None:
    put(two[0], range(1, 24))
    pack(two[0])
    assert sizes(two[1]) == [5, 5, 5, 5, 3]
    put(two[1], [30, 31])
    with two[1].db.write() as db:
        raw(db).execute("DELETE FROM vectors WHERE ref_id = 7")
    assert sizes(two[0]) == [5, 5, 5, 3]
    with two[0].db.read() as db:
        shelf = reading.read(db, KEY, DIMENSIONS, 12)
    assert shelf.count == 24 and shelf.loose == 6 and len(shelf.coded) == 24
    pack(two[1])
    assert sizes(two[0]) == [5, 4, 5, 5, 3]  # the two newest are too few


def test_newest_first_is_in_order_all_the_same(two: tuple[Store, Store]) -> None:
    for ref in range(20, 0, -1):
        put(two[0], [ref])
    pack(two[0])
    assert sizes(two[0]) == [5] * 4
    same(two[1], VectorCache())


@pytest.mark.parametrize("how", ["delete", "replace", "turn", "user", "encoder"])
def test_no_block_outlives_a_row(two: tuple[Store, Store], how: str) -> None:
    put(two[0], [first_of(turn) for turn in range(1, 16)])
    pack(two[0])
    with two[0].db.write() as db:
        held = raw(db).execute("SELECT data FROM vector_blocks ORDER BY id").fetchone()[0][:DIMENSIONS]
        if how == "delete":
            raw(db).execute("DELETE FROM vectors WHERE id = 1")
        elif how == "replace":
            vectors.put(db, 1, "passage", [first_of(1)], units([99]), "m")
        elif how == "turn":
            vectors.drop_turns(db, [1])
        elif how == "user":
            raw(db).execute("DELETE FROM users WHERE id = 1")
        else:
            vectors.drop_encoder(db, "m", others=False)
        left = raw(db).execute("SELECT data FROM vector_blocks UNION ALL SELECT data FROM vector_codes").fetchall()
        aimed = raw(db).execute("SELECT count(*) FROM vector_directions").fetchone()[0]
    assert len(left) == (0 if how in ("user", "encoder") else 4) and aimed == bool(left)
    assert not any(held in data for (data,) in left)
    with two[0].db.alone() as driver:
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert held not in two[0].db.path.read_bytes()


def test_an_encrypted_memory_has_blocks_and_one_that_is_only_read_reads_them(tmp_path: Path) -> None:
    pytest.importorskip("sqlcipher3")
    secret = Secret("a long enough passphrase")
    with Store.open(tmp_path / "m.db", secret=secret) as store:
        store.users.get("ana")
        put(store, range(1, 24))
        pack(store)
    with Store.open(tmp_path / "m.db", secret=secret, read_only=True) as store:
        same(store, VectorCache())
        assert sizes(store) == [5, 5, 5, 5, 3]
        Packing(lambda key: None).begin(store.db, [KEY])


class Words:
    """Vectors of words, alike in every process."""

    name, dimensions = "m", DIMENSIONS

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return units([sum(text.encode()) for text in texts])

    embed_questions = embed


def test_a_search_that_reads_much_by_row_has_it_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "LOOSE", 16)
    with Store.open(tmp_path / "m.db", embedder=Words()) as store:
        user = store.users.get("ana").id
        session = store.sessions.start(user).id
        for number in range(20):
            store.turns.add(session, "Ana", f"I have {number} cats.")
        before = store.search(user, "How many cats?")
        thread = store.ground.searcher.packing._thread
        assert thread is not None
        thread.join()
        assert sizes(store) == [5] * 4
        store.ground.searcher.cache = VectorCache()
        assert store.search(user, "How many cats?").items == before.items
        assert store.ground.searcher.packing._thread is thread  # nothing is left to pack
        turn = before.items[0].turns[0].id
        assert store.forget.memories(user, [], with_evidence_text=True).bytes_checked
        store.forget.turn(turn)
        assert sum(sizes(store)) == 15 and store.check() == []


def test_a_full_disk_leaves_the_rows(two: tuple[Store, Store]) -> None:
    put(two[0], range(1, 16))
    with two[0].db.alone() as driver:
        (pages,) = driver.execute("PRAGMA page_count").fetchone()
        driver.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreFull):
        for number in range(1, 40):
            put(two[0], range(100 * number, 100 * number + 50))
            pack(two[0])
    same(two[1], VectorCache())
