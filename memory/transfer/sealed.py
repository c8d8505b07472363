"""Exports of an encrypted memory: the same text, in an SQLCipher file with the memory's own key.

`import` reads it into every memory that the same passphrase opens, and with the keychain that has its key.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TextIO

from ..database.driver import connect, errors, source
from ..database.key import Key, Secret, salt_of
from ..errors import InputError
from ..repair.encrypting import opener

ENDING = ".sealed"
_PIECE = 1 << 16


def place(path: Path, key: Key | None) -> Path:
    """Where an export that was asked for at `path` is written: with a key, the name says that it is sealed."""
    return path if key is None or path.suffix.lower() == ENDING else path.with_name(path.name + ENDING)


def inner(path: Path) -> Path:
    """The name that a sealed export would have in the open: its suffix says what it holds."""
    return path.with_suffix("") if path.suffix.lower() == ENDING else path


@contextmanager
def writing(path: Path, key: Key) -> Iterator[Any]:
    """A text that goes into a new sealed file. Raises the errors of the database."""
    with closing(connect(str(path), key, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("CREATE TABLE export (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        db.execute("BEGIN")
        out = _Pieces(lambda text: db.execute("INSERT INTO export (text) VALUES (?)", (text,)))
        yield out
        out.end()
        db.execute("COMMIT")


@contextmanager
def reading(path: Path, secret: Secret | None) -> Iterator[TextIO]:
    """The text of a sealed export. Raises InputError when nothing that opens this memory opens it."""
    salt = salt_of(path)
    if secret is None and salt:
        raise InputError(f"{path} is sealed, and this memory isn't encrypted", "`chatmem encrypt` comes first")
    key = opener(path, salt, secret) if salt else None
    if salt and key is None:
        told = "the passphrase or key of another memory, or an earlier one"
        raise InputError(f"{path} was sealed with {told}: export it from there.")
    try:
        with closing(connect(source(path), key, uri=True)) as db:
            text = "".join(one for (one,) in db.execute("SELECT text FROM export ORDER BY id"))
    except errors():
        raise InputError(f"{path} is no sealed export, or it is damaged: export it again.") from None
    yield io.StringIO(text, newline="")


class _Pieces(io.TextIOBase):
    """Hands text on in pieces."""

    def __init__(self, put: Callable[[str], object]) -> None:
        self._put, self._held, self._size = put, list[str](), 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._held.append(text)
        self._size += len(text)
        if self._size >= _PIECE:
            self.end()
        return len(text)

    def end(self) -> None:
        """What is held goes as well."""
        if self._held:
            self._put("".join(self._held))
            self._held, self._size = [], 0
