"""Vectors beside the rows that they belong to, and the scan that finds the nearest.

Up to `WIDE` rows every vector is compared: numkong's SIMD kernels take ~3 ms for three queries and 100,000 vectors of
384 bytes on one core. Of more rows every code is looked at, and the best vectors (`nearest/wide.py`;
docs/design/0002-search.md says why not a graph index).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from sqlalchemy import Connection

from ..database.engine import raw
from .nearest.numbers import SHIFT, first_of
from .nearest.similarities import Similarities
from .nearest.wide import Codes, Rows, Wide, wide

SHELVES = 8
"""Users and kinds whose vectors stay in memory; the one unused longest goes first."""
PORTION = 4_096
"""Vectors read at a time."""
WIDE = 150_000
"""Rows from which only the most promising are compared exactly."""
REMOVALS = 20_000
"""Removals remembered for the caches of other processes; a cache further behind loads anew."""

TABLES = (
    "DROP TABLE vectors",
    """CREATE TABLE vectors (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind VARCHAR NOT NULL,
    ref_id INTEGER NOT NULL,
    model VARCHAR NOT NULL,
    user_id INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (kind, ref_id, model),
    FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)""",
    "CREATE INDEX vectors_user ON vectors (user_id, kind, model)",
    """CREATE TABLE vector_removals (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind VARCHAR NOT NULL,
    ref_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL
)""",
    f"""CREATE TRIGGER vector_removed AFTER DELETE ON vectors BEGIN
    INSERT INTO vector_removals (kind, ref_id, user_id) VALUES (old.kind, old.ref_id, old.user_id);
    DELETE FROM vector_removals WHERE id <= (SELECT max(id) FROM vector_removals) - {REMOVALS};
END""",
)


class Embedder(Protocol):
    """Text to unit vectors, float32, shape (n, dimensions): what is stored, and questions about it.

    `name`: under it the vectors are kept, so two encoders whose vectors can't be compared never share one. That of an
    encoder other than the embedded begins with its kind and a colon (`foreign`). Any of these may raise ModelError.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> np.ndarray: ...

    def embed_questions(self, texts: Sequence[str]) -> np.ndarray: ...


def foreign(embedder: Embedder) -> bool:
    """Whether it is another encoder than the one that ranker, floors and tidying were fitted with. Raises ModelError
    as `name` does."""
    return ":" in embedder.name


def create(connection: Connection) -> None:
    """Makes the tables; vectors of an older form are made again from the text."""
    for statement in TABLES:
        raw(connection).execute(statement)


def put(
    connection: Connection, user_id: int, kind: str, ref_ids: Sequence[int], matrix: np.ndarray, model: str
) -> None:  # fmt: skip
    """Keeps one unit vector per row as half floats, in place of an older one of the same model."""
    halves = matrix.astype(np.float16)
    raw(connection).executemany(
        "INSERT OR REPLACE INTO vectors (kind, ref_id, model, user_id, data) VALUES (?, ?, ?, ?, ?)",
        [(kind, ref, model, user_id, row.tobytes()) for ref, row in zip(ref_ids, halves, strict=True)],
    )


def drop_turns(connection: Connection, turn_ids: Sequence[int]) -> None:
    """Deletes the vectors of turns and of their passages."""
    ranges = [(first_of(turn_id), first_of(turn_id + 1)) for turn_id in turn_ids]
    query = "DELETE FROM vectors WHERE kind = 'passage' AND ref_id >= ? AND ref_id < ?"
    raw(connection).executemany(query, ranges)
    whole = [(turn_id,) for turn_id in turn_ids]
    raw(connection).executemany("DELETE FROM vectors WHERE kind = 'turn' AND ref_id = ?", whole)


def fetch(connection: Connection, model: str, ref_ids: Sequence[int], dimensions: int) -> np.ndarray:
    """The unit vectors of memories, float32, shape (len(ref_ids), dimensions); zeros where there is none."""
    found = np.zeros((len(ref_ids), dimensions), np.float32)
    places = {ref: place for place, ref in enumerate(ref_ids)}
    query = "SELECT ref_id, data FROM vectors WHERE kind = 'memory' AND model = ? AND ref_id = ?"
    for ref in ref_ids:
        row = raw(connection).execute(query, (model, ref)).fetchone()
        if row is not None:
            found[places[ref]] = np.frombuffer(row[1], np.float16)
    return found


def kept(connection: Connection) -> list[tuple[str, int, int]]:
    """Each encoder of which there are vectors: its name, how many, and their bytes."""
    query = "SELECT model, count(*), sum(length(data)) FROM vectors GROUP BY model ORDER BY model"
    return [(model, count, size) for model, count, size in raw(connection).execute(query)]


