"""The database file: one engine that writes, one that reads, and SQLite's errors in plain words."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import methodcaller
from pathlib import Path
from typing import cast
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from ..errors import (
    NotFound,
    StoreCorrupt,
    StoreError,
    StoreForeign,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreSealed,
)
from . import disk_full, driver, handles
from .driver import errors
from .handles import is_open, place_of, salt_of_database
from .key import Key, Secret, salt_of

APPLICATION_ID = 0x63686D6D
"""`chmm` in the file's header (PRAGMA application_id): how chatmem knows its own databases."""

BUSY_SECONDS = 10.0
_PRAGMAS = ("foreign_keys=ON", "secure_delete=ON", "temp_store=MEMORY", "cache_size=-16384", "trusted_schema=OFF")


class Database:
    """One SQLite file in WAL mode.

    `write()` is a BEGIN IMMEDIATE transaction on the one writing connection of this process, `read()` a snapshot on a
    pooled connection that can't write. Both translate SQLite's errors to StoreError. Writes of other processes are
    waited for up to `timeout` seconds. `secret` opens an encrypted file, and has a new one made encrypted; `key` is
    then what files made from it are encrypted with.
    """

    def __init__(
        self, path: Path, *, read_only: bool = False, timeout: float = BUSY_SECONDS, secret: Secret | None = None
    ) -> None:  # fmt: skip
        self.path = path
        self.read_only = read_only
        self.timeout = timeout
        self._lock = threading.RLock()
        self._open_write: Connection | None = None
        self._writing_thread = 0
        self._immutable = False
        self._watching = threading.Lock()
        self._watcher: sqlite3.Connection | None = None
        with handles.opening:  # another thread that opens it now doesn't close the file beside this one's locks
            self._place = self._prepare_file()
            self.secret, self.key = secret, self._key(secret)
            self._writer = self._engine(1, writes=True)
            self._readers = self._engine(8, writes=False)
            handles.opened(self._place, self.key.salt if self.key else None)
        self._registered = True
        try:
            with self.translated():
                self._check_file()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Gives all connections back; the last one to leave folds the WAL into the file."""
        with self._watching:
            if self._watcher is not None:
                self._watcher.close()
                self._watcher = None
        self._readers.dispose()
        self._writer.dispose()
        if self._registered:
            self._registered = False
            handles.closed(self._place)

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[Connection]:
        """A transaction that commits on leaving and rolls back on an error; inside another of the same thread it joins.

        `durable` waits until the disk has it. Without, a power cut (not a crash) may lose the commit, never the order.
        """
        if self.read_only:
            raise StoreReadOnly(f"{self.path} was opened read-only: open it without read-only to change it.")
        with self._lock:
            if self._open_write is not None:
                yield self._open_write
                return
            with self.translated(), self._writer.connect() as connection:
                raw(connection).execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                with connection.begin():
                    self._open_write, self._writing_thread = connection, threading.get_ident()
                    try:
                        yield connection
                    finally:
                        self._open_write, self._writing_thread = None, 0

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent snapshot; inside a `write()` of this thread it sees the writes so far."""
        if self._writing_thread == threading.get_ident() and self._open_write is not None:
            yield self._open_write
            return
        with self.translated(), self._readers.connect() as connection, connection.begin():
            yield connection

    def version(self) -> int:
        """A number that changes whenever anything is committed to the file, by this program or another; microseconds.

        It means something only beside another one from the same object. Source: SQLite's PRAGMA data_version, which
        counts the commits of all connections but its own, so it has one of its own that never commits.
        """
        with self._watching, self.translated():
            if self._watcher is None:
                self._watcher = self._connector(False)()
            return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """The writing connection outside a transaction, for VACUUM and checkpoints; other threads wait."""
        with self._lock, self.translated():
            pooled = self._writer.raw_connection()
            try:
                yield cast(sqlite3.Connection, pooled.driver_connection)
            finally:
                pooled.close()

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raises SQLite's errors as StoreError with what to do."""
        try:
            yield
        except PoolTimeout as error:
            raise StoreLocked(f"{self.path} is busy in this program: try again in a moment.") from error
        except DBAPIError as error:
            cause = error.orig
            if not isinstance(cause, errors()) or (known := self._known(cause)) is None:
                raise
            raise known from error
        except errors() as error:
            if (known := self._known(error)) is None:
                raise
            raise known from error
        except OverflowError as error:
            if "SQLite INTEGER" not in str(error):
                raise
            raise NotFound("there is nothing under so large a number: list what there is.") from error
        except UnicodeDecodeError as error:  # in SQLite's own words about a damaged list of tables
            raise StoreCorrupt(self._damaged()) from error

    def _known(self, error: sqlite3.Error) -> StoreError | None:
        """The sentence for a state of the file or disk; None for a mistake of ours, which must not hide behind one."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        where = self.path
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreLocked(f"{where} is in use by another program: close it or try again in a moment.")
        if code == sqlite3.SQLITE_READONLY:
            return StoreReadOnly(self._unwritable())
        if code == sqlite3.SQLITE_NOTADB and self.key is not None:
            if salt_of(where) != self.key.salt:  # another process made it at the same moment, with a salt of its own
                return StoreLocked(f"{where} was just made by another chatmem: try again.")
            return StoreSealed(f"the passphrase or key doesn't open {where}: nothing was changed, try another.")
        if code == sqlite3.SQLITE_NOTADB:
            return StoreCorrupt(f"{where} is not a database: choose another file, chatmem leaves this one as it is.")
        if code == sqlite3.SQLITE_CORRUPT:
            return StoreCorrupt(self._damaged())
        # SQLite calls it FULL only where the database itself grows; beside it (WAL, index of the WAL) it says IOERR.
        if code == sqlite3.SQLITE_FULL or (
            code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and disk_full.is_full(where)
        ):
            return self._full()
        if code == sqlite3.SQLITE_CANTOPEN:
            return StoreError(f"{where} can't be opened: check that its folder exists and that you may use it.")
        if code == sqlite3.SQLITE_IOERR:
            return StoreError(f"{where} can't be read or written ({error}): check the disk.")
        return None

    def _damaged(self) -> str:
        return f"{self.path} is damaged: `chatmem doctor --repair` saves what can be read, or restore a backup."

    def _full(self) -> StoreFull:
        if disk_full.may_not_grow(self.path):
            what = "may not grow any further: raise the system's limit on the size of files (ulimit -f)"
            return StoreFull(f"{self.path} {what}; nothing that it held is lost.")
        return StoreFull(f"the disk is full: free some space; nothing that {self.path} held is lost.")

    def _unwritable(self) -> str:
        return f"{self.path} can't be written: check its permissions and its folder's, or use another file."

    def _key(self, secret: Secret | None) -> Key | None:
        """The file's key. A plain file takes no secret: what should be encrypted isn't written in the open."""
        if salt := salt_of_database(self.path):
            if secret is None:
                raise StoreSealed(
                    f"{self.path} is encrypted: give its passphrase in CHATMEM_PASSPHRASE or with --passphrase-file."
                )
            return secret.key(salt)
        if secret is None:
            return None
        if self.path.stat().st_size:
            raise StoreError(f"{self.path} is not encrypted: `chatmem encrypt` encrypts it.")
        return secret.new_key()

    def _prepare_file(self) -> tuple[int, int]:
        """The file, made where it is missing; which one it is on its disk."""
        try:
            if self.path.is_dir():
                raise StoreError(f"{self.path} is a folder: name a file in it.")
            if self.read_only:
                if not self.path.is_file():
                    raise StoreError(f"{self.path} does not exist: check the name, or open it to write to make it.")
                return place_of(self.path)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # What people told the chat is theirs alone, so the file is made private; SQLite gives the WAL its mode.
            if not is_open(self.path):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            return place_of(self.path)
        except PermissionError as error:
            raise StoreReadOnly(self._unwritable()) from error
        except OSError as error:
            if error.errno in disk_full.NO_ROOM:
                raise self._full() from error
            if error.errno == errno.EROFS:
                raise StoreReadOnly(f"{self.path} is on a read-only disk: use another file.") from error
            raise StoreError(f"{self.path} can't be opened ({error.strerror}): check the path.") from error

    def _check_file(self) -> None:
        """Refuses other programs' files, and turns WAL on."""
        with self._readers.connect() as connection:
            driver = raw(connection)
            # In this order, since another process may be making the tables and the id, together, right now.
            (tables,) = driver.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (application,) = driver.execute("PRAGMA application_id").fetchone()
        if place_of(self.path) != self._place:
            raise StoreLocked(f"{self.path} was just replaced by another chatmem: try again.")
        if application != APPLICATION_ID and (tables or self.read_only):
            raise StoreForeign(f"{self.path} is another program's database: it is untouched, choose another file.")
        if not self.read_only:
            with self.alone() as driver:
                self._turn_wal_on(driver)

    def _turn_wal_on(self, driver: sqlite3.Connection) -> None:
        # SQLite doesn't wait for other processes here (the busy timeout does not apply), so this does.
        deadline = time.monotonic() + self.timeout
        while driver.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            try:
                driver.execute("PRAGMA journal_mode=WAL")
            except errors("OperationalError") as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def _engine(self, size: int, *, writes: bool) -> Engine:
        engine = create_engine(
            "sqlite://", module=driver.module_of(self.key), creator=self._connector(writes), poolclass=QueuePool,
            pool_size=size, hide_parameters=True, max_overflow=0 if writes else 8, pool_timeout=self.timeout + 20,
        )  # fmt: skip
        begin = "BEGIN IMMEDIATE" if writes else "BEGIN"
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
        return engine

    def _connector(self, writes: bool) -> Callable[[], sqlite3.Connection]:
        def connect() -> sqlite3.Connection:
            mode = "ro" if self.read_only else "rw"
            uri = f"file:{quote(str(self.path.absolute()))}?mode={mode}"
            try:
                return self._connect(uri, writes)
            except errors("OperationalError"):
                # A WAL database in a folder that can't be written opens only when it is declared unchanging.
                wal = self.path.with_name(self.path.name + "-wal")
                if not self.read_only or (wal.exists() and wal.stat().st_size):
                    raise
                return self._connect(uri + "&immutable=1", writes)

        return connect

    def _connect(self, uri: str, writes: bool) -> sqlite3.Connection:
        made = driver.connect(
            uri, self.key,
            uri=True, timeout=self.timeout, isolation_level=None, check_same_thread=False, cached_statements=256,
        )  # fmt: skip
        # A byte that is no UTF-8, as a bad disk leaves it, shows as U+FFFD; it must not take the other rows with it.
        made.text_factory = methodcaller("decode", "utf-8", "replace")  # a lambda takes twice as long
        try:
            for pragma in _PRAGMAS:
                made.execute(f"PRAGMA {pragma}")
            made.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
            if not writes:
                made.execute("PRAGMA query_only=ON")
        except errors():
            made.close()
            raise
        return made


def raw(connection: Connection) -> sqlite3.Connection:
    """The sqlite3 connection (or SQLCipher's, its twin) under a SQLAlchemy one."""
    return cast(sqlite3.Connection, connection.connection.driver_connection)
