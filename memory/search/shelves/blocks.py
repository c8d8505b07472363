"""Blocks: the vectors of some thousand rows in one, as search compares them, so that a start needn't read each row.

The rows stay what is true. A block holds all rows of a user, kind and encoder whose ids lie between its first and its
last: ids only grow and rows never change, so a block is true until one of its rows goes. Then triggers take it away in
the same statement, whoever sent that; its other rows are read one by one until they are packed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from ...database.engine import raw
from ..nearest.wide import Codes, Rows, code_size
from .shelf import as_bytes

Key = tuple[int, str, str]
"""User, kind and encoder."""
SIZE, RUN = 4_096, 2_048
"""Rows of a block at most, and those that lie so near together that they are worth one."""
GROWN = 4
"""By how many times the rows grow until directions are made anew."""
_HELD = "b.user_id = v.user_id AND b.kind = v.kind AND b.model = v.model AND b.first_id <= v.id AND b.last_id >= v.id"
TABLES = (
    """CREATE TABLE vector_blocks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    first_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL,
    least_ref INTEGER NOT NULL,
    size INTEGER NOT NULL,
    refs BLOB NOT NULL,
    steps BLOB NOT NULL,
    data BLOB NOT NULL,
    FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)""",
    "CREATE INDEX vector_blocks_user ON vector_blocks (user_id, kind, model, first_id, last_id)",
    """CREATE TABLE vector_codes (
    block_id INTEGER NOT NULL PRIMARY KEY,
    data BLOB NOT NULL,
    FOREIGN KEY(block_id) REFERENCES vector_blocks (id) ON DELETE CASCADE
)""",
    """CREATE TABLE vector_directions (
    user_id INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    made_of INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (user_id, kind, model),
    FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)""",
    f"""CREATE TRIGGER vector_block_broken BEFORE DELETE ON vectors BEGIN
    DELETE FROM vector_blocks WHERE id IN (SELECT b.id FROM vectors v, vector_blocks b WHERE v.id = old.id AND {_HELD});
END""",
    # REPLACE deletes what it replaces without a word to the trigger above.
    f"""CREATE TRIGGER vector_block_overtaken BEFORE INSERT ON vectors BEGIN
    DELETE FROM vector_blocks WHERE id IN (
        SELECT b.id FROM vectors v, vector_blocks b
        WHERE v.kind = new.kind AND v.ref_id = new.ref_id AND v.model = new.model AND {_HELD}
    );
END""",
    """CREATE TRIGGER vector_block_removed AFTER DELETE ON vector_blocks BEGIN
    DELETE FROM vector_directions
    WHERE user_id = old.user_id AND kind = old.kind AND model = old.model AND NOT EXISTS (
        SELECT 1 FROM vector_blocks b WHERE b.user_id = old.user_id AND b.kind = old.kind AND b.model = old.model
    );
