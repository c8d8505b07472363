"""An existing database made encrypted, plain again, or encrypted with another key; safe wherever it is cut short.

A new file is filled beside the old one, looked through row by row, and put in its place in one step. Until then the old
one counts, from then on the new one. The old file is overwritten before its name goes. What a kill leaves is cleared
away by the next start (`clear`).
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from ..database import keychain
from ..database.disk_full import says_full
from ..database.driver import cipher, connect, errors, errors_and, source
from ..database.engine import APPLICATION_ID
from ..database.handles import is_open
from ..database.key import Key, Secret, salt_of
from ..errors import NotFound, StoreCorrupt, StoreError, StoreForeign, StoreFull, StoreLocked, StoreSealed
from .damaged import code_of
from .placing import sync, sync_folder

Told = Callable[[float], None]
"""Hears how far it is, from 0 to 1."""
_TICK = 20_000
_PIECE = 1 << 20
_SEALED = sqlite3.SQLITE_NOTADB


def names(path: Path) -> tuple[Path, Path]:
    """The file that is being filled beside a database, and the old one until it is overwritten."""
    return path.with_name(f"{path.name}.changing"), path.with_name(f"{path.name}.replaced")


def opens(path: Path, key: Key) -> bool:
    """Whether a key opens a file. Raises StoreError where that can't be told."""
    try:
        with closing(connect(source(path), key, uri=True, timeout=5)) as db:
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return True
    except errors() as error:
        if code_of(error) in (
            _SEALED,
            sqlite3.SQLITE_CORRUPT,
        ):  # of a wrong key no page can be read, so as to be damaged
            return code_of(error) != _SEALED
        raise StoreError(f"{path} can't be read ({_name(error)}): check the disk, or who uses it.") from error


def opener(path: Path, salt: bytes, secret: Secret | None) -> Key | None:
    """The key of an encrypted file, made of a memory's secret or kept by the keychain; None where neither opens it.

    A backup or export of before has a salt of its own, and the same passphrase. Raises StoreError.
    """
    if secret is not None and opens(path, secret.key(salt)):
        return secret.key(salt)
    kept = keychain.secret_of(salt)
    return kept.key(salt) if kept is not None and opens(path, kept.key(salt)) else None


def change(path: Path, old: Key | None, new: Key | None, told: Told = lambda _: None) -> list[Path]:
    """Encrypts a file with `new` (None: not at all) that was encrypted with `old`; returns the exports it knows of.

    Raises NotFound, StoreLocked while others have it open, StoreSealed for a wrong key, StoreFull, StoreCorrupt.
    """
    if not path.is_file():
        raise NotFound(f"there is no database at {path}: check the name.")
    cipher()
    if is_open(path):
        raise StoreLocked(f"{path} is open in this program: leave it first.")
    path = path.resolve()  # in place of a link the new file would be an orphan, and the old one overwritten
    clear(path)
    made, before = names(path)
    try:
        with _claimed(path, made), closing(_alone(path, old)) as db:
            exports = _filled(db, made, new, told)
            _looked_through(made, new)
            _put_in_place(path, made, before)
    except errors_and(OSError) as error:
        if says_full(error) or code_of(error) == sqlite3.SQLITE_FULL:
            raise StoreFull(f"the disk is full: {path} is as it was; free as much as it holds.") from error
        raise _refusal(path, error) from error
    return exports


def encrypted_copy(path: Path, made: Path, key: Key, old: Key | None = None) -> None:
    """A new encrypted file of what another one holds, which is only read (`old`: its key, None for a plain one).

    Raises sqlite3's errors or their twins.
    """
    with closing(connect(str(made), key, isolation_level=None, uri=True)) as db:
        db.execute(f"ATTACH ? AS old KEY {_literal(old)}", (source(path, "rw"),))
        (version,) = db.execute("PRAGMA old.user_version").fetchone()
        db.execute("SELECT sqlcipher_export('main', 'old')").fetchall()
        for pragma in (f"application_id = {APPLICATION_ID}", f"user_version = {version}"):
            db.execute(f"PRAGMA main.{pragma}")
        if _sums(db, "main") != _sums(db, "old"):
            raise StoreCorrupt(f"the copy is not the same as {path}: nothing was changed.")


def clear(path: Path) -> None:
    """Finishes or takes back a change that was cut short. Raises StoreLocked while one is under way."""
    path = path.resolve()
    made, before = names(path)
    if not made.exists() and not before.exists():
        return
    with _claimed(path, made):
        if before.exists() and not path.exists():
            os.replace(before, path)
        elif before.exists() and before.samefile(path):
            before.unlink()
        elif before.exists():
            wipe(before)


def wipe(path: Path) -> None:
    """Overwrites a file with chance bytes and removes it. A disk that spreads its wear (SSD) may keep the old ones."""
    with suppress(FileNotFoundError):
        with path.open("r+b") as file:
            for left in range(path.stat().st_size, 0, -_PIECE):
                file.write(os.urandom(min(left, _PIECE)))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()


