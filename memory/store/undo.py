"""Undo and redo. Both are writes of their own: the journal grows, and nothing in it is rewritten but the mark `undone`.

A write can be taken back while its rows are as it left them. When a later write changed them, that one goes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, delete, exists, false, func, insert, or_, select, text, update

from ..database import tables as t
from ..database.derived import unfounded
from ..database.rows import IMAGE_FIELDS, Image, delete_memories, dumps, entry_of, find_memory, insert_image
from ..database.ties import RUN
from ..errors import InputError
from ..search import fulltext, vectors
from ..values import HUMAN, Author, JournalEntry, Moment
from .base import Ground, reindex
from .journal import Past
from .vector_upkeep import VectorUpkeep
from .writing import FALLEN, Writing, close, drop_unfounded, new_batch, record

CHUNK = 500
"""Rows that one statement names; SQLite takes 32,766 values."""
REVERSIBLE = ("insert", "update", "delete", "pin", "call", "import")


class Journal(Past):
    """`store.journal`: what was written, taken back and done again."""

    def __init__(self, ground: Ground, vectors: VectorUpkeep) -> None:
        super().__init__(ground)
        self._vectors = vectors

    def undo(self, entry_id: int, *, author: Author = HUMAN, user_id: int | None = None) -> JournalEntry:
        """Takes one write back and returns the entry that says so.

        Raises InputError when a later write changed the same row (it says which), or it was undone already.
        """
        with self.db.write() as db:
            entry = self._settled(db, self._all_back(db, [self.get(entry_id, user_id=user_id)], author), author)[0]
        self._vectors.embed_memories([entry.memory_id] if entry.after else [])
        return entry

    def redo(self, entry_id: int, *, author: Author = HUMAN, user_id: int | None = None) -> JournalEntry:
        """Does an undone write again, to the same rows under the same ids."""
        with self.db.write() as db:
            entry = self._settled(db, self._again(db, [self.get(entry_id, user_id=user_id)], author), author)[0]
        self._vectors.embed_memories([entry.memory_id] if entry.after else [])
        return entry

    def undo_turn(self, turn_id: int, *, author: Author = HUMAN, user_id: int | None = None) -> list[JournalEntry]:
        """Takes back all that was written because of a turn: all of it or, on a conflict, nothing.

        Where the turn told the user's name, what that renamed goes back with it.
        """
        return self._together(self.of_turn(turn_id, user_id), self._all_back, author, undone=False)

    def turn_writes(self, turn_id: int, *, user_id: int | None = None) -> list[JournalEntry]:
        """What `undo_turn` takes back, oldest first: the writes of a turn that stand."""
        with self.db.read() as db:
            found = self.of_turn(turn_id, user_id)(db)
        return [one for one in found if one.kind in REVERSIBLE and not one.undone]

    def redo_turn(self, turn_id: int, *, author: Author = HUMAN, user_id: int | None = None) -> list[JournalEntry]:
        return self._together(self.of_turn(turn_id, user_id), self._again, author, undone=True)

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
            done = self._settled(db, act(db, entries, author), author)
        self._vectors.embed_memories([one.memory_id for one in done if one.after])
        return done

    def _settled(self, db: Connection, done: list[JournalEntry], author: Author) -> list[JournalEntry]:
        """What was taken back or done again, and then the insights that rest on what is gone by it.

        Raises InputError where an insight would be back without what it rests on.
        """
        first = done[0]
        lost = unfounded(db, first.user_id)
        back = [one for one in done if one.after and one.after.get("id") in lost]
        if back:
            raise InputError(f"insight {back[0].memory_id} rests on what holds no more: bring that back first.")
        writing = Writing(first.user_id, first.batch, self.now(), author, f"-- {FALLEN}")
        return [*done, *(drop_unfounded(db, writing) if lost else ())]

    def of_turn(self, turn_id: int, user_id: int | None) -> Callable[[Connection], list[JournalEntry]]:
        """Finds, in a transaction, what was written because of a turn."""
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
        return done if done is not None else [self.back(db, one, author, batch) for one in newest_first]

    def _again(self, db: Connection, entries: Sequence[JournalEntry], author: Author) -> list[JournalEntry]:
        batch = new_batch()
        return [self._forth(db, one, author, batch) for one in sorted(entries, key=lambda one: one.id)]

    def back(self, db: Connection, entry: JournalEntry, author: Author, batch: str) -> JournalEntry:
        """Takes one write back within a transaction."""
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
            self.ground.lacks_vector("memory", after["id"])
        return record(db, writing, "undo" if undone else "redo", before=before, after=after, undoes=entry.id)


def _swap(db: Connection, entry: JournalEntry, old: Image | None, new: Image | None, closed_at: str | None) -> None:
    """Takes the row `old` out and puts `new` in. `closed_at` None: `new` only sleeps; else `old` goes to sleep then."""
    if entry.kind == "call":
        _swap_name(db, entry, old or {}, new or {})
        return
    if entry.kind == "import":
        if closed_at is not None:
            raise InputError(f"write {entry.id} was an import: import the file again instead.")
        import_back(db, entry)
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


# Taking back many inserts at once, as after the import of a table: a handful of statements instead of ten a row.


def inserts_back(
    db: Connection, entries: Sequence[JournalEntry], author: Author, batch: str, at: Moment
) -> list[JournalEntry] | None:
    """Takes back entries that are all inserts of one user, in the order given; returns what the journal says of it.

    None, with nothing done, when they are something else or a row is not as its insert left it: then one goes after
    the other, and the one in the way is named.
    """
    plain = all(one.kind == "insert" and not one.undone and one.after and not one.before for one in entries)
    if not plain or len({one.user_id for one in entries}) > 1 or not _all_unchanged(db, entries):
        return None
    ids = [one.after["id"] for one in entries if one.after]
    for some in _chunks(ids):
        reindex(db, closed=some)
        delete_memories(db, some)
    for some in _chunks([one.id for one in entries]):
        db.execute(update(t.journal).where(t.journal.c.id.in_(some)).values(undone=True))
    return _record(db, entries, author, batch, at)


def _all_unchanged(db: Connection, entries: Sequence[JournalEntry]) -> bool:
    images = {one.after["id"]: one.after for one in entries if one.after}
    same = 0
    for some in _chunks(list(images)):
        for row in db.execute(select(t.memories).where(t.memories.c.id.in_(some))).mappings():
            same += all(row[name] == images[row["id"]][name] for name in IMAGE_FIELDS)
    return same == len(entries)


def _record(
    db: Connection, entries: Sequence[JournalEntry], author: Author, batch: str, at: Moment
) -> list[JournalEntry]:
    given = db.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = 'journal'")) or 0
    first = max(given, db.scalar(select(func.max(t.journal.c.id))) or 0) + 1
    written = [
        replace(
            one, id=first + place, batch=batch, at=at, kind="undo", author=author, sql=f"-- undo {one.id}",
            turn_id=None, before=one.after, after=None, reason=None, undone=False, undoes=one.id,
        )
        for place, one in enumerate(entries)
    ]  # fmt: skip
    rows = [
        {
            "id": one.id, "user_id": one.user_id, "batch": batch, "at": at, "kind": "undo", "actor": author.actor,
            "model": author.model, "adapter": author.adapter, "sql": one.sql, "session_id": one.session_id,
            "memory_id": one.memory_id, "before_id": one.memory_id, "before": dumps(one.before), "undoes": one.undoes,
        }
        for one in written
    ]  # fmt: skip
    db.execute(insert(t.journal), rows)
    return written


def _chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]


def import_back(db: Connection, entry: JournalEntry) -> None:
    """Undo an import: what came with it goes, but for memories with an entry of their own.

    Sessions in which something was said since stay, with what was said. Raises InputError when one of its memories was
    changed since; it says which write to undo first.
    """
    spans: Mapping[str, Any] = entry.after or {}
    own_user = t.users.c.id == entry.user_id
    if spans.get("memories"):
        _expect_unchanged(db, entry, spans["memories"])
    for section, kind, table in (("turns", "turn", t.turns), ("memories", "memory", t.memories)):
        if span := spans.get(section):
            ids = list(
                db.scalars(select(table.c.id).where(table.c.user_id == entry.user_id, table.c.id.between(*span)))
            )
            for start in range(0, len(ids), CHUNK):
                some = ids[start : start + CHUNK]
                fulltext.drop(db, kind, some)
                if kind == "turn":
                    vectors.drop_turns(db, some)
                else:
                    db.execute(delete(t.vectors).where(t.vectors.c.kind == kind, t.vectors.c.ref_id.in_(some)))
    for table in (t.journal, t.memories, t.turns, t.sessions):
        if span := spans.get(table.name):
            told_since = exists().where(t.turns.c.session_id == t.sessions.c.id) if table is t.sessions else false()
            mine = (table.c.user_id == entry.user_id, table.c.id.between(*span))
            db.execute(delete(table).where(*mine, ~told_since))
    if spans.get("called"):
        db.execute(update(t.users).where(own_user).values(called=(entry.before or {}).get("called")))


def _expect_unchanged(db: Connection, entry: JournalEntry, span: Sequence[int]) -> None:
    journal = t.journal.c
    first, last = span
    touches = or_(journal.memory_id.between(first, last), journal.before_id.between(first, last))
    live = (journal.undone.is_(False), journal.kind.not_in(("undo", "redo", "refused")))
    later = select(journal.id).where(journal.user_id == entry.user_id, journal.id > entry.id, touches, *live)
    other = db.scalar(later.order_by(journal.id.desc()).limit(1))
    if other is not None:
        raise InputError(f"a memory of this import was changed again by write {other}: undo {other} first.")
