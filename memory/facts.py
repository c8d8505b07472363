"""Memories: reading them, and writing them by hand or in SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import select, update

from . import dates
from . import tables as t
from .database import raw
from .embedding import Embedding
from .errors import InputError, NotFound, Refused
from .pending import Pending, check_claims
from .rows import Image, clean, digest, evidence_ids, image_of, line, memory_of, quote, turn_of
from .values import HUMAN, Author, JournalEntry, Memory, Moment, Rows, Turn, WriteResult
from .writing import Writing, add, check_turns, entry, new_batch, record, retire, settle, supersede, twin

Relevance = Callable[[str], Mapping[int, float]]
"""What stands behind `about('words')`: scores by id; what is not named scores 0."""
SUBJECT_LIMIT = 100
TOPIC_LIMIT = 100
FACT_LIMIT = 2000
JOURNAL_LIMIT = 40_000
"""Characters of SQL that the journal keeps: all that the guard allows; a longer text is refused, and kept in part."""


class Facts(Embedding, Pending):
    """The part of the store that keeps memories."""

    def memories(
        self, user_id: int, *, subject: str | None = None, topic: str | None = None, current: bool = True,
        limit: int | None = None, offset: int = 0, newest: bool = False,
    ) -> list[Memory]:  # fmt: skip
        """Rows in the order they were written, or newest first; `current=False` adds those that were replaced."""
        query = select(t.memories).where(t.memories.c.user_id == user_id)
        if current:
            query = query.where(t.memories.c.valid_to.is_(None))
        if subject is not None:
            query = query.where(t.memories.c.subject == subject)
        if topic is not None:
            query = query.where(t.memories.c.topic == topic)
        order = t.memories.c.id.desc() if newest else t.memories.c.id
        with self.db.read() as db:
            return [memory_of(row) for row in db.execute(query.order_by(order).limit(limit).offset(offset))]

    def memory(self, memory_id: int, *, user_id: int | None = None) -> Memory:
        """One row, current or not; with `user_id`, only if it is theirs."""
        with self.db.read() as db:
            row = db.execute(select(t.memories).where(t.memories.c.id == memory_id)).one_or_none()
        if row is None or user_id not in (None, row.user_id):
            raise NotFound(f"there is no memory {memory_id}: list them with `chatmem memory list`.")
        return memory_of(row)

    def memories_by_id(self, memory_ids: Sequence[int]) -> dict[int, Memory]:
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
        subject, topic = line(subject, "the subject", SUBJECT_LIMIT), _topic(topic)
        fact, now = line(fact, "the fact", FACT_LIMIT), self.now()
        said_at = said_at or now
        image: Image = {
            "id": None, "subject": subject, "topic": topic, "fact": fact,
            "happened_on": dates.require(happened_on, said_at, self.zone), "said_at": said_at, "valid_from": now,
            "valid_to": None, "pinned": False, "created_by": author.actor, "replaces": None, "evidence": list(turn_ids),
        }  # fmt: skip
        values = ", ".join(quote(image[name]) for name in ("subject", "topic", "fact", "happened_on"))
        sql = f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES ({values});"
        writing = Writing(user_id, batch or new_batch(), now, author, sql, turn_ids)
        with self.db.write() as db:
            check_turns(db, writing)
            known = twin(db, user_id, digest(subject, fact))
            if known is not None:
                return entry(db, self._made_by(known))
            written = add(db, writing, image)
        self._embed_memories([written.memory_id])
        return written

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
                "topic": memory.topic if topic is None else _topic(topic),
                "fact": memory.fact if fact is None else line(fact, "the fact", FACT_LIMIT),
                "happened_on": self._date(happened_on, memory),
            }
            changes = {name: value for name, value in told.items() if value != getattr(memory, name)}
            if not changes:
                raise InputError(f"memory {memory_id} says just that already: give it other words.")
            assigned = ", ".join(f"{name} = {quote(value)}" for name, value in changes.items())
            sql = f"UPDATE memory SET {assigned} WHERE id = {memory_id};"
            writing = Writing(memory.user_id, batch or new_batch(), self.now(), author, sql, turn_ids)
            check_turns(db, writing)
            written = supersede(db, writing, image_of(memory, evidence_ids(db, memory_id)), changes)
        self._embed_memories([written.memory_id])
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
        subjects: Sequence[str] | None = None, said_at: Moment | None = None,
    ) -> WriteResult:  # fmt: skip
        """Runs SQL that a model or a person wrote on the view `memory`: all of it or nothing.

        What the guard refuses is kept in the journal with the reason, and told in `refused`; nothing is raised. When
        a turn that it comes from was forgotten meanwhile, or the storage agent lost its claim on it, nothing is written
        and nothing kept.
        `subjects`: whom the batch may write about (None: anyone). `said_at`: what "yesterday" is counted from.
        """
        from . import guard, sandbox  # They bring sqlglot, which is slow to load and not needed by every command.

        now = self.now()
        verdict = guard.check_write(sql, subjects=subjects, said_at=dates.wall_clock(said_at or now, self.zone))
        writing = Writing(user_id, new_batch(), now, author, clean(sql)[:JOURNAL_LIMIT], tuple(turn_ids), session_id)
        if not verdict.allowed:
            return self._refuse(writing, verdict.reason)
        if not verdict.sql:
            return WriteResult(())
        context = sandbox.WriteContext(writing.batch, author, writing.turn_ids, session_id, said_at, now)
        try:
            with self.db.write() as db:
                check_turns(db, writing)
                check_claims(db, self.claimant, author, writing.turn_ids)
                written = sandbox.run_write(raw(db), user_id, verdict, context)
                entries = settle(db, writing, written)
        except NotFound as gone:
            return WriteResult((), refused=str(gone))  # Not journaled: the SQL would keep what was forgotten.
        except Refused as refusal:
            return self._refuse(writing, refusal.reason)
        self._embed_memories([one.memory_id for one in entries if one.after])
        return WriteResult(tuple(entries))

    def read(
        self, user_id: int, sql: str, *,
        about: Relevance | None = None, about_lines: Relevance | None = None, limit: int = 200,
    ) -> Rows:  # fmt: skip
        """Runs a SELECT on the views `memory`, which holds this user's current rows alone, and `lines`, what was said.

        `about`: scores per memory id for the words given to `about('words')`; `about_lines`: per turn id, where `lines`
        is read. Raises Refused.
        """
        from . import guard, sandbox

        verdict = guard.check_read(sql)
        if not verdict.allowed:
            raise Refused(verdict.reason)
        with self.db.read() as db:
            limits = sandbox.Limits(rows=limit)
            return sandbox.run_read(raw(db), user_id, verdict, about, limits, about_lines=about_lines)

    def _refuse(self, writing: Writing, reason: str) -> WriteResult:
        try:
            with self.db.write() as db:
                check_turns(db, writing)
                return WriteResult((record(db, writing, "refused", reason=reason),), refused=reason)
        except NotFound as gone:
            return WriteResult((), refused=str(gone))

    def _made_by(self, memory_id: int) -> int:
        """The journal entry that wrote this row."""
        written = (t.journal.c.memory_id == memory_id, t.journal.c.kind.in_(("insert", "update")))
        with self.db.read() as db:
            return db.scalars(select(t.journal.c.id).where(*written).order_by(t.journal.c.id.desc())).first() or 0

    def _current(self, memory_id: int, user_id: int | None) -> Memory:
        memory = self.memory(memory_id, user_id=user_id)
        if memory.valid_to is not None:
            raise InputError(f"memory {memory_id} was replaced or deleted: see `chatmem memory history {memory_id}`.")
        return memory

    def _date(self, words: str | None, memory: Memory) -> str | None:
        return memory.happened_on if words is None else dates.require(words, memory.said_at, self.zone)


def _topic(topic: str) -> str:
    return line(topic, "the topic", TOPIC_LIMIT) if topic.strip() else ""
