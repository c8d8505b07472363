"""Full text search over current memories and passages of turns: FTS5 with stemming, kept in the same transaction as
the rows.

A passage's number is that of its turn, shifted, and its place in it (`first_of`), so no table has to tell whose it is;
its text is cut from the turn anew when it is wanted (`passages.py`). Turns that an older chatmem indexed whole
stand in an index of their own until they are cut (`recut`); both are searched.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from sqlalchemy import Connection

from ..database.engine import raw
from ..language.words import is_unspaced, spaced, stem
from .nearest.numbers import SHIFT, first_of
from .passages import passages

_TABLES = {
    "memory": ("memories", "subject, topic, fact"), "turn": ("turns", "speaker, text"),
    "passage": ("passages", "speaker, text"),
}  # fmt: skip
_WHOLE = ("memory", "turn")
"""Kinds of which a row is indexed whole, and stands in a table of the same name."""
_TOKENIZER = "tokenize='porter unicode61 remove_diacritics 2'"
_Row = tuple[Any, ...]
"""An id and the texts of its columns."""
POSTINGS = 3_000
"""Index entries read for one query and kind. Frequent words have tens of thousands; the rarer words decide anyway."""


def create(connection: Connection) -> None:
    """Makes the two FTS5 tables; they keep no copy of the text."""
    for table, columns in (_TABLES[kind] for kind in _WHOLE):
        raw(connection).execute(
            f"CREATE VIRTUAL TABLE {table}_fts USING fts5({columns}, content='{table}', content_rowid='id', "
            f"{_TOKENIZER})"
        )


def create_vocabularies(connection: Connection) -> None:
    """Makes the tables that tell how many rows hold a term."""
    for table, _ in (_TABLES[kind] for kind in _WHOLE):
        raw(connection).execute(f"CREATE VIRTUAL TABLE {table}_terms USING fts5vocab({table}_fts, 'row')")


def create_passages(connection: Connection) -> None:
    """Makes the index of passages; it keeps no copy of the text, and what is indexed whole stays until `recut`."""
    table, columns = _TABLES["passage"]
    raw(connection).execute(f"CREATE VIRTUAL TABLE {table}_fts USING fts5({columns}, content='', {_TOKENIZER})")
    raw(connection).execute(f"CREATE VIRTUAL TABLE {table}_terms USING fts5vocab({table}_fts, 'row')")


def index_memories(connection: Connection, ids: Sequence[int]) -> None:
    _put_in(connection, "memory", _rows(connection, "memory", ids))


def index_turns(connection: Connection, ids: Sequence[int]) -> None:
    _put_in(connection, "passage", _cut(_rows(connection, "turn", ids)))


def drop(connection: Connection, kind: str, ids: Sequence[int]) -> None:
    """Takes memories or turns out; must run while the table still holds their text."""
    table = _TABLES[kind][0]
    rows = _rows(connection, kind, ids, f"EXISTS (SELECT 1 FROM {table}_fts_docsize d WHERE d.id = {table}.id)")
    _take_out(connection, kind, [_spaced(row) for row in rows])
    if kind == "turn":
        known = f"EXISTS (SELECT 1 FROM passages_fts_docsize d WHERE d.id = turns.id << {SHIFT})"
        cut = _cut(_rows(connection, kind, ids, known))
        _take_out(connection, "passage", [_spaced(row) for row in cut])


def uncut(connection: Connection, limit: int) -> list[int]:
    """Turns that an older chatmem indexed whole, newest first."""
    query = "SELECT t.id FROM turns_fts_docsize d JOIN turns t ON t.id = d.id ORDER BY d.id DESC LIMIT ?"
    return [one for (one,) in raw(connection).execute(query, (limit,))]


def recut(connection: Connection, ids: Sequence[int]) -> None:
    """Has turns that were indexed whole indexed by passages."""
    drop(connection, "turn", ids)
    index_turns(connection, ids)


def turns_with(connection: Connection, user_id: int, match: str) -> list[int]:
    """The user's turns of which a passage matches, newest first."""
    query = (
        f"SELECT f.rowid >> {SHIFT} AS id FROM passages_fts f WHERE passages_fts MATCH ?1 "
        "UNION SELECT f.rowid FROM turns_fts f WHERE turns_fts MATCH ?1"
    )
    mine = f"SELECT t.id FROM ({query}) f JOIN turns t ON t.id = f.id WHERE t.user_id = ?2 ORDER BY t.id DESC"
    return [one for (one,) in raw(connection).execute(mine, (match, user_id))]


