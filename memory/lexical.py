"""Full text search over current memories and turns: FTS5 with stemming, kept in the same transaction as the rows."""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Sequence
from itertools import chain

import numpy as np
from sqlalchemy import Connection

from .database import raw
from .words import stem

_TABLES = {"memory": ("memories", "subject, topic, fact"), "turn": ("turns", "speaker, text")}
POSTINGS = 3_000
"""Index entries read for one query and kind. Frequent words have tens of thousands; the rarer words decide anyway."""


def create(connection: Connection) -> None:
    """Makes the two FTS5 tables; they keep no copy of the text."""
    for table, columns in _TABLES.values():
        raw(connection).execute(
            f"CREATE VIRTUAL TABLE {table}_fts USING fts5({columns}, content='{table}', content_rowid='id', "
            "tokenize='porter unicode61 remove_diacritics 2')"
        )


def create_vocabularies(connection: Connection) -> None:
    """Makes the tables that tell how many rows hold a term."""
    for table, _ in _TABLES.values():
        raw(connection).execute(f"CREATE VIRTUAL TABLE {table}_terms USING fts5vocab({table}_fts, 'row')")


def index_memories(connection: Connection, ids: Sequence[int]) -> None:
    _index(connection, "memory", ids)


def index_turns(connection: Connection, ids: Sequence[int]) -> None:
    _index(connection, "turn", ids)


def drop(connection: Connection, kind: str, ids: Sequence[int]) -> None:
    """Takes rows out; must run while the table still holds their text."""
    table, columns = _TABLES[kind]
    raw(connection).executemany(
        f"INSERT INTO {table}_fts({table}_fts, rowid, {columns}) SELECT 'delete', id, {columns} FROM {table} "
        f"WHERE id = ? AND EXISTS (SELECT 1 FROM {table}_fts_docsize d WHERE d.id = {table}.id)",
        [(one,) for one in ids],
    )


def purge(connection: Connection) -> None:
    """Merges the index, so that no trace of dropped rows is left in it."""
    for table, _ in _TABLES.values():
        raw(connection).execute(f"INSERT INTO {table}_fts({table}_fts) VALUES ('optimize')")


def _index(connection: Connection, kind: str, ids: Sequence[int]) -> None:
    table, columns = _TABLES[kind]
    raw(connection).executemany(
        f"INSERT INTO {table}_fts(rowid, {columns}) SELECT id, {columns} FROM {table} WHERE id = ?",
        [(one,) for one in ids],
    )


class Frequencies:
    """How many rows hold a word, remembered, since counting a frequent word costs a millisecond. Thread-safe.

    Counts go stale as rows come; they are counted anew when the table has grown or shrunk by a tenth.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, dict[str, int]] = {}
        self._totals: dict[str, int] = {}

    def of(self, driver: sqlite3.Connection, kind: str, words: Sequence[str]) -> tuple[int, dict[str, int]]:
        """The number of rows, and for each word the number that hold it (1 for a word that none holds)."""
        table = _TABLES[kind][0]
        total = driver.execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0  # a bare max() reads one row
        with self._lock:
            if abs(total - self._totals.get(kind, -1)) > self._totals.get(kind, 0) / 10:
                self._totals[kind], self._counts[kind] = total, {}
            known = self._counts[kind]
            for word in words:
                if word not in known:
                    row = driver.execute(f"SELECT doc FROM {table}_terms WHERE term = ?", (stem(word),)).fetchone()
                    known[word] = row[0] if row else 1
            return max(total, 1), {word: known[word] for word in words}


def weight(total: int, count: int) -> float:
    """A word's BM25 weight (Robertson and Zaragoza 2009, eq. 3.3, kept positive as in Lucene)."""
    return math.log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


def matches(
    driver: sqlite3.Connection, kind: str, user_id: int, counts: dict[str, int], total: int, postings: int = POSTINGS
) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Ids of a user's rows that hold some of the words, ascending; of each the sum of their weights; and these weights.

    Rarest words first, at most `postings` index entries: what a word beyond that would add is left to the exact score
    of the best. Beside other users, what is rare is counted among the user's own rows.
    """
    found: list[np.ndarray] = []
    gains: list[np.ndarray] = []
    mine = _rows_of(driver, kind, user_id)
    statement = _statement(_TABLES[kind][0], alone=mine is None)
    weights = {word: weight(total, count) for word, count in counts.items()}
    for word in sorted(counts, key=lambda w: counts[w]):
        if postings <= 0 or (counts[word] > postings and any(map(len, found))):
            break
        rows = driver.execute(statement, (f'"{word}"', user_id, postings))
        ids = np.fromiter(chain.from_iterable(rows), np.int64)
        if mine is not None and len(ids) < postings:
            weights[word] = weight(mine, len(ids))
        found.append(ids)
        gains.append(np.full(len(ids), weights[word]))
        postings -= len(ids)
    if not found:
        return np.empty(0, np.int64), np.empty(0), weights
    unique, at = np.unique(np.concatenate(found), return_inverse=True)
    return unique, np.bincount(at, np.concatenate(gains), len(unique)), weights


def _rows_of(driver: sqlite3.Connection, kind: str, user_id: int) -> int | None:
    """How many rows the user has in the index; None for the only user, whose rows are all."""
    if driver.execute("SELECT count(*) FROM (SELECT 1 FROM users LIMIT 2)").fetchone()[0] < 2:
        return None
    current = " AND valid_to IS NULL" if kind == "memory" else ""
    query = f"SELECT count(*) FROM {_TABLES[kind][0]} WHERE user_id = ?{current}"
    return int(driver.execute(query, (user_id,)).fetchone()[0])


def _statement(table: str, *, alone: bool) -> str:
    """Newest first. Alone in the database a user needs no join, which would double the cost."""
    join = "" if alone else f"JOIN {table} t ON t.id = f.rowid AND t.user_id = ?2"
    only = "AND ?2" if alone else ""
    return f"SELECT f.rowid FROM {table}_fts f {join} WHERE {table}_fts MATCH ?1 {only} ORDER BY f.rowid DESC LIMIT ?3"
