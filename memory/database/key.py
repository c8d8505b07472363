"""What opens an encrypted database: a passphrase or a key of the keychain, made into SQLCipher's key of a file.

A passphrase becomes a key as SQLCipher makes it (PBKDF2-HMAC-SHA512, 256,000 rounds, the file's own salt), so any
SQLCipher opens the file with it. It is made here and once: SQLCipher makes it anew for each connection (.16 s).
Source: "SQLCipher Design" (zetetic.net): the first 16 bytes of a file are its salt, the rest can't be told from chance.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from pathlib import Path

MAGIC = b"SQLite format 3\x00"
SALT_BYTES = 16
ROUNDS = 256_000
_PAGE = 4_096
_ALIKE = 8
"""Bytes of the head that a damaged plain database shares with a sound one, at least; a salt shares one at most."""
_MANY = 200
"""Different values in a page of chance bytes, at least (of 4,096 throws of 256; in text there are under 120)."""
_RAW = re.compile(r"x'([0-9a-fA-F]{64})'")


class Key:
    """The key of one file, as SQLCipher takes it. It is never shown: not in errors, not in a repr."""

    __slots__ = ("_key", "salt")

    def __init__(self, key: bytes, salt: bytes) -> None:
        self._key, self.salt = key, salt

    def sql(self) -> str:
        """The literal for PRAGMA key and ATTACH."""
        return f"\"x'{self._key.hex()}{self.salt.hex()}'\""


class Secret:
    """A passphrase, or a key of the keychain in SQLCipher's notation x'64 digits'. `salt`: that of a file to be made.

    It is never shown. The keys that were made from it are kept as long as it is.
    """

    __slots__ = ("_keys", "_lock", "_words", "salt")

    def __init__(self, words: str, salt: bytes | None = None) -> None:
        self._words, self.salt = words, salt
        self._keys: dict[bytes, Key] = {}
        self._lock = threading.Lock()

    def words(self) -> str:
        """The secret itself, for the keychain alone."""
        return self._words

    def key(self, salt: bytes) -> Key:
        """The key of the file with that salt; .16 s the first time for a passphrase."""
        with self._lock:
            if salt not in self._keys:
                raw = _RAW.fullmatch(self._words)
                made = (
                    bytes.fromhex(raw[1])
                    if raw
                    else hashlib.pbkdf2_hmac("sha512", self._words.encode("utf-8", "surrogateescape"), salt, ROUNDS, 32)
                )
                self._keys[salt] = Key(made, salt)
            return self._keys[salt]

    def new_key(self) -> Key:
        """The key of a file that is made now."""
        return self.key(self.salt or os.urandom(SALT_BYTES))


def new_secret() -> Secret:
    """A key of 32 random bytes for one file that is to be made."""
    return Secret(f"x'{os.urandom(32).hex()}'", os.urandom(SALT_BYTES))


def salt_of(path: Path) -> bytes | None:
    """The salt of an encrypted database; None for any other file, one that is empty, and one that isn't there.

    Called before anything here has the file open: closing it ends the locks that this process holds on it (POSIX).
    """
    try:
        with path.open("rb") as file:
            head = file.read(_PAGE)
    except OSError:
        return None
    if len(head) < _PAGE or sum(a == b for a, b in zip(head, MAGIC, strict=False)) >= _ALIKE:
        return None
    return head[:SALT_BYTES] if len(set(head)) >= _MANY else None