def _cut(rows: Sequence[_Row]) -> list[_Row]:
    """The rows of turns as those of their passages."""
    return [
        (first_of(turn_id) + number, speaker, text[begin:end])
        for turn_id, speaker, text in rows
        for number, (begin, end) in enumerate(passages(text))
    ]


def cut_unspaced(connection: Connection) -> None:
    """Cuts into words what an older chatmem put into the index whole: the texts in scripts without spaces."""
    for kind in _WHOLE:
        table, columns = _TABLES[kind]
        texts = f"SELECT id, {columns} FROM {table} WHERE id IN (SELECT id FROM {table}_fts_docsize)"
        rows = [row for row in raw(connection).execute(texts) if any(map(is_unspaced, row[1:]))]
        _take_out(connection, kind, rows)
        _put_in(connection, kind, rows)


def purge(connection: Connection) -> None:
    """Merges the index, so that no trace of dropped rows is left in it."""
    for table, _ in _TABLES.values():
        raw(connection).execute(f"INSERT INTO {table}_fts({table}_fts) VALUES ('optimize')")


def _rows(connection: Connection, kind: str, ids: Sequence[int], only: str = "1") -> list[_Row]:
    """The ids with the texts that are searched, as they stand in the table."""
    table, columns = _TABLES[kind]
    query = f"SELECT id, {columns} FROM {table} WHERE id = ? AND {only}"
    return [row for one in ids for row in raw(connection).execute(query, (one,))]


def _spaced(row: _Row) -> _Row:
    return (row[0], *(spaced(text) for text in row[1:]))


def _put_in(connection: Connection, kind: str, rows: Sequence[_Row]) -> None:
    table, columns = _TABLES[kind]
    places = ", ".join("?" for _ in columns.split(","))
    raw(connection).executemany(
        f"INSERT INTO {table}_fts(rowid, {columns}) VALUES (?, {places})", [_spaced(row) for row in rows]
    )


def _take_out(connection: Connection, kind: str, rows: Sequence[_Row]) -> None:
    """`rows`: with the texts exactly as the index was given them, else it would keep parts of them."""
    table, columns = _TABLES[kind]
    places = ", ".join("?" for _ in columns.split(","))
    raw(connection).executemany(
        f"INSERT INTO {table}_fts({table}_fts, rowid, {columns}) VALUES ('delete', ?, {places})", rows
    )


@dataclass(slots=True)
class _Known:
    """What is remembered of a user's rows: how many there were, how many are indexed, and how many hold a word."""

    rows: int
    total: int
    counts: dict[str, int]


class Frequencies:
    """How many rows of a user hold a word, remembered, since counting a frequent word costs milliseconds. Thread-safe.

    All of it is the user's own: what others say must not shift what this one finds. Counts go stale as rows come; they
    are counted anew when the user's rows have become a tenth more or fewer.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, int], _Known] = {}

    def of(
        self, driver: sqlite3.Connection, kind: str, user_id: int, words: Sequence[str]
    ) -> tuple[int, dict[str, int]]:
        """The number of the user's rows (of kind `turn`: of passages), and for each word the number that hold it (1 for
        a word that none holds)."""
        alone = is_alone(driver)
        rows = _passages(driver) if alone and kind == "turn" else _rows_of(driver, kind, user_id)
        with self._lock:
            known = self._known.get((kind, user_id))
            if known is None or abs(rows - known.rows) > known.rows / 10:
                total = rows if alone or kind != "turn" else _passages_of(driver, user_id)
                known = self._known[kind, user_id] = _Known(rows, total, {})
            for word in words:
                if word not in known.counts:
                    held = (_count(driver, one, user_id, word, alone=alone) for one in _indexes(driver, kind))
                    known.counts[word] = max(1, sum(held))
            return max(known.total, 1), {word: known.counts[word] for word in words}


def is_alone(driver: sqlite3.Connection) -> bool:
    """Whether there is one user at most, whose rows are all."""
    return bool(driver.execute("SELECT count(*) FROM (SELECT 1 FROM users LIMIT 2)").fetchone()[0] < 2)


def _rows_of(driver: sqlite3.Connection, kind: str, user_id: int) -> int:
    """How many memories or turns the user has."""
    current = " AND valid_to IS NULL" if kind == "memory" else ""
    query = f"SELECT count(*) FROM {_TABLES[kind][0]} WHERE user_id = ?{current}"
    return int(driver.execute(query, (user_id,)).fetchone()[0])


def _passages(driver: sqlite3.Connection) -> int:
    """Passages of all users: their numbers are far apart, but FTS5 keeps a count of its rows, first of its averages."""
    (averages,) = driver.execute("SELECT block FROM passages_fts_data WHERE id = 1").fetchone() or (b"",)
    old = driver.execute("SELECT max(id) FROM turns_fts_docsize").fetchone()[0] or 0
    return _varint(averages) + old


def _passages_of(driver: sqlite3.Connection, user_id: int) -> int:
    """A user's passages; a turn that is indexed whole is one."""
    cut = f"d.id >= t.id << {SHIFT} AND d.id < (t.id + 1) << {SHIFT}"
    counted = [
        driver.execute(
            f"SELECT count(*) FROM turns t CROSS JOIN {table}_fts_docsize d ON {on} WHERE t.user_id = ?", (user_id,)
        ).fetchone()[0]
        for table, on in (("passages", cut), ("turns", "d.id = t.id"))
    ]
    return sum(counted)


