"""Forgetting for good: rows, history, journal copies, indexes and free pages; then the files' bytes are searched."""

from __future__ import annotations

import mmap
import re
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, delete, func, or_, select, update

from . import lexical
from . import tables as t
from .errors import InputError, NotFound, StoreFull
from .journal import chain, entries_of
from .people import People
from .rows import delete_memories, quote
from .undo import Undo
from .values import HUMAN, ForgetReport, JournalEntry

FORGOTTEN = "[forgotten]"
"""What is left of a turn whose text was forgotten, so that the conversation stays readable."""

_SEARCH_BYTES = 4_000_000_000
_BREAKS = re.compile(r"""['"\\\s]*[\n'"\\][\s'"\\]*""")


@dataclass
class _Erased:
    """What one forget took away: counts for the report, and the texts that must not be found afterwards."""

    rows: int = 0
    journal: int = 0
    turns: int = 0
    texts: set[str] = field(default_factory=set)


class Forget(Undo, People):
    """The part of the store that erases. Nothing here can be undone."""

    def forget(
        self, user_id: int, memory_ids: Sequence[int], *, with_evidence_text: bool = False
    ) -> ForgetReport:  # fmt: skip
        """Erases memories with all that they replaced or that replaced them.

        `with_evidence_text` also blanks the turns that they came from. Raises NotFound when one isn't the user's.
        """
        erased = _Erased()
        with self.db.write() as db:
            ids = chain(db, memory_ids)
            _check_owner(db, user_id, memory_ids)
            turn_ids = _evidence_of(db, user_id, ids) if with_evidence_text else []
            _purge(db, user_id, ids, erased)
            for turn_id in turn_ids:
                _blank_turn(db, turn_id, erased)
            lexical.purge(db)
        return self._scrub(erased)

    def forget_turn(self, turn_id: int, *, user_id: int | None = None) -> ForgetReport:
        """Erases a turn and what was written because of it; a fact that it changed is again as it was before."""
        erased = _Erased()
        turn = self.turn(turn_id, user_id=user_id)
        with self.db.write() as db:
            self._unwrite(db, turn.user_id, turn_id, erased)
            _delete_turns(db, [turn_id], erased)
            lexical.purge(db)
        return self._scrub(erased)

    def forget_user(self, user_id: int, *, name: bool = False) -> ForgetReport:
        """Erases all of a user's sessions, turns, memories and journal; with `name`, the user as well (reset)."""
        erased = _Erased()
        self.user_by_id(user_id)
        with self.db.write() as db:
            _purge_user(db, user_id, erased)
            if name:
                db.execute(delete(t.users).where(t.users.c.id == user_id))
            else:
                db.execute(update(t.users).where(t.users.c.id == user_id).values(called=None))
            lexical.purge(db)
        return self._scrub(erased)

    def delete_session(
        self, session_id: int, *, forget: bool = False, user_id: int | None = None
    ) -> ForgetReport:  # fmt: skip
        """Deletes a session with its turns. Memories from it stay, without that evidence; `forget` erases them too."""
        erased = _Erased()
        session = self.session(session_id, user_id=user_id)
        with self.db.write() as db:
            turn_ids = list(db.scalars(select(t.turns.c.id).where(t.turns.c.session_id == session_id)))
            if forget:
                for turn_id in reversed(turn_ids):
                    self._unwrite(db, session.user_id, turn_id, erased)
            _delete_turns(db, turn_ids, erased)
            db.execute(update(t.journal).where(t.journal.c.session_id == session_id).values(session_id=None))
            db.execute(delete(t.sessions).where(t.sessions.c.id == session_id))
            if forget:
                erased.texts.add(session.title)
                lexical.purge(db)
        if forget:
            return self._scrub(erased)
        return ForgetReport(erased.rows, erased.journal, erased.turns, bytes_checked=False)

    def _unwrite(self, db: Connection, user_id: int, turn_id: int, erased: _Erased) -> None:
        """Takes back and erases what was written because of a turn; where later writes built on it, those too."""
        entries = self._of_turn(turn_id, user_id)(db)
        written = [one for one in entries if one.kind in ("insert", "update", "call")]
        for one in reversed(written):
            if not one.undone:
                try:
                    with db.begin_nested():
                        self._back(db, one, HUMAN, "")
                except InputError:
                    continue  # A later write changed the row: the whole chain goes below.
        ids = {one.memory_id for one in written if one.memory_id is not None}
        living = set(db.scalars(select(t.memories.c.id).where(t.memories.c.id.in_(ids))))
        _purge(db, user_id, ids | (chain(db, living) if living else set()), erased)
        _redact_sql(db, [one.id for one in entries])
        named = [one.id for one in entries if one.kind == "call"]
        gone = db.execute(delete(t.journal).where(or_(t.journal.c.id.in_(named), t.journal.c.undoes.in_(named))))
        erased.journal += gone.rowcount

    def _scrub(self, erased: _Erased) -> ForgetReport:
        """Rewrites the file without free pages, empties the WAL and looks whether a byte of it is left."""
        try:
            clean = self._rewritten() and not self._found(erased.texts)
        except StoreFull:  # The rows are gone; only the proof needs room.
            clean = False
        return ForgetReport(erased.rows, erased.journal, erased.turns, bytes_checked=clean)

    def _rewritten(self) -> bool:
        with self.db.alone() as driver:
            driver.execute("VACUUM")
            for _ in range(50):
                (busy, *_rest) = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if not busy:
                    break
                time.sleep(0.02)  # Another process is reading an older state; it will be done soon.
        return not busy

    def _found(self, texts: Collection[str]) -> list[str]:
        """The texts that the files still hold though no living row does. Of very many, an even sample is searched."""
        needles = sorted({needle for text in texts if len(needle := _needle(text)) >= 8})
        files = [self.db.path, self.db.path.with_name(self.db.path.name + "-wal")]
        size = sum(path.stat().st_size for path in files if path.exists())
        step = 1 + len(needles) * size // _SEARCH_BYTES
        suspects = [needle for needle in needles[::step] if any(_holds(path, needle) for path in files)]
        if not suspects:
            return []
        with self.db.read() as db:
            return [needle for needle in suspects if not _lives(db, needle)]


