"""Reading the journal: what was written, the history of a fact, and the memory as of a past moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, or_, select

from ..database import tables as t
from ..database.rows import entry_of, loads, memory_of, memory_of_image
from ..database.ties import chain, entries_of
from ..errors import NotFound
from ..values import JournalEntry, Memory, Moment, WriteKind
from .base import StorePart

CHANGES = ("insert", "update", "delete", "pin", "undo", "redo")
"""The kinds of entries that change rows: each takes `before` away and puts `after` in its place."""


class Past(StorePart):
    """The journal as it is read."""

    def entries(
        self, user_id: int, *,
        turn_id: int | None = None, memory_id: int | None = None, batch: str | None = None,
        session_id: int | None = None, kind: WriteKind | None = None, limit: int | None = None, since_id: int = 0,
    ) -> list[JournalEntry]:  # fmt: skip
        """Entries in the order they were written; with `limit`, the last ones."""
        journal = t.journal.c
        query = select(t.journal).where(journal.user_id == user_id, journal.id > since_id)
        if turn_id is not None:
            tied = select(t.journal_turns.c.journal_id).where(t.journal_turns.c.turn_id == turn_id)
            query = query.where(journal.id.in_(tied))
        if kind is not None:
            query = query.where(journal.kind == kind)
        if memory_id is not None:
            query = query.where(or_(journal.memory_id == memory_id, journal.before_id == memory_id))
        if batch is not None:
            query = query.where(journal.batch == batch)
        if session_id is not None:
            said = select(t.turns.c.id).where(t.turns.c.session_id == session_id)
            tied = select(t.journal_turns.c.journal_id).where(t.journal_turns.c.turn_id.in_(said))
            query = query.where(or_(journal.session_id == session_id, journal.id.in_(tied)))
        with self.db.read() as db:
            return [entry_of(row) for row in db.execute(query.order_by(journal.id.desc()).limit(limit))][::-1]

    def get(self, entry_id: int, *, user_id: int | None = None) -> JournalEntry:
        """One journal entry; with `user_id`, only if it is theirs."""
        with self.db.read() as db:
            row = db.execute(select(t.journal).where(t.journal.c.id == entry_id)).one_or_none()
        if row is None or user_id not in (None, row.user_id):
            raise NotFound(f"there is no write {entry_id}", "`chatmem memory journal` (in a chat /journal) lists them")
        return entry_of(row)

    def version(self) -> int:
        """A number that changes whenever anything is committed to the file, here or elsewhere; see `Database`."""
        return self.db.version()

    def writes(self, user_id: int) -> tuple[int, int]:
        """The id of a user's last journal entry (0: none) and how many there are: a forget makes them fewer."""
        journal = t.journal.c
        query = select(func.coalesce(func.max(journal.id), 0), func.count()).where(journal.user_id == user_id)
        with self.db.read() as db:
            last, count = db.execute(query).one()
        return int(last), int(count)

    def history(self, memory_id: int, *, user_id: int | None = None) -> list[JournalEntry]:
        """All that happened to a fact: the entries of the row, of those it replaced and of those that replaced it."""
        with self.db.read() as db:
            found = entries_of(db, chain(db, [memory_id]))
        if not found or user_id not in (None, found[0].user_id):
            raise NotFound(f"there is no memory {memory_id}", "list them with `chatmem memory list`")
        return found

    def as_of(self, user_id: int, moment: Moment) -> list[Memory]:
        """The rows that were current right after that moment, by id: today's, with every later change taken back."""
        return self._taken_back(user_id, _later(user_id, moment))

    def before_write(self, user_id: int, entry_id: int) -> list[Memory]:
        """The rows that were current just before a journal entry, by id: what its author could know."""
        return self._taken_back(user_id, _since(user_id, entry_id))

    def _taken_back(self, user_id: int, changes: Any) -> list[Memory]:
        """Today's rows with these changes, newest first, taken back."""
        with self.db.read() as db:
            current = (t.memories.c.user_id == user_id, t.memories.c.valid_to.is_(None))
            state = {row.id: memory_of(row) for row in db.execute(select(t.memories).where(*current))}
            for entry in db.execute(changes):
                _step_back(state, user_id, loads(entry.before), loads(entry.after))
        return [state[memory_id] for memory_id in sorted(state)]


def _since(user_id: int, entry_id: int) -> Any:
    journal = t.journal.c
    changes = (journal.user_id == user_id, journal.kind.in_(CHANGES), journal.id >= entry_id)
    return select(journal.before, journal.after).where(*changes).order_by(journal.id.desc())


def _later(user_id: int, moment: Moment) -> Any:
    journal = t.journal.c
    # The last entry at that moment, not the entries' own times: a clock that was set back must not mix the order.
    last = select(func.coalesce(func.max(journal.id), 0)).where(journal.user_id == user_id, journal.at <= moment)
    changes = (journal.user_id == user_id, journal.kind.in_(CHANGES), journal.id > last.scalar_subquery())
    return select(journal.before, journal.after).where(*changes).order_by(journal.id.desc())


def _step_back(
    state: dict[int, Memory], user_id: int, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> None:
    if after and "id" in after:
        state.pop(after["id"], None)
    if before and "id" in before:
        state[before["id"]] = memory_of_image(before, user_id)
