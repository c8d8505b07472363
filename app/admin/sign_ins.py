"""Who is signed in on the page: a row for each browser, beside the file of users, so that each can be ended.

The browser holds 256 random bits, the file their hash alone. A sign-in holds as long as its user is in the file of
users with the mark that they had then; a new password brings a new mark. So it ends at once, in every program that
reads the two files, without any of them being told.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...memory.errors import SettingsError

MOST_DAYS, IDLE_DAYS = 90, 14
DAY = 24 * 60 * 60
SEEN_EACH = 60
"""Seconds: how exactly it is kept when a browser was last seen."""
MOST_OF_ONE = 50
"""Sign-ins of one person; the one not seen for longest makes room."""
_TABLE = """CREATE TABLE IF NOT EXISTS sign_ins (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, name TEXT NOT NULL, mark TEXT NOT NULL,
    began INTEGER NOT NULL, seen INTEGER NOT NULL, address TEXT NOT NULL, browser TEXT NOT NULL)"""
_COLUMNS = "id, name, mark, began, seen, address, browser"


@dataclass(frozen=True, slots=True)
class SignIn:
    """One browser in which somebody is signed in. `began`, `seen`: seconds since 1970."""

    id: int
    name: str
    mark: str
    began: int
    seen: int
    address: str
    browser: str


class SignIns:
    """The sign-ins of a file of users. For several threads and programs at once.

    `mark_of` gives a user's mark as it stands now (None: there is no such user).
    """

    def __init__(self, users: Path, mark_of: Callable[[str], str | None], now: Callable[[], float] = time.time) -> None:
        self.path = users.with_name(users.name + ".signins")
        self._mark_of, self._now = mark_of, now
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def _open(self) -> sqlite3.Connection:
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite would make it readable by all
            db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=5.0)
            db.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise SettingsError(f"{self.path} can't be used ({error}); check its permissions, or delete it.") from error
        return db

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._db is None:
                self._db = self._open()
            try:
                yield self._db
            except sqlite3.Error as error:
                raise SettingsError(f"{self.path} can't be used ({error}); check it, or delete it.") from error

    def begin(self, name: str, address: str, browser: str) -> str:
        """Signs a user in: what their browser is to show from now on."""
        token, now = secrets.token_urlsafe(32), int(self._now())
        values = (_key(token), name, self._mark_of(name) or "", now, now, address[:60], browser[:200])
        with self._using() as db:
            db.execute(
                "DELETE FROM sign_ins WHERE began < ? OR seen < ?", (now - MOST_DAYS * DAY, now - IDLE_DAYS * DAY)
            )
            db.execute("DELETE FROM sign_ins WHERE id IN (SELECT id FROM sign_ins WHERE name = ? "
                       "ORDER BY seen DESC, id DESC LIMIT -1 OFFSET ?)", (name, MOST_OF_ONE - 1))  # fmt: skip
            db.execute("INSERT INTO sign_ins (key, name, mark, began, seen, address, browser) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?)", values)  # fmt: skip
        return token

    def of(self, token: str) -> SignIn | None:
        """The sign-in that a browser shows; None when it ended."""
        with self._using() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM sign_ins WHERE key = ?", (_key(token),)).fetchone()
            found = SignIn(*row) if row else None
            if found is None or not self._valid(found):
                db.execute("DELETE FROM sign_ins WHERE key = ?", (_key(token),))
                return None
            now = int(self._now())
            if now - found.seen >= SEEN_EACH:
                db.execute("UPDATE sign_ins SET seen = ? WHERE id = ?", (now, found.id))
        return found

    def all(self, name: str | None = None) -> list[SignIn]:
        """Those that hold, of one user or of all, the one seen last first."""
        with self._using() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM sign_ins ORDER BY seen DESC, id DESC").fetchall()
        found = [SignIn(*row) for row in rows]
        return [one for one in found if name in (None, one.name) and self._valid(one)]

    def end(self, name: str, key: int | None = None) -> int:
        """Ends one sign-in of a user, or all of them; how many there were."""
        with self._using() as db:
            if key is None:
                return db.execute("DELETE FROM sign_ins WHERE name = ?", (name,)).rowcount
            return db.execute("DELETE FROM sign_ins WHERE name = ? AND id = ?", (name, key)).rowcount

    def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def holds(self, one: SignIn) -> bool:
        """Whether one has not ended since it was read."""
        with self._using() as db:
            there = db.execute("SELECT 1 FROM sign_ins WHERE id = ?", (one.id,)).fetchone()
        return there is not None and self._valid(one)

    def _valid(self, one: SignIn) -> bool:
        now = self._now()
        young = now - one.began < MOST_DAYS * DAY and now - one.seen < IDLE_DAYS * DAY
        return young and self._mark_of(one.name) == one.mark


def _key(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