END""",
)


class Block(NamedTuple):
    """What is known of a block without reading it. `least`: the least number that its rows are of."""

    id: int
    first: int
    last: int
    least: int
    size: int
    dimensions: int
    coded: bool


def create(connection: Connection) -> None:
    """Makes the tables; the blocks come when a search has found many rows that are in none."""
    for statement in TABLES:
        raw(connection).execute(statement)


def listed(connection: Connection, key: Key) -> list[Block]:
    """All blocks, by their first row."""
    query = (
        "SELECT id, first_id, last_id, least_ref, size, length(data) / size, "
        "EXISTS (SELECT 1 FROM vector_codes c WHERE c.block_id = b.id) "
        "FROM vector_blocks b WHERE user_id = ? AND kind = ? AND model = ? ORDER BY first_id"
    )
    return [Block(*row) for row in raw(connection).execute(query, key)]


def gaps(known: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """Between which ids the rows lie that are in no block: both ends are left out."""
    ends = [0, *(one.last for one in known)], [*(one.first for one in known), 1 << 62]
    return ((low, high) for low, high in zip(*ends, strict=True) if high - low > 1)


def read(connection: Connection, block: Block, *, with_codes: bool = False) -> tuple[Rows, np.ndarray | None]:
    """The rows of a block, and their codes where they are asked for and there."""
    query = "SELECT refs, steps, data FROM vector_blocks WHERE id = ?"
    refs, steps, data = raw(connection).execute(query, (block.id,)).fetchone()
    numbers = np.frombuffer(data, np.int8).reshape(block.size, block.dimensions)
    rows = Rows(np.frombuffer(refs, "<i8"), numbers, np.frombuffer(steps, "<f4"))
    if not with_codes or not block.coded:
        return rows, None
    (codes,) = raw(connection).execute("SELECT data FROM vector_codes WHERE block_id = ?", (block.id,)).fetchone()
    return rows, np.frombuffer(codes, np.int8).reshape(block.size, code_size(block.dimensions))


def directions(connection: Connection, key: Key) -> tuple[Codes, int] | None:
    """Those that all codes of these blocks are made by, and of how many rows they were made."""
    query = "SELECT data, made_of FROM vector_directions WHERE user_id = ? AND kind = ? AND model = ?"
    row = raw(connection).execute(query, key).fetchone()
    return (Codes.from_bytes(row[0]), row[1]) if row else None


def rows_between(connection: Connection, key: Key, low: int, high: int) -> Iterator[list[tuple[int, int, bytes]]]:
    """Id, number and half floats of the rows with ids between, in portions of the size of a block."""
    query = (
        "SELECT id, ref_id, data FROM vectors WHERE user_id = ? AND kind = ? AND model = ? AND id > ? AND id < ? "
        "ORDER BY id"
    )
    cursor = raw(connection).execute(query, (*key, low, high))
    while rows := cursor.fetchmany(SIZE):
        yield rows


def as_rows(found: Sequence[tuple[int, int, bytes]], dimensions: int) -> Rows:
    """What was read, in the order of their numbers, but for vectors of another size."""
    found = sorted((row for row in found if len(row[2]) == 2 * dimensions), key=lambda row: row[1])
    halves = np.frombuffer(b"".join(data for *_, data in found), np.float16)
    return Rows(np.array([ref for _, ref, _ in found], np.int64), *as_bytes(halves.reshape(len(found), dimensions)))


# Making them


def pack(connection: Connection, key: Key) -> bool:
    """Makes one block of rows that are in none; False where nothing is left that is worth it."""
    for low, high in gaps(listed(connection, key)):
        found = next(rows_between(connection, key, low, high), [])
        dimensions = len(found[0][2]) // 2 if found else 0
        if len(found) >= RUN and all(len(data) == 2 * dimensions for *_, data in found):
            rows = as_rows(found, dimensions)
            what = (*key, found[0][0], found[-1][0], int(rows.ids[0]), len(found), rows.ids.astype("<i8").tobytes())
            raw(connection).execute(
                "INSERT INTO vector_blocks (user_id, kind, model, first_id, last_id, least_ref, size, refs, steps, "
                "data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*what, rows.steps.astype("<f4").tobytes(), rows.data.tobytes()),
            )
            return True
    return False


def lack_directions(connection: Connection, key: Key, count: int) -> bool:
    """Whether there are none for so many rows, or only those of a much smaller memory."""
    known = directions(connection, key)
    return known is None or count >= GROWN * known[1]


def keep_directions(connection: Connection, key: Key, codes: Codes, count: int) -> None:
    """In place of others, whose codes go."""
    of_key = "SELECT id FROM vector_blocks WHERE user_id = ? AND kind = ? AND model = ?"
    raw(connection).execute(f"DELETE FROM vector_codes WHERE block_id IN ({of_key})", key)
    replace = "INSERT OR REPLACE INTO vector_directions (user_id, kind, model, made_of, data) VALUES (?, ?, ?, ?, ?)"
    raw(connection).execute(replace, (*key, count, codes.to_bytes()))


def encode(connection: Connection, key: Key) -> bool:
    """Makes the codes of one block that has none; False when all have theirs, or there are no directions."""
    known = directions(connection, key)
    for block in listed(connection, key) if known else ():
        if known and not block.coded and block.dimensions == known[0].dimensions:
            rows, _ = read(connection, block)
            data = known[0].of(rows.data, rows.steps).tobytes()
            raw(connection).execute("INSERT INTO vector_codes (block_id, data) VALUES (?, ?)", (block.id, data))
            return True
    return False
