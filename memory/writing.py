"""How a memory row changes: each change is recorded in the journal and the indexes in the same transaction."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from . import tables as t
from .base import reindex
from .rows import (
    Image,
    add_evidence,
    delete_memories,
    digest,
    dumps,
    entry_of,
    evidence_ids,
    find_memory,
    image_of,
    insert_image,
)  # fmt: skip
from .values import Author, JournalEntry, Memory, Moment, WriteKind


@dataclass(frozen=True, slots=True)
class Writing:
    """The circumstances of one batch: whose memory, when, by whom, in which words, from which turns."""

    user_id: int
    batch: str
    at: Moment
    author: Author
    sql: str
    turn_ids: Sequence[int] = ()
    session_id: int | None = None


def new_batch() -> str:
    return uuid.uuid4().hex


def record(
    db: Connection, writing: Writing, kind: WriteKind, *,
    before: Mapping[str, Any] | None = None, after: Mapping[str, Any] | None = None,
    reason: str | None = None, undoes: int | None = None,
) -> JournalEntry:  # fmt: skip
    """Appends one entry to the journal."""
    values = {
        "user_id": writing.user_id, "batch": writing.batch, "at": writing.at, "kind": kind,
        "actor": writing.author.actor, "model": writing.author.model, "adapter": writing.author.adapter,
        "sql": writing.sql, "turn_id": writing.turn_ids[0] if writing.turn_ids else None,
        "session_id": writing.session_id, "memory_id": (after or before or {}).get("id"),
        "before_id": (before or {}).get("id"), "before": dumps(before), "after": dumps(after),
        "reason": reason, "undoes": undoes,
    }  # fmt: skip
    key = db.execute(insert(t.journal).values(values)).inserted_primary_key
    assert key is not None
    tie_to_turns(db, key[0], writing.turn_ids)
    return entry(db, key[0])


def tie_to_turns(db: Connection, entry_id: int, turn_ids: Sequence[int]) -> None:
    if turn_ids:
        rows = [{"journal_id": entry_id, "turn_id": turn_id} for turn_id in dict.fromkeys(turn_ids)]
        db.execute(insert(t.journal_turns), rows)


def entry(db: Connection, entry_id: int) -> JournalEntry:
    return entry_of(db.execute(select(t.journal).where(t.journal.c.id == entry_id)).one())


def add(db: Connection, writing: Writing, image: Image) -> JournalEntry:
    """A new memory. `image` needs no id."""
    memory_id = insert_image(db, writing.user_id, image)
    reindex(db, opened=[memory_id])
    return record(db, writing, "insert", after=_now(db, memory_id))


def supersede(db: Connection, writing: Writing, image: Image, changes: Mapping[str, Any]) -> JournalEntry:
    """Closes a row and opens its successor, which inherits the evidence: an old line still tells where a fact began."""
    successor = image | dict(changes) | {
        "id": None, "valid_from": writing.at, "valid_to": None, "replaces": image["id"],
        "created_by": writing.author.actor, "evidence": sorted({*image["evidence"], *writing.turn_ids}),
    }  # fmt: skip
    close(db, image["id"], writing.at)
    memory_id = insert_image(db, writing.user_id, successor)
    reindex(db, opened=[memory_id], closed=[image["id"]])
    return record(db, writing, "update", before=image, after=_now(db, memory_id))


def retire(db: Connection, writing: Writing, image: Image) -> JournalEntry:
    """Closes a row: it is known no more, but its history stays."""
    close(db, image["id"], writing.at)
    reindex(db, closed=[image["id"]])
    return record(db, writing, "delete", before=image)


def close(db: Connection, memory_id: int, at: Moment | None) -> None:
    """Ends a row at that moment; None opens it again."""
    db.execute(update(t.memories).where(t.memories.c.id == memory_id).values(valid_to=at))


def twin(db: Connection, user_id: int, key: int, *, not_id: int | None = None) -> int | None:
    """The current row with this digest, if there is one."""
    same = select(t.memories.c.id).where(
        t.memories.c.user_id == user_id, t.memories.c.digest == key, t.memories.c.valid_to.is_(None)
    )
    return db.scalar(same.where(t.memories.c.id != (not_id or 0)).limit(1))


def settle(db: Connection, writing: Writing, entry_ids: Sequence[int]) -> list[JournalEntry]:
    """Finishes what SQL wrote through the view: evidence, images, indexes.

    Changes that change nothing (a fact that is known already, an UPDATE to the same words) are taken out again.
    """
    settled = [_settle_one(db, writing, entry(db, entry_id)) for entry_id in entry_ids]
    return [one for one in settled if one is not None]


def _settle_one(db: Connection, writing: Writing, one: JournalEntry) -> JournalEntry | None:
    assert one.memory_id is not None
    memory = find_memory(db, one.memory_id)
    assert memory is not None
    if one.kind == "delete":
        reindex(db, closed=[memory.id])
        return _complete(db, writing, one.id, before=_now(db, memory.id) | {"valid_to": None})
    memory = _tidy(db, memory)
    current = memory.valid_to is None  # else a later statement of the same batch changed it once more
    before_id = memory.replaces if one.kind == "update" else None
    if current and _changes_nothing(db, memory, before_id):
        delete_memories(db, [memory.id])
        db.execute(delete(t.journal).where(t.journal.c.id == one.id))
        if before_id is not None:
            close(db, before_id, None)
        return None
    old = [] if before_id is None else evidence_ids(db, before_id)
    add_evidence(db, memory.user_id, memory.id, [*old, *writing.turn_ids])
    reindex(db, opened=[memory.id] if current else [], closed=[] if before_id is None else [before_id])
    before = None if before_id is None else _now(db, before_id) | {"valid_to": None}
    return _complete(db, writing, one.id, before=before, after=_now(db, memory.id) | {"valid_to": None})


def _tidy(db: Connection, memory: Memory) -> Memory:
    """Trims what was written and gives it its digest."""
    values = {
        "subject": " ".join(memory.subject.split()), "topic": " ".join(memory.topic.split()),
        "fact": memory.fact.strip(),
    }  # fmt: skip
    key = digest(values["subject"], values["fact"])
    db.execute(update(t.memories).where(t.memories.c.id == memory.id).values(values | {"digest": key}))
    tidied = find_memory(db, memory.id)
    assert tidied is not None
    return tidied


def _changes_nothing(db: Connection, memory: Memory, before_id: int | None) -> bool:
    if before_id is None:
        return twin(db, memory.user_id, digest(memory.subject, memory.fact), not_id=memory.id) is not None
    old = find_memory(db, before_id)
    told = (memory.subject, memory.topic, memory.fact, memory.happened_on)
    return old is not None and told == (old.subject, old.topic, old.fact, old.happened_on)


def _now(db: Connection, memory_id: int) -> Image:
    memory = find_memory(db, memory_id)
    assert memory is not None
    return image_of(memory, evidence_ids(db, memory_id))


def _complete(
    db: Connection, writing: Writing, entry_id: int, *, before: Image | None = None, after: Image | None = None
) -> JournalEntry:
    values = {"before": dumps(before), "after": dumps(after), "before_id": (before or {}).get("id")}
    db.execute(update(t.journal).where(t.journal.c.id == entry_id).values(values))
    tie_to_turns(db, entry_id, writing.turn_ids)
    return entry(db, entry_id)
