"""Vectors beside the rows that they belong to, and the scan that finds the nearest.

Up to `WIDE` rows every vector is compared: numkong's SIMD kernels take ~3 ms for three queries and 100,000 vectors of
384 bytes on one core. Of more rows every code is looked at, and the best vectors (`nearest/wide.py`;
docs/design/0002-search.md says why not a graph index).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np
from sqlalchemy import Connection

from ..database.engine import raw
from ..values import FORGOTTEN
from .nearest.numbers import SHIFT, first_of
from .nearest.similarities import Similarities
from .nearest.wide import Codes, Wide, wide
from .passages import passages
from .shelves.blocks import Key
from .shelves.reading import END, REMOVALS, catch_up, read
from .shelves.shelf import Shelf, as_bytes

SHELVES = 8
"""Users and kinds whose vectors stay in memory; the one unused longest goes first."""
LOOSE = 20_000
"""Rows outside of blocks from which they are packed: as many are read in a tenth of a second."""
WIDE = 150_000
"""Rows from which only the most promising are compared exactly."""

Pending = tuple[str, int, int, str]
"""Kind (`memory` or `passage`), number, user id, text."""
_SOURCES = {
    "memory": ("memories", "fact", "+s.valid_to IS NULL", "v.kind = 'memory' AND v.ref_id = s.id"),
    "turn": (
        "turns", "text", f"s.text != '{FORGOTTEN}' AND trim(s.text) != ''",
        f"(v.kind = 'passage' AND v.ref_id = s.id << {SHIFT} OR v.kind = 'turn' AND v.ref_id = s.id)",
    ),
}  # fmt: skip
"""Table, column of the text, which rows are searched, and what is a row's vector: of a turn that of its first passage,
which is made last, or that of the whole turn by an older chatmem (`Recutting`)."""

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


class Look(NamedTuple):
    """Which ids are looked at: those above `floor` but for those above `above` and up to `to`."""

    floor: int
    above: int
    to: int


def last_ids(db: Connection) -> dict[str, int]:
    """The newest row of each kind that has vectors: `memory` and `turn`."""
    return {
        kind: raw(db).execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0
        for kind, (table, *_) in _SOURCES.items()
    }


def pending(
    db: Connection, model: str, user_id: int | None, limit: int, look: Mapping[str, Look]
) -> list[Pending]:  # fmt: skip
    """What has no vector, where it isn't known that all have theirs, so that a full look happens once."""
    found: list[Pending] = []
    for (kind, (table, words, current, own)), newer in product(_SOURCES.items(), (True, False)):
        # Goes by id, not by user, since what is new are few ids (the conditions on other columns use no index).
        query = (
            f"SELECT s.id, s.user_id, s.{words} FROM {table} s "
            f"WHERE s.id > :above AND s.id <= :to AND s.{words} != '' AND {current} "
            f"AND NOT EXISTS (SELECT 1 FROM vectors v WHERE {own} AND v.model = :model) "
            "AND (:user_id IS NULL OR s.user_id = :user_id) ORDER BY s.id DESC LIMIT :some"
        )
        above, to = (look[kind].to, END) if newer else (look[kind].floor, look[kind].above)
        values = {"model": model, "above": above, "to": to, "user_id": user_id, "some": limit - len(found)}
        for row in raw(db).execute(query, values).fetchall():
            found += [("memory", *row)] if kind == "memory" else _passages(db, model, *row)
            if len(found) >= limit:
                return found[:limit]
    return found


def _passages(db: Connection, model: str, turn_id: int, user_id: int, text: str) -> list[Pending]:
    """The passages of a turn that have no vector; the first comes last, since by it the turn counts as done."""
    spans, first = passages(text), first_of(turn_id)
    query = "SELECT ref_id FROM vectors WHERE kind = 'passage' AND model = ? AND ref_id > ? AND ref_id < ?"
    known = {one for (one,) in raw(db).execute(query, (model, first, first_of(turn_id + 1)))} if spans[1:] else set()
    return [
        ("passage", first + place, user_id, text[spans[place][0] : spans[place][1]])
        for place in reversed(range(len(spans)))
        if first + place not in known
    ]


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


class VectorCache:
    """The vectors in memory, brought up to date at each look with what any process has committed. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shelves: OrderedDict[Key, Shelf] = OrderedDict()

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
            asked, steps = as_bytes(queries)
            if shelf.count >= WIDE:
                return wide(rows, *shelf.with_codes(), asked, steps)
            products = np.asarray(numkong.dots_packed(rows.data, numkong.dots_pack(asked))).T
            table = products.astype(np.float32, order="C")
            table *= rows.steps  # in place: new memory for each step costs more than the product
            table *= steps[:, None]
            owners = shelf.owners if kind == "passage" else None
            return [Similarities(rows.ids, row, owners=owners) for row in table]

    def _shelf(self, connection: Connection, key: Key, dimensions: int) -> Shelf:
        shelf = self._shelves.get(key)
        if shelf is None or not catch_up(connection, key, shelf):
            shelf = self._shelves[key] = read(connection, key, dimensions, WIDE)
        self._shelves.move_to_end(key)
        while len(self._shelves) > SHELVES:
            self._shelves.popitem(last=False)
        return shelf

    def much_loose(self) -> list[Key]:
        """Of which vectors so many lie outside of blocks that packing pays; each is told once."""
        with self._lock:
            found = [key for key, shelf in self._shelves.items() if shelf.loose >= LOOSE]
            for key in found:
                self._shelves[key].loose = 0
            return found

    def directions(self, key: Key) -> tuple[Codes, int] | None:
        """Those of these vectors as they are now, and of how many they were made; None for too few, or ones that are
        not in memory."""
        with self._lock:
            shelf = self._shelves.get(key)
            rows = shelf.rows if shelf and shelf.count >= WIDE else None
        return (Codes.of_sample(rows), len(rows.ids)) if rows else None