def _varint(data: bytes) -> int:
    """SQLite's number of variable length at the beginning of these bytes; 0 for none."""
    value = 0
    for byte in data[:8]:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value


def _count(driver: sqlite3.Connection, kind: str, user_id: int, word: str, *, alone: bool) -> int:
    """How many of the user's rows hold a word; of all rows where there is no other user, which is quicker."""
    row = driver.execute(f"SELECT doc FROM {_TABLES[kind][0]}_terms WHERE term = ?", (stem(word),)).fetchone()
    if alone or row is None:
        return int(row[0]) if row else 0
    return int(driver.execute(f"SELECT count(*) {_from(kind, alone=False)}", (f'"{word}"', user_id)).fetchone()[0])


def _indexes(driver: sqlite3.Connection, kind: str) -> tuple[str, ...]:
    """Where rows of a kind are indexed: turns by passages, those of an older chatmem whole until they are cut."""
    if kind != "turn":
        return (kind,)
    old = driver.execute("SELECT 1 FROM turns_fts_docsize LIMIT 1").fetchone()
    return ("passage", "turn") if old else ("passage",)


def weight(total: int, count: int) -> float:
    """A word's BM25 weight (Robertson and Zaragoza 2009, eq. 3.3, kept positive as in Lucene)."""
    return math.log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


def matches(
    driver: sqlite3.Connection, kind: str, user_id: int, counts: dict[str, int], total: int, postings: int = POSTINGS
) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Ids of a user's rows that hold some of the words, ascending; of each the sum of their weights; and these weights.

    Of kind `turn` they are numbers of passages (of a turn that is indexed whole, that of its first). Rarest words
    first, at most `postings` index entries: what a word beyond that would add is left to the exact score of the best.
    `counts` and `total` are of the user's own rows.
    """
    found: list[np.ndarray] = []
    gains: list[np.ndarray] = []
    statements = [_statement(one, alone=is_alone(driver)) for one in _indexes(driver, kind)]
    weights = {word: weight(total, count) for word, count in counts.items()}
    for word in sorted(counts, key=lambda w: counts[w]):
        if postings <= 0 or (counts[word] > postings and any(map(len, found))):
            break
        asked = (f'"{word}"', user_id, postings)
        rows = chain.from_iterable(driver.execute(one, asked) for one in statements)
        ids = np.fromiter(chain.from_iterable(rows), np.int64)
        found.append(ids)
        gains.append(np.full(len(ids), weights[word]))
        postings -= len(ids)
    if not found:
        return np.empty(0, np.int64), np.empty(0), weights
    unique, at = np.unique(np.concatenate(found), return_inverse=True)
    return unique, np.bincount(at, np.concatenate(gains), len(unique)), weights


def _statement(kind: str, *, alone: bool) -> str:
    """Rows that hold a word, newest first."""
    numbered = f"f.rowid << {SHIFT}" if kind == "turn" else "f.rowid"
    return f"SELECT {numbered} {_from(kind, alone=alone)} ORDER BY f.rowid DESC LIMIT ?3"


def _from(kind: str, *, alone: bool) -> str:
    """Alone in the database a user needs no join, which would double the cost; where there is one, the index is read
    once (CROSS) instead of being asked for each of the user's rows."""
    table = _TABLES[kind][0]
    rows, ref = ("turns", f"f.rowid >> {SHIFT}") if kind == "passage" else (table, "f.rowid")
    join = "" if alone else f"CROSS JOIN {rows} t ON t.id = {ref} AND t.user_id = ?2"
    return f"FROM {table}_fts f {join} WHERE {table}_fts MATCH ?1 {'AND ?2' if alone else ''}"
