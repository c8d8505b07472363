"""What the parts of a store share: the database, the clock, the embedder, and keeping the indexes true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo

from sqlalchemy import Connection, delete

from ..database import tables as t
from ..database.engine import Database
from ..database.moments import moment_of
from ..search import fulltext
from ..search.search import Searcher
from ..search.vectors import Embedder
from ..values import Moment

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Ground:
    """What all parts of one open store share. `zone`: where the user lives (None: UTC)."""

    def __init__(
        self, db: Database, *, clock: Clock = utc_now, embedder: Embedder | None = None, zone: tzinfo | None = None
    ) -> None:  # fmt: skip
        self.db = db
        self.clock = clock
        self.embedder = embedder
        self.zone = zone
        self.searcher = Searcher()
        self.embedded: dict[tuple[str, int | None], tuple[int, int]] = {}
        """Ids above which and up to which all current rows of a kind and user are known to have vectors."""
        self.trusted: set[str] = set()
        """Encoders whose vectors were seen to be their own."""
        self.trouble = ""
        """Why the last search went by words alone, in a sentence; empty when it didn't."""

    def now(self) -> Moment:
        return moment_of(self.clock())

    def lacks_vector(self, kind: str, ref_id: int) -> None:
        """Has the next look for rows without a vector begin at this one, which lost its vector or came back."""
        for key, known in list(self.embedded.items()):
            if key[0] == kind:
                above, to = (min(one, ref_id - 1) for one in known)
                self.embedded[key] = above, to


class StorePart:
    """A part of the store, on the ground that it shares with the others."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.db = ground.db

    def now(self) -> Moment:
        return self.ground.now()


def reindex(db: Connection, *, opened: Sequence[int] = (), closed: Sequence[int] = ()) -> None:
    """Brings full text search and vectors up to date with memories that became current or stopped being so."""
    if closed:
        fulltext.drop(db, "memory", closed)
        db.execute(delete(t.vectors).where(t.vectors.c.kind == "memory", t.vectors.c.ref_id.in_(closed)))
    if opened:
        fulltext.index_memories(db, opened)
