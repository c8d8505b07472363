"""Full text search over current memories and turns: FTS5 with stemming, kept in the same transaction as the rows."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from .database import raw

_TABLES = {"memory": ("memories", "subject, topic, fact"), "turn": ("turns", "speaker, text")}


def create(connection: Connection) -> None:
    """Makes the two FTS5 tables; they keep no copy of the text."""
    for table, columns in _TABLES.values():
        raw(connection).execute(
            f"CREATE VIRTUAL TABLE {table}_fts USING fts5({columns}, content='{table}', content_rowid='id', "
            "tokenize='porter unicode61 remove_diacritics 2')"
        )


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