def _check_owner(db: Connection, user_id: int, memory_ids: Iterable[int]) -> None:
    for memory_id in memory_ids:
        owner = db.scalar(select(t.memories.c.user_id).where(t.memories.c.id == memory_id))
        owner = owner or next((one.user_id for one in entries_of(db, [memory_id])), None)
        if owner != user_id:
            raise NotFound(f"there is no memory {memory_id}: list them with `chatmem memory list`.")


def _evidence_of(db: Connection, user_id: int, memory_ids: Collection[int]) -> list[int]:
    """The turns that these rows came from, also where an undo has taken the row away since."""
    evidence = t.memory_evidence.c
    found = set(db.scalars(select(evidence.turn_id).where(evidence.memory_id.in_(memory_ids))))
    for entry in entries_of(db, memory_ids):
        for image in (entry.before, entry.after):
            found |= set(image.get("evidence", ()) if image else ())
    living = select(t.turns.c.id).where(t.turns.c.id.in_(found), t.turns.c.user_id == user_id)
    return list(db.scalars(living))


def _purge(db: Connection, user_id: int, ids: Collection[int], erased: _Erased) -> None:
    """Deletes rows, their journal entries and what other entries quote of them; marks the turns they came from."""
    if not ids:
        return
    entries = entries_of(db, ids)
    rows = db.execute(select(t.memories.c.id, t.memories.c.fact).where(t.memories.c.id.in_(ids))).all()
    facts = {row.fact for row in rows} | {
        image["fact"] for one in entries for image in (one.before, one.after) if image and image.get("id") in ids
    }
    told = _evidence_of(db, user_id, ids)
    unread = (t.turns.c.id.in_(told), t.turns.c.storage != "pending")
    db.execute(update(t.turns).where(*unread).values(storage="forgotten"))
    lexical.drop(db, "memory", [row.id for row in rows])
    delete_memories(db, [row.id for row in rows])
    _redact_sql(db, _quoting(db, user_id, entries, facts))
    db.execute(delete(t.journal).where(t.journal.c.id.in_([one.id for one in entries])))
    erased.rows += len(rows)
    erased.journal += len(entries)
    erased.texts |= facts


