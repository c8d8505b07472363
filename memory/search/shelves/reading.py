"""Shelves from the database: read whole, and brought up to date with what any process has committed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlalchemy import Connection

from ...database.engine import raw
from ..nearest.wide import Rows
from . import blocks
from .blocks import Block, Key
from .shelf import Shelf

REMOVALS = 20_000
"""Removals remembered for the caches of other processes; a cache further behind loads anew."""
END = 1 << 62
"""Above every id."""


def read(connection: Connection, key: Key, dimensions: int, wide: int) -> Shelf:
    """All vectors of a user, kind and encoder; from `wide` rows on with their codes, where there are any."""
    shelf = Shelf(dimensions, removed=_newest(connection, "SELECT max(id) FROM vector_removals"))
    known = blocks.listed(connection, key)
    loose: list[Rows] = []
    for low, high in blocks.gaps(known):
        # In portions, since all at once would hold the vectors several times over.
        for found in blocks.rows_between(connection, key, low, high):
            shelf.seen = found[-1][0]
            loose.append(blocks.as_rows(found, dimensions))
    shelf.seen = max(shelf.seen, *(one.last for one in known), 0)
    packed = [one for one in known if one.dimensions == dimensions]
    shelf.loose = sum(len(one.ids) for one in loose)
    count = shelf.loose + sum(one.size for one in packed)
    codes, _ = (blocks.directions(connection, key) if count >= wide else None) or (None, 0)
    shelf.make_room(count, codes if codes and codes.dimensions == dimensions else None)
    if count >= wide:
        shelf.loose += sum(one.size for one in packed if not (shelf.codes and one.coded))
    _fill(connection, shelf, packed, [one for one in loose if len(one.ids)])
    return shelf


def _fill(connection: Connection, shelf: Shelf, packed: Sequence[Block], loose: Sequence[Rows]) -> None:
    """Puts what is packed and what isn't one behind the other, the least ids first, and lets go of it."""
    parts: list[tuple[int, Block | Rows]] = [
        *((one.least, one) for one in packed),
        *((int(one.ids[0]), one) for one in loose),
    ]
    parts.sort(key=lambda part: -part[0])
    while parts:
        _, one = parts.pop()
        # Held until the next is read: else all memory of each would go back to the system and come anew.
        if isinstance(one, Block):
            rows, coded = blocks.read(connection, one, with_codes=shelf.codes is not None)
        else:
            rows, coded = one, None
        shelf.fill(rows, coded)
    if not np.all(np.diff(shelf.ids[: shelf.count]) > 0):
        shelf.sort()


def catch_up(connection: Connection, key: Key, shelf: Shelf) -> bool:
    """Applies removals and additions since the last look; False when too many removals have been forgotten."""
    newest = _newest(connection, "SELECT max(id) FROM vector_removals")
    if newest > shelf.removed:
        if newest - shelf.removed >= REMOVALS:
            return False
        query = "SELECT ref_id FROM vector_removals WHERE id > ? AND user_id = ? AND kind = ?"
        gone = raw(connection).execute(query, (shelf.removed, key[0], key[1])).fetchall()
        shelf.drop(np.unique(np.array([ref for (ref,) in gone], np.int64)))
        shelf.removed = newest
    newest = _newest(connection, "SELECT max(id) FROM vectors WHERE user_id = ? AND kind = ? AND model = ?", key)
    if newest > shelf.seen:
        for found in blocks.rows_between(connection, key, shelf.seen, END):
            shelf.seen = found[-1][0]
            rows = blocks.as_rows(found, shelf.dimensions)
            shelf.merge(rows)
            shelf.loose += len(rows.ids)
    return True


def _newest(connection: Connection, query: str, values: Sequence[object] = ()) -> int:
    """A bare max() over an index reads one row; wrapped in coalesce() it would read all."""
    return raw(connection).execute(query, values).fetchone()[0] or 0
