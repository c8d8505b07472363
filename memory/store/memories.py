"""Memories: reading them, and writing them by hand or in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from sqlalchemy import Connection, func, select, update

from ..database import tables as t
from ..database.derived import MINE, lacking
from ..database.engine import raw
from ..database.rows import Image, clean, digest, evidence_ids, image_of, line, memory_of, quote, turn_of
from ..errors import InputError, NotFound, Refused
from ..language import dates
from ..language.facts.areas import area as area_of
from ..language.facts.areas import areas
from ..language.tense import is_to_come
from ..values import HUMAN, Author, JournalEntry, Memory, Moment, Rows, Thrown, Turn, User, WriteResult
from .base import Ground, StorePart
from .queue import Queue, check_claims
from .searching import Relevance, Searching
from .vector_upkeep import VectorUpkeep
from .writing import Writing, add, check_turns, entry, new_batch, record, retire, settle, supersede, twin

Order = Literal["newest", "oldest", "happened", "subject", "topic"]
"""In which order rows are listed; `newest` has what is pinned first, `happened` what happened last."""
SUBJECT_LIMIT = 100
TOPIC_LIMIT = 100
FACT_LIMIT = 2000
JOURNAL_LIMIT = 40_000
"""Characters of SQL that the journal keeps: all that the guard allows; a longer text is refused, and kept in part."""


class Facts(StorePart):
    """`store.facts`: the memories."""

    def __init__(self, ground: Ground, queue: Queue, vectors: VectorUpkeep, search: Searching) -> None:
        super().__init__(ground)
        self._queue, self._vectors, self._search = queue, vectors, search

    def all(
        self, user_id: int, *, subject: str | None = None, topic: str | None = None, current: bool = True,
        limit: int | None = None, offset: int = 0, newest: bool = False, order: Order | None = None,
        derived: bool | None = None,
    ) -> list[Memory]:  # fmt: skip
        """Rows in the order they were written, newest first, or as `order` says; `current=False` adds those that were
        replaced. `topic`: one as it is stored ("salary"), or an area with all of its topics ("work"). `derived`: only
        insights, or only what was told.
        """
        area = _area(topic)
        query = select(t.memories).where(*_chosen(user_id, subject, None if area else topic))
        if current:
            query = query.where(t.memories.c.valid_to.is_(None))
        if derived is not None:
            query = query.where(MINE if derived else t.memories.c.certainty.is_(None))
        query = query.order_by(*(_by(order) if order else [t.memories.c.id.desc() if newest else t.memories.c.id]))
        with self.db.read() as db:
            if area is None:
                return [memory_of(row) for row in db.execute(query.limit(limit).offset(offset))]
            found = [memory_of(row) for row in db.execute(query)]
        of_it = [one for one in found if area_of(one.topic, one.fact) == area or one.topic.lower() == area]
        return of_it[offset : None if limit is None else offset + limit]

    def count(self, user_id: int, *, subject: str | None = None, topic: str | None = None) -> int:
        """How many current rows there are."""
        if _area(topic):
            return len(self.all(user_id, subject=subject, topic=topic))
        query = select(func.count()).where(*_chosen(user_id, subject, topic), t.memories.c.valid_to.is_(None))
        with self.db.read() as db:
            return int(db.scalar(query) or 0)

    def get(self, memory_id: int, *, user_id: int | None = None) -> Memory:
        """One row, current or not; with `user_id`, only if it is theirs."""
        with self.db.read() as db:
            row = db.execute(select(t.memories).where(t.memories.c.id == memory_id)).one_or_none()
        if row is None or user_id not in (None, row.user_id):
            raise NotFound(f"there is no memory {memory_id}", "list them with `chatmem memory list`")
        return memory_of(row)

    def by_id(self, memory_ids: Sequence[int]) -> dict[int, Memory]:
        """Those rows that exist, by id."""
        query = select(t.memories).where(t.memories.c.id.in_(memory_ids))
        with self.db.read() as db:
            return {row.id: memory_of(row) for row in db.execute(query)}

    def subjects(self, user_id: int) -> list[str]:
        """Whom the current memories are about, in alphabetical order."""
        return self._distinct(user_id, t.memories.c.subject)

    def topics(self, user_id: int, subject: str | None = None) -> list[str]:
        """What the current memories are about, in alphabetical order."""
        return self._distinct(user_id, t.memories.c.topic, subject)

    def areas(self, user_id: int, subject: str | None = None) -> list[str]:
        """The areas of a life that the current memories belong to: "work" holds the topics "salary" and "job"."""
        query = select(t.memories.c.topic, t.memories.c.fact).where(*_chosen(user_id, subject, None))
        with self.db.read() as db:
            found = {area_of(*row) for row in db.execute(query.where(t.memories.c.valid_to.is_(None)))}
        return [one for one in areas() if one in found]

    def _distinct(self, user_id: int, column: Any, subject: str | None = None) -> list[str]:
        query = select(column).distinct().where(t.memories.c.user_id == user_id, t.memories.c.valid_to.is_(None))
        if subject is not None:
            query = query.where(t.memories.c.subject == subject)
        with self.db.read() as db:
            return [value for value in db.scalars(query.order_by(column)) if value]

    def evidence(self, memory_ids: Sequence[int]) -> dict[int, tuple[Turn, ...]]:
        """The turns that each memory came from, oldest first; a memory without any is not in the answer."""
        found: dict[int, tuple[Turn, ...]] = {}
        query = (
            select(t.memory_evidence.c.memory_id, t.turns)
            .join(t.turns, t.turns.c.id == t.memory_evidence.c.turn_id)
            .where(t.memory_evidence.c.memory_id.in_(memory_ids))
            .order_by(t.memory_evidence.c.memory_id, t.turns.c.id)
        )
        with self.db.read() as db:
            for row in db.execute(query):
                found[row.memory_id] = (*found.get(row.memory_id, ()), turn_of(row))
        return found

    def remember(
        self, user_id: int, subject: str, topic: str, fact: str, *,
        happened_on: str | None = None, turn_ids: Sequence[int] = (), author: Author = HUMAN,
        said_at: Moment | None = None, batch: str | None = None,
    ) -> JournalEntry:  # fmt: skip
        """A new memory. One that is known already stays as it is, and its own entry is returned."""
        subject, topic = line(subject, "the subject", SUBJECT_LIMIT), topic_of(topic)
        fact, now = line(fact, "the fact", FACT_LIMIT), self.now()
        said_at = said_at or now
        image: Image = {
            "id": None, "subject": subject, "topic": topic, "fact": fact,
            "happened_on": dates.require(happened_on, said_at, self.ground.zone), "said_at": said_at, "valid_from": now,
            "valid_to": None, "pinned": False, "created_by": author.actor, "replaces": None, "evidence": list(turn_ids),
        }  # fmt: skip
        values = ", ".join(quote(image[name]) for name in ("subject", "topic", "fact", "happened_on"))
        sql = f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES ({values});"
        writing = Writing(user_id, batch or new_batch(), now, author, sql, turn_ids)
        with self.db.write() as db:
            check_turns(db, writing)
            known = twin(db, user_id, digest(subject, fact))
            if known is not None:
                return self._made_by(db, known)
            written = add(db, writing, image)
        self._vectors.embed_memories([written.memory_id])
        return written

    def conclude(
        self, user_id: int, fact: str, *,
        certainty: float, facts: Sequence[int] = (), lines: Sequence[int] = (), author: Author,
        turn_ids: Sequence[int] = (),
    ) -> WriteResult:  # fmt: skip
        """An insight about the user: what follows from these facts and lines, as a row that falls with any of them.

        `certainty`: above 0, at most 1. What rests on nothing, or on what doesn't hold, is kept in the journal as
        refused, with the reason in the result. `turn_ids`: the lines at which it was concluded: an undo of theirs takes
        it back.
        """
        told = line(fact, "the insight", FACT_LIMIT)
        about, now, lines = self._subject(user_id), self.now(), sorted(set(lines))
        values = ", ".join(quote(value) for value in (about, "", told))
        sql = f"INSERT INTO memory (subject, topic, fact, certainty) VALUES ({values}, {certainty:g});"
        writing = Writing(user_id, new_batch(), now, author, sql, tuple(turn_ids))
        image: Image = {
            "id": None, "subject": about, "topic": "", "fact": told, "happened_on": None, "said_at": now,
            "valid_from": now, "valid_to": None, "pinned": False, "created_by": author.actor, "replaces": None,
            "evidence": lines, "certainty": certainty, "rests_on": sorted(set(facts)),
        }  # fmt: skip
        with self.db.write() as db:
            check_turns(db, writing)
            reason = lacking(db, user_id, image)
            if not reason and twin(db, user_id, digest(about, told)) is not None:
                reason = "that is known already"
            written = None if reason else add(db, writing, image)
        if written is None:
            return self._refuse(writing, reason, ())
        self._vectors.embed_memories([written.memory_id])
        return WriteResult((written,))

    def _subject(self, user_id: int) -> str:
        with self.db.read() as db:
            return db.scalar(select(t.users.c.called).where(t.users.c.id == user_id)) or User(0, "").subject

    def edit(
        self, memory_id: int, *,
        subject: str | None = None, topic: str | None = None, fact: str | None = None, happened_on: str | None = None,
        author: Author = HUMAN, turn_ids: Sequence[int] = (), batch: str | None = None, user_id: int | None = None,
    ) -> JournalEntry:  # fmt: skip
        """Corrects a memory: the old row is kept as history. `happened_on=""` takes the date away."""
        with self.db.write() as db:
            memory = self._current(memory_id, user_id)
            told: dict[str, str | None] = {
                "subject": memory.subject if subject is None else line(subject, "the subject", SUBJECT_LIMIT),
                "topic": memory.topic if topic is None else topic_of(topic),
                "fact": memory.fact if fact is None else line(fact, "the fact", FACT_LIMIT),
                "happened_on": self._date(happened_on, memory, fact or memory.fact),
            }
            changes = {name: value for name, value in told.items() if value != getattr(memory, name)}
            if not changes:
                raise InputError(f"memory {memory_id} says just that already: give it other words.")
            assigned = ", ".join(f"{name} = {quote(value)}" for name, value in changes.items())
            sql = f"UPDATE memory SET {assigned} WHERE id = {memory_id};"
            writing = Writing(memory.user_id, batch or new_batch(), self.now(), author, sql, turn_ids)
            check_turns(db, writing)
            written = supersede(db, writing, image_of(memory, evidence_ids(db, memory_id)), changes)
        self._vectors.embed_memories([written.memory_id])
        return written

    def retire(
        self, memory_id: int, author: Author = HUMAN, *,
        turn_ids: Sequence[int] = (), batch: str | None = None, user_id: int | None = None,
    ) -> JournalEntry:  # fmt: skip
        """Deletes a memory the soft way: it is known no more, its history stays and undo brings it back."""
        with self.db.write() as db:
            memory = self._current(memory_id, user_id)
            sql = f"DELETE FROM memory WHERE id = {memory_id};"
            writing = Writing(memory.user_id, batch or new_batch(), self.now(), author, sql, turn_ids)
            check_turns(db, writing)
            return retire(db, writing, image_of(memory, evidence_ids(db, memory_id)))

    def pin(
        self, memory_id: int, pinned: bool, *, author: Author = HUMAN, user_id: int | None = None
    ) -> JournalEntry:  # fmt: skip
        """Pins a memory (or not), so that every recall brings it."""
        with self.db.write() as db:
            memory = self._current(memory_id, user_id)
            sql = f"UPDATE memory SET pinned = {int(pinned)} WHERE id = {memory_id};"
            before = image_of(memory, evidence_ids(db, memory_id))
            db.execute(update(t.memories).where(t.memories.c.id == memory_id).values(pinned=pinned))
            writing = Writing(memory.user_id, new_batch(), self.now(), author, sql)
            return record(db, writing, "pin", before=before, after=before | {"pinned": pinned})

    def write(
        self, user_id: int, sql: str, *,
        author: Author, turn_ids: Sequence[int] = (), session_id: int | None = None,
        subjects: Sequence[str] | None = None, said_at: Moment | None = None, thrown: Sequence[Thrown] = (),
    ) -> WriteResult:  # fmt: skip
        """Runs SQL that a model or a person wrote on the view `memory`: all of it or nothing.

        What the guard refuses is kept in the journal with the reason, and told in `refused`; nothing is raised. When
        a turn that it comes from was forgotten meanwhile, or the storage agent lost its claim on it, nothing is written
        and nothing kept.
        `subjects`: whom the batch may write about (None: anyone). `said_at`: what "yesterday" is counted from.
        `thrown`: what was thrown away before it came here; it goes into the journal with the batch, as refused.
        """
        from ..guard import guard, sandbox  # They bring sqlglot, which is slow to load and not needed by every command.

        now = self.now()
        verdict = guard.check_write(sql, subjects=subjects, said_at=dates.wall_clock(said_at or now, self.ground.zone))
        writing = Writing(user_id, new_batch(), now, author, clean(sql)[:JOURNAL_LIMIT], tuple(turn_ids), session_id)
        if not verdict.allowed:
            return self._refuse(writing, verdict.reason, thrown)
        if not verdict.sql and not thrown:
            return WriteResult(())
        context = sandbox.WriteContext(writing.batch, author, writing.turn_ids, session_id, said_at, now)
        try:
            with self.db.write() as db:
                check_turns(db, writing)
                check_claims(db, self._queue.claimant, author, writing.turn_ids)
                entries = (
                    settle(db, writing, sandbox.run_write(raw(db), user_id, verdict, context)) if verdict.sql else []
                )
                refusals = _thrown(db, writing, thrown)
        except NotFound as gone:
            return WriteResult((), refused=str(gone))  # Not journaled: the SQL would keep what was forgotten.
        except Refused as refusal:
            return self._refuse(writing, refusal.reason, thrown)
        self._vectors.embed_memories([one.memory_id for one in entries if one.after])
        return WriteResult((*entries, *refusals))

    def read(
        self, user_id: int, sql: str, *,
        about: Relevance | None = None, about_lines: Relevance | None = None, limit: int = 200,
    ) -> Rows:  # fmt: skip
        """Runs a SELECT on the views `memory`, which holds this user's current rows alone, and `lines`, what was said.

        `about`: scores per memory id for the words given to `about('words')`; `about_lines`: per turn id, where `lines`
        is read. Unless told otherwise, both are how well a row fits the words in this memory. Raises Refused.
        """
        from ..guard import guard, sandbox

        verdict = guard.check_read(sql)
        if not verdict.allowed:
            raise Refused(verdict.reason)
        about = about or self._search.relevance(user_id)
        about_lines = about_lines or self._search.line_relevance(user_id)
        with self.db.read() as db:
            limits = sandbox.ReadLimits(rows=limit)
            return sandbox.run_read(raw(db), user_id, verdict, about, limits, about_lines=about_lines)

    def _refuse(self, writing: Writing, reason: str, thrown: Sequence[Thrown]) -> WriteResult:
        try:
            with self.db.write() as db:
                check_turns(db, writing)
                entries = (record(db, writing, "refused", reason=reason), *_thrown(db, writing, thrown))
                return WriteResult(entries, refused=reason)
        except NotFound as gone:
            return WriteResult((), refused=str(gone))

    @staticmethod
    def _made_by(db: Connection, memory_id: int) -> JournalEntry:
        """The journal entry that wrote this row; one that came with a file has none, and gets one without a number."""
        written = (t.journal.c.memory_id == memory_id, t.journal.c.kind.in_(("insert", "update")))
        found = db.scalars(select(t.journal.c.id).where(*written).order_by(t.journal.c.id.desc())).first()
        if found is not None:
            return entry(db, found)
        memory = memory_of(db.execute(select(t.memories).where(t.memories.c.id == memory_id)).one())
        return JournalEntry(
            id=0, user_id=memory.user_id, batch="", at=memory.valid_from, kind="insert",
            author=Author(memory.created_by), sql="", memory_id=memory_id, after=image_of(memory),
        )  # fmt: skip

    def _current(self, memory_id: int, user_id: int | None) -> Memory:
        memory = self.get(memory_id, user_id=user_id)
        if memory.valid_to is None:
            return memory
        newest = self._successor(memory_id)
        what = f"replaced by memory {newest}" if newest is not None else "replaced or deleted"
        raise InputError(f"memory {memory_id} was {what}", f"see `chatmem memory history {memory_id}`")

    def _successor(self, memory_id: int) -> int | None:
        """The current row that took the place of one, or of what took it; None where none is."""
        memories, seen = t.memories.c, {memory_id}
        with self.db.read() as db:
            while rows := db.execute(select(memories.id, memories.valid_to).where(memories.replaces.in_(seen))).all():
                if current := [int(row.id) for row in rows if row.valid_to is None]:
                    return max(current)
                if seen.issuperset(found := {row.id for row in rows}):
                    return None
                seen |= found
        return None

    def _date(self, words: str | None, memory: Memory, fact: str) -> str | None:
        """A day that is typed for what is to come is the next one from now on: "Thursday" for an appointment."""
        if words is None:
            return memory.happened_on
        now, zone = self.now(), self.ground.zone
        if (memory.happened_on or "") >= str(dates.day_of(now, zone)) or is_to_come(fact):
            return dates.require(words, now, zone, ahead=True)
        return dates.require(words, memory.said_at, zone)


def _chosen(user_id: int, subject: str | None, topic: str | None) -> list[Any]:
    told = ((t.memories.c.subject, subject), (t.memories.c.topic, topic))
    return [t.memories.c.user_id == user_id, *(column == value for column, value in told if value is not None)]


def _by(order: Order) -> list[Any]:
    c = t.memories.c
    orders: dict[Order, list[Any]] = {
        "newest": [c.pinned.desc(), c.id.desc()],
        "oldest": [c.id],
        "happened": [c.happened_on.is_(None), c.happened_on.desc(), c.id.desc()],
        "subject": [func.lower(c.subject), c.id],
        "topic": [c.topic == "", func.lower(c.topic), c.id],
    }
    return orders[order]


def _area(topic: str | None) -> str | None:
    """The area of a life that a topic names; None: it is a topic as it is stored."""
    low = (topic or "").strip().lower()
    return low if low in areas() else None


def topic_of(topic: str) -> str:
    """A topic as it is stored: one line, or none. Raises InputError."""
    return line(topic, "the topic", TOPIC_LIMIT) if topic.strip() else ""


def _thrown(db: Connection, writing: Writing, thrown: Sequence[Thrown]) -> list[JournalEntry]:
    return [
        record(
            db, replace(writing, author=replace(writing.author, actor=one.by), sql=clean(one.sql)[:JOURNAL_LIMIT]),
            "refused", reason=one.reason,
        )
        for one in thrown
    ]  # fmt: skip