def _quoting(db: Connection, user_id: int, entries: Sequence[JournalEntry], facts: Collection[str]) -> list[int]:
    """Entries whose SQL may tell the same: of the same batch, refused for the same turns, or with the same words."""
    journal = t.journal.c
    batches = {one.batch for one in entries}
    ids = [one.id for one in entries]
    turns = select(t.journal_turns.c.turn_id).where(t.journal_turns.c.journal_id.in_(ids))
    refused = select(t.journal_turns.c.journal_id).where(t.journal_turns.c.turn_id.in_(turns))
    found = set(db.scalars(select(journal.id).where(journal.batch.in_(batches))))
    found |= set(db.scalars(select(journal.id).where(journal.id.in_(refused), journal.kind == "refused")))
    for fact in facts:
        told = or_(func.instr(journal.sql, fact) > 0, func.instr(journal.sql, quote(fact)[1:-1]) > 0)
        found |= set(db.scalars(select(journal.id).where(journal.user_id == user_id, told)))
    return list(found)


def _redact_sql(db: Connection, entry_ids: Sequence[int]) -> None:
    if entry_ids:
        db.execute(update(t.journal).where(t.journal.c.id.in_(entry_ids)).values(sql=f"-- {FORGOTTEN}"))


def _blank_turn(db: Connection, turn_id: int, erased: _Erased) -> None:
    turn = db.execute(select(t.turns).where(t.turns.c.id == turn_id)).one()
    _forget_title(db, turn.session_id, turn.text)
    lexical.drop(db, "turn", [turn_id])
    db.execute(delete(t.vectors).where(t.vectors.c.kind == "turn", t.vectors.c.ref_id == turn_id))
    db.execute(update(t.turns).where(t.turns.c.id == turn_id).values(text=FORGOTTEN))
    lexical.index_turns(db, [turn_id])
    erased.turns += 1
    erased.texts.add(turn.text)


def _delete_turns(db: Connection, turn_ids: Sequence[int], erased: _Erased) -> None:
    if not turn_ids:
        return
    for turn in db.execute(select(t.turns).where(t.turns.c.id.in_(turn_ids))).all():
        erased.texts.add(turn.text)
        _forget_title(db, turn.session_id, turn.text)
    lexical.drop(db, "turn", turn_ids)
    db.execute(delete(t.vectors).where(t.vectors.c.kind == "turn", t.vectors.c.ref_id.in_(turn_ids)))
    db.execute(update(t.journal).where(t.journal.c.turn_id.in_(turn_ids)).values(turn_id=None))
    db.execute(delete(t.turns).where(t.turns.c.id.in_(turn_ids)))
    erased.turns += len(turn_ids)


def _forget_title(db: Connection, session_id: int, text: str) -> None:
    """A session's title is often its first line, so it goes with the line."""
    title = db.scalar(select(t.sessions.c.title).where(t.sessions.c.id == session_id)) or ""
    plain = title.rstrip("….").casefold()
    if plain and plain in " ".join(text.split()).casefold():
        db.execute(update(t.sessions).where(t.sessions.c.id == session_id).values(title=""))


def _purge_user(db: Connection, user_id: int, erased: _Erased) -> None:
    memory_ids = list(db.scalars(select(t.memories.c.id).where(t.memories.c.user_id == user_id)))
    turn_ids = list(db.scalars(select(t.turns.c.id).where(t.turns.c.user_id == user_id)))
    for column in (t.memories.c.fact, t.turns.c.text, t.sessions.c.title):
        erased.texts |= set(db.scalars(select(column).where(column.table.c.user_id == user_id)))
    lexical.drop(db, "memory", memory_ids)
    lexical.drop(db, "turn", turn_ids)
    for table in (t.vectors, t.journal, t.memories, t.turns, t.sessions):
        gone = db.execute(delete(table).where(table.c.user_id == user_id)).rowcount
        erased.journal += gone if table is t.journal else 0
    erased.rows += len(memory_ids)
    erased.turns += len(turn_ids)


def _needle(text: str) -> str:
    """The longest stretch of a text that looks the same in a column, in SQL and in JSON; at most 60 characters."""
    return max(_BREAKS.split(text), key=len)[:60]


def _holds(path: Path, needle: str) -> bool:
    if not path.exists() or not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(needle.encode()) >= 0


def _lives(db: Connection, needle: str) -> bool:
    columns = (
        t.memories.c.fact, t.turns.c.text, t.sessions.c.title, t.journal.c.sql, t.journal.c.before, t.journal.c.after,
        t.journal.c.reason, t.memories.c.topic, t.memories.c.subject,
    )  # fmt: skip
    return any(db.scalar(select(1).where(func.instr(column, needle) > 0).limit(1)) for column in columns)
