"""Lines that wait to be turned into memories, and which process does it: each is claimed by one at a time.

A claim lasts until its line is done, its owner closes the store or ends, or its time is over. Whoever lost a claim
writes nothing any more (`check_claims`), so that no line is stored twice, however long its model was at work.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Sequence
from datetime import timedelta
from functools import cached_property

from sqlalchemy import Connection, bindparam, literal_column, select, update

from ..database import tables as t
from ..database.moments import moment_of
from ..database.rows import turn_of
from ..errors import NotFound
from ..values import Author, Moment, StorageState, Turn
from .base import StorePart

CLAIM = timedelta(minutes=10)
"""How long a claim outlives an owner that nobody can ask: one on another machine, or one whose number was reused."""
STORAGE = "agent:storage"
_PART = "part:"
"""Of a line that nobody holds: so many parts of it were read."""
_PENDING = t.turns.c.storage == literal_column("'pending'")  # in just these words, so that the index serves

# Built once: building it takes longer than running it. A line that nobody claimed is nobody's (NULL != x is not true).
_TAKEN = (
    select(t.turns.c.id)
    .where(t.turns.c.id.in_(bindparam("turn_ids", expanding=True)), t.turns.c.claimed_by != bindparam("claimant"))
    .limit(1)
)

_FORGOTTEN = (
    select(t.turns.c.id)
    .where(t.turns.c.id.in_(bindparam("turn_ids", expanding=True)), t.turns.c.storage == "forgotten")
    .limit(1)
)


class Queue(StorePart):
    """`store.queue`: the lines that wait to be remembered, and whose turn it is."""

    claims = False
    """Whether this store may hold claims."""

    @cached_property
    def _places(self) -> dict[int, int]:
        """The lines that are being read in parts, with how many of them were read."""
        return {}

    @cached_property
    def claimant(self) -> str:
        """The name of this open store: machine, process and a number of its own."""
        return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:12]}"

    def pending(self, user_id: int) -> list[Turn]:
        """Turns that the storage agent has yet to read, oldest first."""
        pending = (t.turns.c.user_id == user_id, _PENDING)
        with self.db.read() as db:
            return [turn_of(row) for row in db.execute(select(t.turns).where(*pending).order_by(t.turns.c.id))]

    def claim(self, turn_id: int) -> bool:
        """True when from now on this store alone may turn that pending line into memories."""
        with self.db.write() as db:
            row = db.execute(select(t.turns).where(t.turns.c.id == turn_id)).one_or_none()
            if row is None or row.storage != "pending" or not self._free(row.claimed_by, row.claimed_until):
                return False
            if row.claimed_by != self.claimant:  # what another had it read, or said anew, counts
                self.keep_place(turn_id, _parts(row.claimed_by))
            db.execute(update(t.turns).where(t.turns.c.id == turn_id).values(self.claiming()))
        return True

    def place(self, turn_id: int) -> int:
        """How many parts of a long line that waits were read already."""
        with self.db.read() as db:
            held = db.scalar(select(t.turns.c.claimed_by).where(t.turns.c.id == turn_id, _PENDING))
        return self._places.get(turn_id, 0) if held == self.claimant else _parts(held)

    def keep_place(self, turn_id: int, parts: int) -> None:
        """So many parts of a line that is claimed are read: whoever goes on after this store is closed begins there.
        0: it is another line now."""
        self._places.pop(turn_id, None)
        if parts:
            self._places[turn_id] = parts

    def finish(self, turn_id: int, storage: StorageState = "done") -> None:
        """The line is turned into memories; says nothing when another process has taken it over since."""
        own = (t.turns.c.id == turn_id, t.turns.c.claimed_by == self.claimant)
        self._places.pop(turn_id, None)
        with self.db.write() as db:
            db.execute(update(t.turns).where(*own).values(storage=storage))

    def release(self, turn_id: int | None = None) -> None:
        """Gives back the claim of one pending line, or of all that this store holds: others may try at once."""
        held = [t.turns.c.claimed_by == self.claimant, _PENDING]
        if turn_id is not None:
            held.append(t.turns.c.id == turn_id)
        if not self.claims:
            return
        with self.db.write() as db:
            for key, parts in self._places.items():
                at = {"claimed_by": f"{_PART}{parts}", "claimed_until": None}
                db.execute(update(t.turns).where(t.turns.c.id == key, *held).values(at))
            db.execute(update(t.turns).where(*held).values(claimed_by=None, claimed_until=None))

    def claiming(self) -> dict[str, str]:
        """The columns of a turn that is claimed now."""
        self.claims = True
        return {"claimed_by": self.claimant, "claimed_until": moment_of(self.ground.clock() + CLAIM)}

    def _free(self, claimed_by: str | None, until: Moment | None) -> bool:
        own = claimed_by in (None, self.claimant)
        return own or not until or until < self.now() or not _may_live(claimed_by or "")


def check_claims(db: Connection, claimant: str, author: Author, turn_ids: Sequence[int]) -> None:
    """Raises NotFound when the storage agent writes from a turn that another process has taken over, or that was
    forgotten while the model was at work."""
    if author.actor != STORAGE or not turn_ids:
        return
    if db.scalar(_FORGOTTEN, {"turn_ids": list(turn_ids)}) is not None:
        raise NotFound("what this was to be remembered from was forgotten meanwhile, so nothing was written.")
    turn_id = db.scalar(_TAKEN, {"turn_ids": list(turn_ids), "claimant": claimant})
    if turn_id is not None:
        raise NotFound(f"turn {turn_id} is being remembered by another process, so nothing was written here.")


def _parts(claimed_by: str | None) -> int:
    """How many parts whoever had a line last had read."""
    told = (claimed_by or "").removeprefix(_PART)
    return int(told) if claimed_by != told and told.isdigit() else 0


def _may_live(claimed_by: str) -> bool:
    """Whether the process behind a claim may still be there; False only when it certainly is not."""
    host, _, rest = claimed_by.partition(":")
    number = rest.partition(":")[0]
    if os.name != "posix" or host != socket.gethostname() or not number.isdigit():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
