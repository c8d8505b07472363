"""Undo and redo. Both are writes of their own: the journal grows, and nothing in it is rewritten but the mark `undone`.

A write can be taken back while its rows are as it left them. When a later write changed them, that one goes first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, or_, select, update

from . import tables as t
from .base import reindex
from .bulk import inserts_back
from .errors import InputError
from .importing import take_back
from .journal import Past
from .rows import IMAGE_FIELDS, Image, delete_memories, entry_of, find_memory, insert_image
from .values import HUMAN, Author, JournalEntry
from .writing import RUN, Writing, close, new_batch, record

REVERSIBLE = ("insert", "update", "delete", "pin", "call", "import")


class Undo(Past):
    """The part of the store that takes writes back and does them again."""

    def undo(self, entry_id: int, *, author: Author = HUMAN, user_id: int | None = None) -> JournalEntry:
        """Takes one write back and returns the entry that says so.

        Raises InputError when a later write changed the same row (it says which), or it was undone already.
        """
        with self.db.write() as db:
            entry = self._all_back(db, [self.entry(entry_id, user_id=user_id)], author)[0]
        self._embed_memories([entry.memory_id] if entry.after else [])
        return entry

    def redo(self, entry_id: int, *, author: Author = HUMAN, user_id: int | None = None) -> JournalEntry:
        """Does an undone write again, to the same rows under the same ids."""
        with self.db.write() as db:
            entry = self._again(db, [self.entry(entry_id, user_id=user_id)], author)[0]
        self._embed_memories([entry.memory_id] if entry.after else [])
        return entry

    def undo_turn(self, turn_id: int, *, author: Author = HUMAN, user_id: int | None = None) -> list[JournalEntry]:
        """Takes back all that was written because of a turn: all of it or, on a conflict, nothing.

        Where the turn told the user's name, what that renamed goes back with it.
        """
        return self._together(self._of_turn(turn_id, user_id), self._all_back, author, undone=False)

    def turn_writes(self, turn_id: int, *, user_id: int | None = None) -> list[JournalEntry]:
        """What `undo_turn` takes back, oldest first: the writes of a turn that stand."""
        with self.db.read() as db:
            found = self._of_turn(turn_id, user_id)(db)
        return [one for one in found if one.kind in REVERSIBLE and not one.undone]

    def redo_turn(self, turn_id: int, *, author: Author = HUMAN, user_id: int | None = None) -> list[JournalEntry]:
        return self._together(self._of_turn(turn_id, user_id), self._again, author, undone=True)

    def undo_batch(self, batch: str, *, author: Author = HUMAN, user_id: int | None = None) -> list[JournalEntry]:
        """Takes back one batch (a write call, an import): all of it or, on a conflict, nothing."""
        return self._together(self._of_batch(batch, user_id), self._all_back, author, undone=False)

    def redo_batch(self, batch: str, *, author: Author = HUMAN, user_id: int | None = None) -> list[JournalEntry]:
        return self._together(self._of_batch(batch, user_id), self._again, author, undone=True)

    def undo_run(self, run: str, *, author: Author = HUMAN, user_id: int | None = None) -> list[JournalEntry]:
        """Takes back all that one run of an agent wrote: all of it or, on a conflict, nothing."""
        return self._together(self._of_run(run, user_id), self._all_back, author, undone=False)

    def runs(self, user_id: int) -> list[str]:
        """The runs of agents that still stand (wholly or in part), the newest first."""
        journal = t.journal.c
        stands = (journal.user_id == user_id, journal.undone.is_(False), journal.kind.in_(REVERSIBLE))
        query = select(journal.batch).where(*stands, journal.batch.startswith(RUN)).order_by(journal.id.desc())
        with self.db.read() as db:
            return list(dict.fromkeys(batch.rpartition(".")[0] for batch in db.scalars(query)))

    def _of_run(self, run: str, user_id: int | None) -> Callable[[Connection], list[JournalEntry]]:
        return lambda db: _mine(db, t.journal.c.batch.between(f"{run}.", f"{run}/"), user_id)

    def _together(
        self, find: Callable[[Connection], list[JournalEntry]],
        act: Callable[[Connection, Sequence[JournalEntry], Author], list[JournalEntry]], author: Author, undone: bool,
    ) -> list[JournalEntry]:  # fmt: skip
        with self.db.write() as db:
            entries = [one for one in find(db) if one.kind in REVERSIBLE and one.undone == undone]
            if not entries:
                raise InputError("there is nothing to " + ("do again." if undone else "undo there."))
            done = act(db, entries, author)
        self._embed_memories([one.memory_id for one in done if one.after])
        return done

    def _of_turn(self, turn_id: int, user_id: int | None) -> Callable[[Connection], list[JournalEntry]]:
        tied = select(t.journal_turns.c.journal_id).where(t.journal_turns.c.turn_id == turn_id)
        journal, named = t.journal.c, t.journal.alias("named").c
        # the facts that a told name renames come from other lines, so they are of its batch alone
        renamed = select(named.batch).where(named.kind == "call", named.id.in_(tied))
        return lambda db: _mine(db, or_(journal.id.in_(tied), journal.batch.in_(renamed)), user_id)

    def _of_batch(self, batch: str, user_id: int | None) -> Callable[[Connection], list[JournalEntry]]:
        return lambda db: _mine(db, t.journal.c.batch == batch, user_id)

    def _all_back(self, db: Connection, entries: Sequence[JournalEntry], author: Author) -> list[JournalEntry]:
        batch, newest_first = new_batch(), sorted(entries, key=lambda one: -one.id)
        done = inserts_back(db, newest_first, author, batch, self.now())
        return done if done is not None else [self._back(db, one, author, batch) for one in newest_first]

    def _again(self, db: Connection, entries: Sequence[JournalEntry], author: Author) -> list[JournalEntry]:
        batch = new_batch()
        return [self._forth(db, one, author, batch) for one in sorted(entries, key=lambda one: one.id)]

    def _back(self, db: Connection, entry: JournalEntry, author: Author, batch: str) -> JournalEntry:
        if entry.kind not in REVERSIBLE:
            raise InputError(f"write {entry.id} is {_named(entry)}: it changed nothing that could be undone.")
        if entry.undone:
            raise InputError(f"write {entry.id} is undone already: redo {entry.id} brings it back.")
        _swap(db, entry, _image(entry.after), _image(entry.before), None)
        return self._said(db, entry, author, batch, undone=True)

    def _forth(self, db: Connection, entry: JournalEntry, author: Author, batch: str) -> JournalEntry:
        if not entry.undone:
            raise InputError(f"write {entry.id} is not undone: there is nothing to do again.")
        _swap(db, entry, _image(entry.before), _image(entry.after), entry.at)
        return self._said(db, entry, author, batch, undone=False)

    def _said(self, db: Connection, entry: JournalEntry, author: Author, batch: str, undone: bool) -> JournalEntry:
        db.execute(update(t.journal).where(t.journal.c.id == entry.id).values(undone=undone))
        word = "undo" if undone else "redo"
        writing = Writing(entry.user_id, batch, self.now(), author, f"-- {word} {entry.id}", (), entry.session_id)
        before, after = (entry.after, entry.before) if undone else (entry.before, entry.after)
        if after and "id" in after:
            self.lacks_vector("memory", after["id"])
        return record(db, writing, "undo" if undone else "redo", before=before, after=after, undoes=entry.id)


def _swap(db: Connection, entry: JournalEntry, old: Image | None, new: Image | None, closed_at: str | None) -> None:
    """Takes the row `old` out and puts `new` in. `closed_at` None: `new` only sleeps; else `old` goes to sleep then."""
    if entry.kind == "call":
        _swap_name(db, entry, old or {}, new or {})
        return
    if entry.kind == "import":
        if closed_at is not None:
            raise InputError(f"write {entry.id} was an import: import the file again instead.")
        take_back(db, entry)
        return
    if old:
        _expect(db, entry, old)
    if entry.kind == "pin" and new:
        db.execute(update(t.memories).where(t.memories.c.id == new["id"]).values(pinned=new["pinned"]))
        return
    if closed_at is None:
        _wake(db, entry, old, new)
        return
    if old:
        close(db, old["id"], closed_at)
    if new:
        insert_image(db, entry.user_id, new)
    reindex(db, opened=[new["id"]] if new else [], closed=[old["id"]] if old else [])


def _wake(db: Connection, entry: JournalEntry, old: Image | None, new: Image | None) -> None:
    if old:
        reindex(db, closed=[old["id"]])
        delete_memories(db, [old["id"]])
    if new:
        sleeping = find_memory(db, new["id"])
        if sleeping is None or sleeping.valid_to is None:
            raise _conflict(db, entry, new["id"])
        close(db, new["id"], None)
        reindex(db, opened=[new["id"]])


def _swap_name(db: Connection, entry: JournalEntry, old: Image, new: Image) -> None:
    user = t.users.c.id == entry.user_id
    if db.scalar(select(t.users.c.called).where(user)) != old["called"]:
        raise InputError("the name was changed again since: undo that first.")
    db.execute(update(t.users).where(user).values(called=new["called"]))


def _expect(db: Connection, entry: JournalEntry, image: Image) -> None:
    """Raises InputError unless the row is just as the image says."""
    memory = find_memory(db, image["id"])
    if memory is None or any(getattr(memory, name) != image[name] for name in IMAGE_FIELDS):
        raise _conflict(db, entry, image["id"])


def _conflict(db: Connection, entry: JournalEntry, memory_id: int) -> InputError:
    journal = t.journal.c
    touches = (journal.memory_id == memory_id) | (journal.before_id == memory_id)
    later = select(t.journal).where(
        touches, journal.id != entry.id, journal.undone.is_(False), journal.kind.in_(REVERSIBLE)
    )
    row = db.execute(later.order_by(journal.id.desc())).first()
    if row is None:
        return InputError(f"write {entry.id} can't be changed: memory {memory_id} is no longer as it was then.")
    other = entry_of(row)
    what = f"memory {memory_id} was changed again by write {other.id} ({_named(other)})"
    return InputError(f"{what}: undo {other.id} first.")


def _named(entry: JournalEntry) -> str:
    name = "refusal" if entry.kind == "refused" else entry.kind
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _image(image: object) -> Image | None:
    return dict(image) if isinstance(image, dict) else None


def _mine(db: Connection, which: object, user_id: int | None) -> list[JournalEntry]:
    rows = db.execute(select(t.journal).where(which).order_by(t.journal.c.id))  # type: ignore[arg-type]
    return [entry_of(row) for row in rows if user_id in (None, row.user_id)]
