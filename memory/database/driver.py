"""Which SQLite opens a file: Python's own, or SQLCipher's for an encrypted one (`sqlcipher3`, the extra `encrypt`).

SQLCipher's module is sqlite3's twin but for two things: its exceptions are classes of its own, and it has no
`setlimit`, which the sandbox of model-written SQL needs; SQLite's own function is called for it.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sqlite3
import sys
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from ..errors import InputError
from .key import Key

_MODULE = "sqlcipher3.dbapi2"


def errors(name: str = "Error") -> tuple[type[sqlite3.Error], ...]:
    """The exception of that name of each SQLite that is at work, for `except`."""
    cipher = sys.modules.get(_MODULE)
    return (getattr(sqlite3, name), getattr(cipher, name)) if cipher else (getattr(sqlite3, name),)


def errors_and(*others: type[Exception], name: str = "Error") -> tuple[type[Exception], ...]:
    """As `errors`, with other exceptions beside them."""
    return (*errors(name), *others)


@cache
def cipher() -> Any:
    """SQLCipher's module. Raises InputError where it is missing, or can't bound what a statement costs."""
    try:
        module = importlib.import_module(_MODULE)
    except ImportError:
        raise InputError(
            "encrypting needs the package 'sqlcipher3', which is not installed: pip install 'chatmem[encrypt]'."
        ) from None
    if not hasattr(_library(), "sqlite3_limit"):
        raise InputError("this build of 'sqlcipher3' can't limit what a statement may cost: install 0.6.4 from PyPI.")
    return module


def module_of(key: Key | None) -> Any:
    """The DB-API module for a file with that key (None: not encrypted)."""
    return cipher() if key is not None else sqlite3


def connect(target: str, key: Key | None = None, **options: Any) -> sqlite3.Connection:
    """A connection to a file; an encrypted one is ready to be read, and its key is tried by the first read.

    Raises InputError where SQLCipher is missing, sqlite3's errors or their twins.
    """
    driver = cast(sqlite3.Connection, module_of(key).connect(target, **options))
    if key is not None:
        try:
            driver.execute("PRAGMA cipher_log_level = NONE")  # it would write to stderr, into a window's middle
            driver.execute(f"PRAGMA key = {key.sql()}")
            driver.execute("PRAGMA temp_store = MEMORY")
        except errors():
            driver.close()
            raise
    return driver


def source(path: Path, mode: str = "ro") -> str:
    """The URI of a file that is read. SQLite makes files beside it, and where none can be made (a read-only disk) it
    opens only what is declared unchanging. `mode` "rw" takes them away again, which a connection that may only read
    leaves there."""
    path = path.resolve()  # those files lie beside the one that a link leads to
    wal = path.with_name(path.name + "-wal")
    if not os.access(path.parent, os.W_OK) and not (wal.exists() and wal.stat().st_size):
        mode = "ro&immutable=1"
    return f"file:{quote(str(path))}?mode={mode}"


def set_limit(db: sqlite3.Connection, limit: int, value: int) -> int:
    """`Connection.setlimit` for both modules: the limit as it was before."""
    if isinstance(db, sqlite3.Connection):
        return db.setlimit(limit, value)
    return int(_library().sqlite3_limit(_handle(db), limit, value))


@cache
def _library() -> Any:
    """SQLCipher's own library as loaded by Python: `sqlite3_limit` is there but has no Python name."""
    module = importlib.import_module("sqlcipher3._sqlite3")
    library = ctypes.PyDLL(module.__file__)
    if hasattr(library, "sqlite3_limit"):
        library.sqlite3_limit.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
        library.sqlite3_limit.restype = ctypes.c_int
    return library


def _handle(db: object) -> int:
    """The `sqlite3 *` of a connection: the first field of its C struct, behind the head that all objects have.

    The extra pins the minor version of sqlcipher3, and a test sets a limit and meets it.
    """
    return int(ctypes.c_void_p.from_address(id(db) + object.__basicsize__).value or 0)