@contextmanager
def _claimed(path: Path, made: Path) -> Iterator[None]:
    """The file to fill, for this process alone; whatever it holds afterwards is overwritten."""
    handle = os.open(made, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # elsewhere a file that is open can't be removed, which says the same
            pass
        except OSError as error:
            raise StoreLocked(f"{path} is being encrypted or decrypted by another chatmem: wait for it.") from error
        inode = os.fstat(handle).st_ino
        os.ftruncate(handle, 0)
        try:
            yield
        finally:
            if made.exists() and made.stat().st_ino == inode:
                wipe(made)
    finally:
        os.close(handle)


def _alone(path: Path, key: Key | None) -> sqlite3.Connection:
    """A connection beside which nobody has any: WAL folded in and off, and the file locked as long as it is open."""
    if salt_of(path) != (key.salt if key else None):
        raise StoreSealed(f"{path} is {'not ' if key else ''}encrypted: nothing was changed.")
    db = connect(str(path), key, isolation_level=None, timeout=1) if key else cipher().connect(
        str(path), isolation_level=None, timeout=1
    )  # fmt: skip
    try:
        db.execute("PRAGMA cipher_log_level = NONE")
        (application,) = db.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION_ID:
            raise StoreForeign(f"{path} is no memory of chatmem's: it is untouched, choose another file.")
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA main.locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        db.execute("COMMIT")
        if db.execute("PRAGMA main.journal_mode").fetchone()[0] == "wal":
            raise StoreLocked(f"{path} was opened by another program: close it and try again.")
    except BaseException:
        db.close()
        raise
    return db


def _filled(db: sqlite3.Connection, made: Path, key: Key | None, told: Told) -> list[Path]:
    """Copies all of the database into the new file."""
    whole = max(1, os.stat(db.execute("PRAGMA database_list").fetchone()[2]).st_size)
    ended: list[KeyboardInterrupt] = []
    last = [time.monotonic()]

    def tick() -> bool:
        try:
            if time.monotonic() - last[0] > 0.2:
                last[0] = time.monotonic()
                told(min(1.0, made.stat().st_size / whole))
        except KeyboardInterrupt as error:  # SQLite would swallow it; it is raised below
            ended.append(error)
        return bool(ended)

    db.execute(f"ATTACH ? AS fresh KEY {_literal(key)}", (str(made),))
    for pragma in ("journal_mode = OFF", "synchronous = OFF", f"application_id = {APPLICATION_ID}"):
        db.execute(f"PRAGMA fresh.{pragma}")
    db.set_progress_handler(tick, _TICK)
    try:
        db.execute("SELECT sqlcipher_export('fresh')").fetchall()
    except errors():
        if ended:
            raise ended[0] from None
        raise
    finally:
        db.set_progress_handler(None, 0)
    (version,) = db.execute("PRAGMA main.user_version").fetchone()
    db.execute(f"PRAGMA fresh.user_version = {version}")
    if _sums(db, "main") != _sums(db, "fresh"):
        raise StoreCorrupt("the copy is not the same as the database: nothing was changed; run `chatmem doctor`.")
    db.execute("DETACH fresh")
    told(1.0)
    return [Path(name) for (name,) in db.execute("SELECT path FROM main.exports ORDER BY path")]


def _literal(key: Key | None) -> str:
    return key.sql() if key else "''"


def _sums(db: sqlite3.Connection, schema: str) -> dict[str, tuple[int, int]]:
    """Of each table how many rows it has, and a sum of what they hold, whatever their order."""
    tables = db.execute(
        f"SELECT name FROM {schema}.sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    ).fetchall()
    found = {}
    for (name,) in tables:
        count = total = 0
        for row in db.execute(f'SELECT * FROM {schema}."{name}"'):
            count += 1
            digest = hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=8).digest()
            total += int.from_bytes(digest, "big")
        found[name] = count, total
    return found


def _looked_through(made: Path, key: Key | None) -> None:
    """The new file as it will be opened: sound, and on the disk."""
    with closing(connect(str(made), key) if key else sqlite3.connect(made)) as new:
        problems = new.execute("PRAGMA integrity_check(1)").fetchall()
        if problems != [("ok",)] or (key and new.execute("PRAGMA cipher_integrity_check").fetchall()):
            raise StoreCorrupt("the copy could not be read back: nothing was changed; run `chatmem doctor`.")
    sync(made)


def _put_in_place(path: Path, made: Path, before: Path) -> None:
    try:
        os.link(path, before)
    except OSError:  # a file system without links: for a moment only the other name is there, which `clear` knows
        os.replace(path, before)
    os.replace(made, path)
    sync_folder(path.parent)
    wipe(before)
    sync_folder(path.parent)


def _refusal(path: Path, error: Exception) -> StoreError:
    code = code_of(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreLocked(f"{path} is in use by another program: close it and try again.")
    if code == _SEALED:
        return StoreSealed(f"the passphrase or key doesn't open {path}: nothing was changed, try another.")
    why = (error.strerror or "unknown") if isinstance(error, OSError) else _name(error)
    return StoreError(f"{path} can't be changed ({why}): it is as it was; check its folder and the disk.")


def _name(error: Exception) -> str:
    return str(getattr(error, "sqlite_errorname", "") or type(error).__name__)
