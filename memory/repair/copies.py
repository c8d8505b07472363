"""Backups of a database that is at work, and their way back. Both go through SQLite's backup API, page by page."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from ..database.disk_full import says_full
from ..database.driver import connect, errors, errors_and, source
from ..database.engine import APPLICATION_ID
from ..database.key import Key, Secret, salt_of
from ..errors import InputError, NotFound, StoreError, StoreFull, StoreLocked
from ..store.migrations import MIGRATIONS
from ..store.store import Store
from . import encrypting
from .damaged import UNREACHED, code_of
from .placing import put_in_place


def backup(store: Store, path: Path) -> int:
    """A copy of everything, as it is at one moment, while others go on writing; its size in bytes.

    The file appears whole or not at all, was looked through before, and is its owner's alone. Raises StoreError.
    """
    try:
        with _part(path) as part:
            store.copy_to(part)
            _check(part, store.db.key)
            put_in_place(part, path)
    except errors_and(OSError) as error:
        if says_full(error):
            raise StoreFull(f"the disk is full: {path} was not written; free some space.") from error
        why = error.strerror if isinstance(error, OSError) else "the copy could not be read back"
        raise StoreError(f"{path} can't be written ({why}): choose another place.") from error
    for user in store.users.all():
        store.forget.wrote(user.id, path)
    return path.stat().st_size


def restore(store: Store, path: Path, *, keep: Path | None) -> int:
    """Brings back what a backup holds, in one transaction, also under programs that have the database open; its size.

    What is there now is kept as a backup at `keep` (None: there is nothing). Raises NotFound, InputError for a file
    that is no sound backup, StoreError.
    """
    if not path.is_file():
        raise NotFound(f"there is no file {path}: check the name.")
    with _as_ours(store, path) as backed_up:
        if keep is not None:
            backup(store, keep)
        known = {user.name: [*store.forget.exports(user.id), path] for user in store.users.all()}
        with closing(connect(source(backed_up, "rw"), store.db.key, uri=True)) as old, store.db.alone() as target:
            old.backup(target)
        _note(store, known, (path, keep) if keep else (path,))
        return path.stat().st_size


def restore_new(database: Path, path: Path, secret: Secret | None) -> int:
    """Makes a database of what a backup holds where there is none; its size. It appears whole or not at all.

    `secret`: what opens it, with the salt of the backup where that is encrypted: its key is the same as before then.
    Raises as `restore`.
    """
    for end in ("-wal", "-journal"):
        if (left := database.with_name(database.name + end)).exists():
            raise StoreError(f"{left} is left of a database that is gone, and would be read into this one: move it.")
    database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _part(database) as part:
        with Store.open(part, secret=secret) as store:
            size = restore(store, path, keep=None)
        if database.exists() and database.stat().st_size:
            raise StoreLocked(f"{database} was just made by another chatmem: nothing was changed, try again.")
        put_in_place(part, database)
    return size


def looked_through(path: Path, key: Key | None) -> None:
    """Raises InputError when a file is no sound backup, StoreError when it can't be read."""
    try:
        _check(path, key)
    except errors() as error:
        if code_of(error) in UNREACHED:
            raise StoreError(f"{path} can't be read ({error}): check its permissions and its disk.") from error
        why = str(error) if isinstance(error, _NotOurs) else "it is damaged, or no database"
        raise InputError(f"{path} is no sound backup ({why}): nothing was changed, choose another.") from error


@contextmanager
def _part(path: Path) -> Iterator[Path]:
    """An empty file beside `path`, to be filled and renamed; what is left of it goes."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    part = Path(name)
    try:
        yield part
    finally:
        for end in ("", "-journal", "-wal", "-shm"):
            part.with_name(part.name + end).unlink(missing_ok=True)


def _note(store: Store, known: Mapping[str, Sequence[Path]], copies: Sequence[Path]) -> None:
    """Which copies there are is not known to the state that came back: without it a forget couldn't name them.
    Somebody who had been forgotten, and is back, is in the `copies` at least; other people's exports are theirs."""
    for user in store.users.all():
        for path in known.get(user.name, copies):
            store.forget.wrote(user.id, path)


@contextmanager
def _as_ours(store: Store, path: Path) -> Iterator[Path]:
    """The backup, looked through and encrypted as the database is: one that is plain or has another salt is copied.
    Raises InputError where that needs a key that isn't at hand."""
    own, salt = store.db.key, salt_of(path)
    old = own
    if salt != (own.salt if own else None):
        if own is None:
            raise InputError(
                f"{path} is encrypted, and {store.db.path} isn't: `chatmem encrypt` it first, with the same passphrase."
            )
        old = encrypting.opener(path, salt, store.db.secret) if salt else None
        if salt and old is None:
            raise InputError(
                f"{path} was encrypted with another passphrase or key: "
                f"`chatmem --db {path} encrypt --passphrase` gives it this database's."
            )
    looked_through(path, old)
    if old is own or own is None:
        yield path
        return
    with _part(store.db.path) as copy, store.db.translated():
        encrypting.encrypted_copy(path, copy, own, old)
        yield copy


class _NotOurs(sqlite3.DatabaseError):
    pass


def _check(path: Path, key: Key | None = None) -> None:
    """Raises sqlite3.DatabaseError or its twin when the file isn't a sound database of chatmem's."""
    with closing(connect(source(path, "rw"), key, uri=True)) as db:
        (application,) = db.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION_ID:
            raise _NotOurs("it is not chatmem's")
        problems = db.execute("PRAGMA integrity_check(1)").fetchall()
        if problems != [("ok",)]:
            raise sqlite3.DatabaseError("damaged")
        (form,) = db.execute("SELECT max(number) FROM migrations").fetchone()
        if form > MIGRATIONS[-1].number:
            raise _NotOurs(f"a newer chatmem made it: form {form}, this one knows {MIGRATIONS[-1].number}")
