"""Reading a database that SQLite calls damaged: row by row, over and around what can't be read."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..database import driver
from ..database.key import MAGIC, Key

Row = dict[str, Any]

BROKEN = (sqlite3.Error, UnicodeDecodeError)
"""What reading a plain file raises; the second where SQLite's own words on the damage quote it."""
_SHUT = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
UNREACHED = (*_SHUT, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
"""SQLite's codes for a file that can't be got at, whatever it holds."""
_HEADER_BYTES = 100
_PAGE_SIZES = [1 << n for n in range(9, 17)]
FORM = "SELECT max(number) FROM migrations"
_BEYOND = 10_000
"""Ids that are tried beyond the last that was found, where the greatest isn't known."""


def mend_header(path: Path) -> bool:
    """Writes anew what is known of the first hundred bytes: which format, which pages, how many; True if it was.

    Source: "The Database Header" in SQLite's file format. Only ever done to a copy.
    """
    size = path.stat().st_size
    with path.open("r+b") as file:
        head = bytearray(file.read(_HEADER_BYTES))
        if len(head) < _HEADER_BYTES:
            return False
        page = int.from_bytes(head[16:18], "big")
        page = 65_536 if page == 1 else page
        if page not in _PAGE_SIZES or size % page:
            page = 4_096
        before = bytes(head)
        head[:16] = MAGIC
        head[16:18] = (1 if page == 65_536 else page).to_bytes(2, "big")
        head[18:24] = bytes((1, 1, 0, 64, 32, 32))  # no WAL beside the copy, no reserved bytes, fixed fractions
        head[28:32] = (size // page).to_bytes(4, "big")
        head[32:40] = bytes(8)  # the free pages are not needed to read
        head[44:48], head[52:56], head[56:60] = (4).to_bytes(4, "big"), bytes(4), (1).to_bytes(4, "big")
        head[92:96] = head[24:28]
        file.seek(0)
        file.write(head)
    return bytes(head) != before


def mend_schema(path: Path, sound: Path, tables: Collection[str]) -> None:
    """Writes anew how these tables are made, as in the database `sound` of the newest form, where only that text is
    damaged and their rows are not. One of an older form may have its columns in another order: it is left as it is.
    Only ever done to a copy. Raises sqlite3.DatabaseError.
    """
    with closing(sqlite3.connect(sound)) as db:
        newest = db.execute(FORM).fetchone()
        made = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.text_factory = bytes
        db.execute("PRAGMA writable_schema=ON")
        if db.execute(FORM).fetchone() != newest:
            return
        for table in tables:
            db.execute(
                "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND (name = ? OR tbl_name = ?)",
                (made[table], table, table),
            )


def code_of(error: Exception) -> int:
    """SQLite's own code for what went wrong; 0 where it has none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def look(path: Path, key: Key | None = None) -> sqlite3.Connection:
    """As `connect`, also of a file on a disk that can't be written, where SQLite can't make what it needs beside it.

    Such a file opens only when it is declared unchanging. With `mode=ro` alone a look at any other would leave an empty
    WAL behind, which a connection that may not write never removes.
    """
    try:
        return connect(path, key)
    except driver.errors("OperationalError") as error:
        wal = path.with_name(path.name + "-wal")
        if code_of(error) not in _SHUT or (wal.exists() and wal.stat().st_size):
            raise
        return connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", key, uri=True)


def connect(path: Path | str, key: Key | None = None, *, uri: bool = False) -> sqlite3.Connection:
    """A connection that reads what it can. Texts come as bytes. Raises sqlite3.DatabaseError or its twin."""
    db = driver.connect(str(path), key, isolation_level=None, timeout=1, uri=uri)
    try:
        db.execute("PRAGMA query_only=ON")
        db.text_factory = bytes
        db.row_factory = driver.module_of(key).Row
        for pragma in ("cell_size_check=OFF", "trusted_schema=OFF", "writable_schema=ON"):
            db.execute(f"PRAGMA {pragma}")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BROKEN:
        db.close()
        raise
    return db


def columns_of(db: sqlite3.Connection, table: str) -> list[str]:
    """The columns that a table has; none when it can't be read."""
    try:
        names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    except BROKEN:
        return []
    return [name.decode("utf-8", "replace") if isinstance(name, bytes) else name for name in names]


class Rows:
    """All rows of a table that can be read; `lost` counts the ids that can't."""

    def __init__(self, db: sqlite3.Connection, table: str) -> None:
        self._db, self._table = db, table
        self.columns = columns_of(db, table)
        self.lost = 0

    def __iter__(self) -> Iterator[Row]:
        if not self.columns:
            return
        last = 0
        try:
            for row in self._db.execute(f"SELECT * FROM {self._table} NOT INDEXED"):
                found = dict(row)
                if isinstance(found.get("id"), int):
                    last = max(last, found["id"])
                yield found
        except BROKEN:
            if "id" in self.columns:
                yield from self._one_by_one(last)
            else:
                self.lost += 1

    def _one_by_one(self, after: int) -> Iterator[Row]:
        """The rows after one that could not be read, each looked for by its id."""
        for number in range(after + 1, self._greatest(after) + 1):
            try:
                row = self._db.execute(f"SELECT * FROM {self._table} WHERE id = ?", (number,)).fetchone()
            except BROKEN:
                self.lost += 1
                continue
            if row is not None:
                yield dict(row)

    def _greatest(self, after: int) -> int:
        found = [after]
        for query in (
            f"SELECT max(id) FROM {self._table}",
            f"SELECT seq FROM sqlite_sequence WHERE name = '{self._table}'",
        ):
            try:
                row = self._db.execute(query).fetchone()
            except BROKEN:
                continue
            if row is not None and isinstance(row[0], int):
                found.append(row[0])
        return min(max(found), after + 100 * _BEYOND) if len(found) > 1 else after + _BEYOND
