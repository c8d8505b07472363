"""Backups of a database that is at work, and their way back. Both go through SQLite's backup API, page by page."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..database.disk_full import says_full
from ..database.driver import connect, errors, errors_and
from ..database.engine import APPLICATION_ID
from ..database.key import Key, salt_of
from ..errors import InputError, NotFound, StoreError, StoreFull
from ..store.migrations import MIGRATIONS
from . import encrypting

if TYPE_CHECKING:
    from ..store.store import Store


def backup(store: Store, path: Path) -> int:
    """A copy of everything, as it is at one moment, while others go on writing; its size in bytes.

    The file appears whole or not at all, was looked through before, and is its owner's alone. Raises StoreError.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        part = Path(name)
        try:
            store.copy_to(part)
            _check(part, store.db.key)
            with part.open("rb+") as file:
                os.fsync(file.fileno())
            os.replace(part, path)
        finally:
            for end in ("", "-journal", "-wal", "-shm"):
                part.with_name(part.name + end).unlink(missing_ok=True)
    except errors_and(OSError) as error:
        if says_full(error):
            raise StoreFull(f"the disk is full: {path} was not written; free some space.") from error
        why = error.strerror if isinstance(error, OSError) else "the copy could not be read back"
        raise StoreError(f"{path} can't be written ({why}): choose another place.") from error
    for user in store.users.all():
        store.forget.wrote(user.id, path)
    return path.stat().st_size


def restore(store: Store, path: Path, *, keep: Path) -> int:
    """Brings back what a backup holds, in one transaction, also under programs that have the database open; its size.

    What is there now is kept as a backup at `keep`. Raises NotFound, InputError for a file that is no sound backup.
    """
    if not path.is_file():
        raise NotFound(f"there is no file {path}: check the name.")
    with _as_ours(store, path) as source:
        try:
            _check(source, store.db.key)
        except errors() as error:
            told = f"{path} is no sound backup ({_why(error)}): nothing was changed, choose another."
            raise InputError(told) from error
        backup(store, keep)
        known = {user.name: [*store.forget.exports(user.id), path] for user in store.users.all()}
        with closing(connect(f"file:{source}?mode=ro", store.db.key, uri=True)) as old, store.db.alone() as target:
            old.backup(target)
        _note(store, known, (path, keep))
        return path.stat().st_size


def _note(store: Store, known: Mapping[str, Sequence[Path]], copies: Sequence[Path]) -> None:
    """Which copies there are is not known to the state that came back: without it a forget couldn't name them.
    Somebody who had been forgotten, and is back, is in the `copies` at least; other people's exports are theirs."""
    for user in store.users.all():
        for path in known.get(user.name, copies):
            store.forget.wrote(user.id, path)


@contextmanager
def _as_ours(store: Store, path: Path) -> Iterator[Path]:
    """The backup encrypted as the database is: a plain one is copied and encrypted first. Raises InputError where that
    needs a key that isn't at hand."""
    own, salt = store.db.key, salt_of(path)
    if salt == (own.salt if own else None):
        yield path
    elif salt is not None and own is not None:
        raise InputError(f"{path} was encrypted with an earlier key: open it with `--db {path}` and its passphrase.")
    elif own is None:
        raise InputError(f"{path} is encrypted, and the database isn't: `chatmem --db {path} decrypt` mends that.")
    else:
        copy = store.db.path.with_name(f".{store.db.path.name}.restoring")
        copy.unlink(missing_ok=True)
        try:
            _encrypted(path, copy, own)
            yield copy
        finally:
            copy.unlink(missing_ok=True)


def _encrypted(path: Path, copy: Path, key: Key) -> None:
    try:
        _check(path)
        encrypting.encrypted_copy(path, copy, key)
    except errors() as error:
        told = f"{path} is no sound backup ({_why(error)}): nothing was changed, choose another."
        raise InputError(told) from error
    os.chmod(copy, 0o600)


def _why(error: sqlite3.Error) -> str:
    return str(error) if isinstance(error, _NotOurs) else "it is damaged, or no database"


class _NotOurs(sqlite3.DatabaseError):
    pass


def _check(path: Path, key: Key | None = None) -> None:
    """Raises sqlite3.DatabaseError or its twin when the file isn't a sound database of chatmem's."""
    with closing(connect(str(path), key)) as db:
        (application,) = db.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION_ID:
            raise _NotOurs("it is not chatmem's")
        problems = db.execute("PRAGMA integrity_check(1)").fetchall()
        if problems != [("ok",)]:
            raise sqlite3.DatabaseError("damaged")
        (form,) = db.execute("SELECT max(number) FROM migrations").fetchone()
        if form > MIGRATIONS[-1].number:
            raise _NotOurs(f"a newer chatmem made it: form {form}, this one knows {MIGRATIONS[-1].number}")
