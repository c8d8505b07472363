"""The store: the one object through which everything else reads and writes the memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import tzinfo
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import func, select

from . import tables as t
from .base import Clock, moment, utc_now
from .database import BUSY_SECONDS, Database, raw
from .dates import wall_clock
from .errors import StoreError
from .facts import Facts, Relevance
from .forget import Forget
from .migrations import migrate
from .stale import stale
from .values import Moment, Recall, Rows
from .vectors import Embedder

ABOUT = 50
"""How many rows `about('words')` scores above 0."""
ABOUT_LINES = 150
"""The same of lines, of which a WHERE may leave few."""
RANKS = 60
"""As k in reciprocal rank fusion (Cormack et al. 2009)."""


class Store(Facts, Forget):
    """All that chatmem knows, in one SQLite file. Safe to use from several threads and several processes at once."""

    @classmethod
    def open(
        cls, target: Path | str, *,
        read_only: bool = False, embedder: Embedder | None = None, clock: Clock | None = None,
        timeout: float = BUSY_SECONDS, zone: tzinfo | None = None,
    ) -> Self:  # fmt: skip
        """Opens the database at a path or `sqlite:///PATH`, making or migrating it where needed.

        `timeout`: seconds to wait for other processes' writes. `zone`: where the user lives, so that "yesterday" is
        their yesterday (None: UTC). Raises a StoreError that says what to do.
        """
        clock = clock or utc_now
        db = Database(_path(target), read_only=read_only, timeout=timeout)
        try:
            migrate(db, moment(clock()))
        except BaseException:
            db.close()
            raise
        return cls(db, clock=clock, embedder=embedder, zone=zone)

    def close(self) -> None:
        """Gives back the claims on lines that wait, threads and connections."""
        with suppress(StoreError):  # a full disk, a locked database: the claims end by themselves
            self.release_turns()
        self.claims = False
        self.searcher.close()
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:  # fmt: skip
        self.close()

    def search(
        self, user_id: int, query: str, *,
        limit: int = 10, now: Moment | None = None, speaker: str | None = None,
        use_turns: bool = True, word_budget: int | None = None,
    ) -> Recall:  # fmt: skip
        """What the memory holds on a question: facts with their evidence lines, and lines, best first.

        `speaker` is who asks ("my" is theirs). With `word_budget`, as much as fits into that many words (a line costs
        one more, for who said it) instead of `limit` items, lines cut to their most telling sentences.
        """
        self.embed_pending(user_id, limit=32)
        return self.searcher.search(
            self.db, self.embedder, user_id, query, limit=limit, now=wall_clock(now or self.now(), self.zone),
            speaker=speaker, use_turns=use_turns, word_budget=word_budget,
        )  # fmt: skip

    def read(
        self, user_id: int, sql: str, *,
        about: Relevance | None = None, about_lines: Relevance | None = None, limit: int = 200,
    ) -> Rows:  # fmt: skip
        """As `Facts.read`; unless told otherwise, `about('words')` is how well a row fits the words in this memory."""
        about, about_lines = about or self.relevance(user_id), about_lines or self.line_relevance(user_id)
        return super().read(user_id, sql, about=about, about_lines=about_lines, limit=limit)

    def relevance(self, user_id: int, speaker: str | None = None) -> Relevance:
        """What stands behind `about('words')`: the scores of a search, by memory id. `speaker` is who asks."""

        def about(words: str) -> Mapping[int, float]:
            found = self.search(user_id, words, limit=ABOUT, use_turns=False, speaker=speaker)
            return {item.memory.id: item.score for item in found.items if item.memory}

        return about

    def line_relevance(self, user_id: int, speaker: str | None = None, now: Moment | None = None) -> Relevance:
        """The same for lines, by turn id: where a search ranks them, facts leading to their lines; the best scores 1.

        Scores fall as 60 / (60 + rank), so that `about('a') + about('b')` is reciprocal rank fusion. Lines that tell
        only what their memory said before it was changed score 0.
        """

        def about(words: str) -> Mapping[int, float]:
            found = self.search(user_id, words, limit=ABOUT_LINES, speaker=speaker, now=now)
            turns = {turn.id: turn for item in found.items for turn in item.turns}
            evidence = {item.memory.id: [turn.id for turn in item.turns] for item in found.items if item.memory}
            with self.db.read() as db:
                old = stale(raw(db), found.memories, evidence, [*turns.values()])
            return {one: RANKS / (RANKS + rank) for rank, one in enumerate(one for one in turns if one not in old)}

        return about

    def copy_to(self, path: Path) -> None:
        """Writes the whole database, as it is now, into a new file. Raises StoreError."""
        with self.db.read() as db, closing(sqlite3.connect(path)) as target:
            raw(db).backup(target)

    def check(self) -> list[str]:
        """Problems of the database, each a sentence; an empty list when all is well."""
        with self.db.read() as db:
            driver = raw(db)
            problems = [text for (text,) in driver.execute("PRAGMA integrity_check") if text != "ok"]
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


def _path(target: Path | str) -> Path:
    if isinstance(target, Path):
        return target.expanduser()
    scheme, separator, rest = target.partition("://")
    if not separator:
        rest = target
    elif scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        rest = rest[1:]
    else:
        raise StoreError(f"{target} is not a database that chatmem can use: give a file's path or sqlite:///PATH.")
    if rest in ("", ":memory:"):
        raise StoreError("a memory needs a file: give a path.")
    return Path(rest).expanduser()