def lacking(connection: Connection, model: str) -> int:
    """How many current memories, passages, and turns that are still whole have no vector of this encoder."""
    none = "NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = ?1 AND "
    query = (
        f"SELECT (SELECT count(*) FROM memories s WHERE +s.valid_to IS NULL AND s.fact != '' "
        f"AND {none} v.kind = 'memory' AND v.ref_id = s.id))"
        f" + (SELECT count(*) FROM passages_fts_docsize d WHERE {none} v.kind = 'passage' AND v.ref_id = d.id))"
        f" + (SELECT count(*) FROM turns_fts_docsize d WHERE {none} (v.kind = 'turn' AND v.ref_id = d.id "
        f"OR v.kind = 'passage' AND v.ref_id = d.id << {SHIFT})))"
    )
    return int(raw(connection).execute(query, (model,)).fetchone()[0])


def newest(connection: Connection, model: str, count: int) -> list[tuple[str, int, np.ndarray]]:
    """Kind, number and vector of the newest that are kept of an encoder."""
    query = "SELECT kind, ref_id, data FROM vectors WHERE model = ? ORDER BY id DESC LIMIT ?"
    rows = raw(connection).execute(query, (model, count))
    return [(kind, ref, np.frombuffer(data, np.float16).astype(np.float32)) for kind, ref, data in rows]


def drop_encoder(connection: Connection, model: str, *, others: bool) -> int:
    """Deletes the vectors of this encoder, or of all `others`; returns how many.

    Which encoder's a removed vector was isn't recorded: the number of the newest removal leaps, so that every cache
    loads anew what is left.
    """
    which = "model != ?" if others else "model = ?"
    gone = raw(connection).execute(f"DELETE FROM vectors WHERE {which}", (model,)).rowcount
    if gone:
        leap = "INSERT INTO vector_removals (id, kind, ref_id, user_id) SELECT max(id) + ?, 'none', 0, 0 "
        raw(connection).execute(leap + "FROM vector_removals", (REMOVALS,))
    return gone


@dataclass
class _Shelf:
    """One user's vectors of a kind: row i of `data`, in steps of `steps[i]`, belongs to `ids[i]`; ids ascend.

    `seen` and `removed` are the newest rows that were read of the two tables.
    """

    dimensions: int
    ids: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    data: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    steps: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    count: int = 0
    seen: int = 0
    removed: int = 0
    codes: Codes | None = None
    coded: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    """Codes of the first rows, those that `codes` has been given yet."""

    @property
    def rows(self) -> Rows:
        return Rows(*(part[: self.count] for part in (self.ids, self.data, self.steps)))


class VectorCache:
    """The vectors in memory, brought up to date at each look with what any process has committed. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shelves: OrderedDict[tuple[int, str, str], _Shelf] = OrderedDict()

    def compare(
        self, connection: Connection, user_id: int, kind: str, model: str, queries: np.ndarray
    ) -> list[Similarities] | list[Wide]:
        """The cosines of each query (float32, shape (n, dimensions), unit length) with this user's vectors."""
        import numkong

        with self._lock:
            shelf = self._shelf(connection, (user_id, kind, model), queries.shape[1])
            # Views stay what they are: the shelf writes only behind its count, and else makes new arrays.
            rows = shelf.rows
            if not shelf.count:
                return [Similarities(rows.ids, np.empty(0, np.float32))] * len(queries)
            asked, steps = _bytes(queries)
            if shelf.count >= WIDE:
                return wide(rows, *_coded(shelf), asked, steps)
            products = np.asarray(numkong.dots_packed(rows.data, numkong.dots_pack(asked))).T
            table = products.astype(np.float32, order="C") * rows.steps * steps[:, None]
            return [Similarities(rows.ids, row) for row in table]

    def _shelf(self, connection: Connection, key: tuple[int, str, str], dimensions: int) -> _Shelf:
        shelf = self._shelves.get(key)
        if shelf is None or not _catch_up(connection, key, shelf):
            shelf = self._shelves[key] = _Shelf(dimensions)
            shelf.removed = _newest(connection, "SELECT max(id) FROM vector_removals")
            _load(connection, key, shelf)
        self._shelves.move_to_end(key)
        while len(self._shelves) > SHELVES:
            self._shelves.popitem(last=False)
        return shelf


def _coded(shelf: _Shelf) -> tuple[Codes, np.ndarray]:
    """The codes of all rows, those of new ones made now."""
    rows = shelf.rows
    if shelf.codes is None or not len(shelf.coded):
        shelf.codes, shelf.coded = Codes(rows), np.empty((0, 0), np.int8)
    if (known := len(shelf.coded)) < shelf.count:
        new = shelf.codes.of(rows.data[known:], rows.steps[known:])
        shelf.coded = np.concatenate([shelf.coded, new]) if known else new
    return shelf.codes, shelf.coded


