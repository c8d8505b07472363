"""The store: the one object through which everything else reads and writes the memory."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from datetime import tzinfo
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import func, select

from ..database import tables as t
from ..database.driver import connect
from ..database.engine import BUSY_SECONDS, Database, raw
from ..database.key import Secret
from ..database.moments import moment_of
from ..errors import StoreError
from ..search.vectors import Embedder
from ..values import Moment
from .base import Clock, Ground, utc_now
from .conversations import Sessions, Turns, Users
from .forget import Forget
from .memories import Facts
from .migrations import migrate
from .queue import Queue
from .searching import Searching
from .undo import Journal
from .vector_upkeep import Recutting, Reembedding, VectorUpkeep


class Store:
    """All that chatmem knows, in one SQLite file. Safe to use from several threads and several processes at once.

    Its parts: `users`, `sessions`, `turns` (with `queue`, the lines that wait to be remembered), `facts`, `journal`
    (with undo), `forget`, `vectors`, `recutting`, `reembedding`; and `store.search(...)`.
    """

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.db = ground.db
        self.vectors = VectorUpkeep(ground)
        self.search = Searching(ground, self.vectors)
        self.recutting = Recutting(ground)
        self.reembedding = Reembedding(ground, self.vectors)
        self.queue = Queue(ground)
        self.users = Users(ground)
        self.sessions = Sessions(ground, self.users)
        self.turns = Turns(ground, self.queue)
        self.facts = Facts(ground, self.queue, self.vectors, self.search)
        self.journal = Journal(ground, self.vectors)
        self.forget = Forget(ground, self.users, self.sessions, self.turns, self.journal)

    @classmethod
    def open(
        cls, target: Path | str, *,
        read_only: bool = False, embedder: Embedder | None = None, clock: Clock | None = None,
        timeout: float = BUSY_SECONDS, zone: tzinfo | None = None, secret: Secret | None = None,
    ) -> Self:  # fmt: skip
        """Opens the database at a path or `sqlite:///PATH`, making or migrating it where needed.

        `timeout`: seconds to wait for other processes' writes. `zone`: where the user lives, so that "yesterday" is
        their yesterday (None: UTC). `secret`: opens an encrypted database, or has a new one made
        encrypted. Raises a StoreError that says what to do.
        """
        clock = clock or utc_now
        db = Database(path_of(target), read_only=read_only, timeout=timeout, secret=secret)
        try:
            migrate(db, moment_of(clock()))
        except BaseException:
            db.close()
            raise
        return cls(Ground(db, clock=clock, embedder=embedder, zone=zone))

    def close(self) -> None:
        """Gives back the claims on lines that wait, threads and connections."""
        with suppress(StoreError):  # a full disk, a locked database: the claims end by themselves
            self.queue.release()
        self.queue.claims = False
        self.recutting.end()
        self.reembedding.end()
        self.ground.searcher.close()
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:  # fmt: skip
        self.close()

    @property
    def embedder(self) -> Embedder | None:
        """What makes vectors; None: search goes by words alone."""
        return self.ground.embedder

    @embedder.setter
    def embedder(self, embedder: Embedder | None) -> None:
        self.ground.embedder = embedder
        self.ground.embedded.clear()

    @property
    def zone(self) -> tzinfo | None:
        """Where the user lives; None: UTC."""
        return self.ground.zone

    @zone.setter
    def zone(self, zone: tzinfo | None) -> None:
        self.ground.zone = zone

    def now(self) -> Moment:
        return self.ground.now()

    def copy_to(self, path: Path) -> None:
        """Writes the whole database, as it is now, into a new file of its owner's alone; encrypted if it is.

        Raises StoreError.
        """
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        with self.db.read() as db, closing(connect(str(path), self.db.key)) as target:
            raw(db).backup(target)

    def check(self) -> list[str]:
        """Problems of the database, each a sentence; an empty list when all is well."""
        with self.db.read() as db:
            driver = raw(db)
            problems = [text for (text,) in driver.execute("PRAGMA integrity_check") if text != "ok"]
            if self.db.key is not None:
                problems += [text for (text,) in driver.execute("PRAGMA cipher_integrity_check")]
            broken = driver.execute("PRAGMA foreign_key_check").fetchall()
        if broken:
            problems.append(f"{len(broken)} rows point to rows that do not exist (first in table {broken[0][0]}).")
        return problems

    def stats(self, user_id: int) -> dict[str, Any]:
        """Counts of one user's things; `bytes` is the size of the whole file with its WAL."""
        memories, journal = t.memories.c, t.journal.c
        counts = {
            "sessions": select(func.count()).where(t.sessions.c.user_id == user_id),
            "turns": select(func.count()).where(t.turns.c.user_id == user_id),
            "memories": select(func.count()).where(memories.user_id == user_id, memories.valid_to.is_(None)),
            "replaced": select(func.count()).where(memories.user_id == user_id, memories.valid_to.is_not(None)),
            "subjects": select(func.count(func.distinct(memories.subject))).where(
                memories.user_id == user_id, memories.valid_to.is_(None)
            ),
            "writes": select(func.count()).where(journal.user_id == user_id, journal.kind != "refused"),
            "refused": select(func.count()).where(journal.user_id == user_id, journal.kind == "refused"),
            "undone": select(func.count()).where(journal.user_id == user_id, journal.undone.is_(True)),
            "pending": select(func.count()).where(t.turns.c.user_id == user_id, t.turns.c.storage == "pending"),
            "first_turn": select(func.min(t.turns.c.said_at)).where(t.turns.c.user_id == user_id),
            "last_turn": select(func.max(t.turns.c.said_at)).where(t.turns.c.user_id == user_id),
        }
        with self.db.read() as db:
            found: dict[str, Any] = {name: db.scalar(query) for name, query in counts.items()}
        files = (self.db.path, self.db.path.with_name(self.db.path.name + "-wal"))
        return found | {"bytes": sum(path.stat().st_size for path in files if path.exists())}


def path_of(target: Path | str) -> Path:
    """The file of a database that is named by its path or as `sqlite:///PATH`. Raises StoreError."""
    if isinstance(target, Path):
        return _named(target)
    scheme, separator, rest = target.partition("://")
    if not separator:
        rest = target
    elif scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        rest = rest[1:]
    else:
        # Without the address, which may hold a password.
        told = f"{scheme[:20]}://... is not a database that chatmem can use: give a file's path or sqlite:///PATH."
        raise StoreError(told)
    if rest in ("", ":memory:"):
        raise StoreError("a memory needs a file: give a path.")
    return _named(Path(rest))


def _named(path: Path) -> Path:
    """A path that has a name, beside which others are made. Raises StoreError for / and its like."""
    if not path.name:
        raise StoreError(f"{path} is a folder: name a file in it.")
    return path.expanduser()