def _bytes(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as one byte per number, and the size of each row's steps: a cosine is off by less than 0.005."""
    numbers = matrix.astype(np.float32)
    steps = np.maximum(np.abs(numbers).max(axis=1), 1e-9) / 127
    return np.rint(numbers / steps[:, None]).astype(np.int8), steps


def _newest(connection: Connection, query: str, values: Sequence[object] = ()) -> int:
    """A bare max() over an index reads one row; wrapped in coalesce() it would read all."""
    return raw(connection).execute(query, values).fetchone()[0] or 0


def _catch_up(connection: Connection, key: tuple[int, str, str], shelf: _Shelf) -> bool:
    """Applies removals and additions since the last look; False when too many removals have been forgotten."""
    newest = _newest(connection, "SELECT max(id) FROM vector_removals")
    if newest > shelf.removed:
        if newest - shelf.removed >= REMOVALS:
            return False
        query = "SELECT ref_id FROM vector_removals WHERE id > ? AND user_id = ? AND kind = ?"
        gone = raw(connection).execute(query, (shelf.removed, key[0], key[1])).fetchall()
        _drop(shelf, np.unique(np.array([ref for (ref,) in gone], np.int64)))
        shelf.removed = newest
    newest = _newest(connection, "SELECT max(id) FROM vectors WHERE user_id = ? AND kind = ? AND model = ?", key)
    if newest > shelf.seen:
        _load(connection, key, shelf)
    return True


def _drop(shelf: _Shelf, refs: np.ndarray) -> None:
    """Takes the rows with these ids out, where there are any."""
    ids = shelf.ids[: shelf.count]
    places = np.searchsorted(ids, refs)
    there = places < shelf.count
    there[there] = ids[places[there]] == refs[there]
    if there.any():
        shelf.ids = np.delete(ids, places[there])
        shelf.data = np.delete(shelf.data[: shelf.count], places[there], axis=0)
        shelf.steps = np.delete(shelf.steps[: shelf.count], places[there])
        shelf.count = len(shelf.ids)
        shelf.coded = shelf.coded[: int(places[there].min())]


def _load(connection: Connection, key: tuple[int, str, str], shelf: _Shelf) -> None:
    """Reads what is newer than `seen`, in portions, since all at once would hold the vectors several times over."""
    query = "SELECT id, ref_id, data FROM vectors WHERE user_id = ? AND kind = ? AND model = ? AND id > ? ORDER BY id"
    cursor = raw(connection).execute(query, (*key, shelf.seen))
    while rows := cursor.fetchmany(PORTION):
        shelf.seen = rows[-1][0]
        _merge(shelf, [row for row in rows if len(row[2]) == 2 * shelf.dimensions])


def _merge(shelf: _Shelf, rows: Sequence[tuple[int, int, bytes]]) -> None:
    if not rows:
        return
    refs = np.array([ref for _, ref, _ in rows], np.int64)
    halves = np.frombuffer(b"".join(data for *_, data in rows), np.float16)
    _drop(shelf, refs)
    ascending = bool(np.all(np.diff(refs) > 0)) and (not shelf.count or refs[0] > shelf.ids[shelf.count - 1])
    _append(shelf, refs, *_bytes(halves.reshape(len(rows), shelf.dimensions)))
    if not ascending:
        order = np.argsort(shelf.ids[: shelf.count], kind="stable")
        shelf.coded = shelf.coded[: int((order != np.arange(shelf.count)).argmax())]
        shelf.ids, shelf.data, shelf.steps = shelf.ids[order], shelf.data[order], shelf.steps[order]


def _append(shelf: _Shelf, refs: np.ndarray, data: np.ndarray, steps: np.ndarray) -> None:
    """Grows by half when full, so that adding one by one stays cheap."""
    old, needed = shelf.count, shelf.count + len(refs)
    if needed > len(shelf.ids) or shelf.data.shape[1] != shelf.dimensions:
        room = max(needed, old * 3 // 2)
        ids, grown, longer = np.empty(room, np.int64), np.empty((room, shelf.dimensions), np.int8), np.empty(room, "f4")
        if old:
            ids[:old], grown[:old], longer[:old] = shelf.ids[:old], shelf.data[:old], shelf.steps[:old]
        shelf.ids, shelf.data, shelf.steps = ids, grown, longer
    shelf.ids[old:needed], shelf.data[old:needed], shelf.steps[old:needed] = refs, data, steps
    shelf.count = needed
