"""How a memory row changes: each change is recorded in the journal and the indexes in the same transaction."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from ..database import tables as t
from ..database.derived import unfounded
from ..database.rows import (
    Image,
    delete_memories,
    digest,
    dumps,
    entry_of,
    evidence_ids,
    find_memory,
    image_of,
    insert_image,
    living_turns,
)
from ..database.ties import RUN
from ..errors import NotFound
from ..values import Author, JournalEntry, Moment, WriteKind
from .base import reindex

_ADD_ENTRY = insert(t.journal)
_ADD_TURNS = insert(t.journal_turns)
_ENTRY = select(t.journal).where(t.journal.c.id == bindparam("entry_id"))
_CLOSE = update(t.memories).where(t.memories.c.id == bindparam("memory_id")).values(valid_to=bindparam("at"))
_DIGEST = update(t.memories).where(t.memories.c.id == bindparam("memory_id")).values(digest=bindparam("key"))
_TWIN = (
    select(t.memories.c.id)
    .where(
        t.memories.c.user_id == bindparam("user_id"),
        t.memories.c.digest == bindparam("key"),
        t.memories.c.valid_to.is_(None),
        t.memories.c.id != bindparam("not_id"),
    )
    .limit(1)
)

FALLEN = "what it rests on holds no more"
"""Why an insight was closed."""


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


_CONSONANTS = str.maketrans("0123456789abcdef", "bcdfghjklmnpqrst")


def new_batch() -> str:
    """A name that no other batch has. It is made of consonants alone, so that no word or number that was forgotten is
    found in it by chance."""
    return uuid.uuid4().hex.translate(_CONSONANTS)


def new_run() -> str:
    """The name of a run; its calls' batches are `NAME.1`, `NAME.2` and so on."""
    return RUN + new_batch()[:16]


def check_turns(db: Connection, writing: Writing) -> None:
    """Raises NotFound when a turn that the batch comes from is not there any more: it may just have been forgotten."""
    living = living_turns(db, writing.user_id, writing.turn_ids)
    missing = set(writing.turn_ids).difference(living)
    if missing:
        raise NotFound(f"there is no turn {min(missing)} to remember this from: it may have been forgotten.")


def record(
    db: Connection, writing: Writing, kind: WriteKind, *,
    before: Mapping[str, Any] | None = None, after: Mapping[str, Any] | None = None,
    reason: str | None = None, undoes: int | None = None,
) -> JournalEntry:  # fmt: skip
    """Appends one entry to the journal."""
    author, turn_id = writing.author, writing.turn_ids[0] if writing.turn_ids else None
    memory_id = (after or before or {}).get("id")
    values = {
        "user_id": writing.user_id, "batch": writing.batch, "at": writing.at, "kind": kind,
        "actor": author.actor, "model": author.model, "adapter": author.adapter, "sql": writing.sql,
        "turn_id": turn_id, "session_id": writing.session_id, "memory_id": memory_id,
        "before_id": (before or {}).get("id"), "before": dumps(before), "after": dumps(after),
        "reason": reason, "undoes": undoes,
    }  # fmt: skip
    key = db.execute(_ADD_ENTRY, values).inserted_primary_key
    assert key is not None
    tie_to_turns(db, key[0], writing.turn_ids)
    return JournalEntry(
        key[0], writing.user_id, writing.batch, writing.at, kind, author, writing.sql, memory_id, turn_id,
        writing.session_id, before, after, reason, undoes=undoes,
    )  # fmt: skip


def tie_to_turns(db: Connection, entry_id: int, turn_ids: Sequence[int]) -> None:
    if turn_ids:
        db.execute(_ADD_TURNS, [{"journal_id": entry_id, "turn_id": turn_id} for turn_id in dict.fromkeys(turn_ids)])


def entry(db: Connection, entry_id: int) -> JournalEntry:
    return entry_of(db.execute(_ENTRY, {"entry_id": entry_id}).one())


def add(db: Connection, writing: Writing, image: Image, reason: str | None = None) -> JournalEntry:
    """A new memory. The image has no id yet."""
    added = insert_image(db, writing.user_id, image)
    reindex(db, opened=[added["id"]])
    return record(db, writing, "insert", after=added, reason=reason)


def supersede(
    db: Connection, writing: Writing, image: Image, changes: Mapping[str, Any], *,
    evidence: Sequence[int] = (), reason: str | None = None,
) -> JournalEntry:  # fmt: skip
    """Closes a row and opens its successor, which inherits the evidence: an old line still tells where a fact began.

    `evidence`: further turns that it comes from.
    """
    successor = image | dict(changes) | {
        "id": None, "valid_from": writing.at, "valid_to": None, "replaces": image["id"],
        "created_by": writing.author.actor, "evidence": sorted({*image["evidence"], *writing.turn_ids, *evidence}),
    }  # fmt: skip
    close(db, image["id"], writing.at)
    added = insert_image(db, writing.user_id, successor)
    reindex(db, opened=[added["id"]], closed=[image["id"]])
    written = record(db, writing, "update", before=image, after=added, reason=reason)
    drop_unfounded(db, writing)
    return written


def retire(db: Connection, writing: Writing, image: Image, reason: str | None = None) -> JournalEntry:
    """Closes a row: it is known no more, but its history stays."""
    close(db, image["id"], writing.at)
    reindex(db, closed=[image["id"]])
    written = record(db, writing, "delete", before=image, reason=reason)
    drop_unfounded(db, writing)
    return written


def drop_unfounded(db: Connection, writing: Writing) -> list[JournalEntry]:
    """Closes the insights that rest on a fact which this batch closed; they are of the batch, so its undo brings them
    back."""
    fallen = []
    for memory_id in unfounded(db, writing.user_id):
        memory = find_memory(db, memory_id)
        assert memory is not None
        close(db, memory_id, writing.at)
        reindex(db, closed=[memory_id])
        before = image_of(memory, evidence_ids(db, memory_id))
        fallen.append(record(db, writing, "delete", before=before, reason=FALLEN))
    return fallen


def close(db: Connection, memory_id: int, at: Moment | None) -> None:
    """Ends a row at that moment; None opens it again."""
    db.execute(_CLOSE, {"memory_id": memory_id, "at": at})


def twin(db: Connection, user_id: int, key: int, *, not_id: int = 0) -> int | None:
    """The current row with this digest, if there is one."""
    return db.scalar(_TWIN, {"user_id": user_id, "key": key, "not_id": not_id})


def settle(db: Connection, writing: Writing, entry_ids: Sequence[int]) -> list[JournalEntry]:
    """Finishes what SQL wrote through the view: digests, the turns of each entry, the indexes.

    Changes that change nothing (a fact that is known already, an UPDATE to the same words) are taken out again.
    """
    entries = [entry(db, entry_id) for entry_id in entry_ids]
    changed_again = {(one.before or {}).get("id") for one in entries}
    settled = []
    for one in entries:
        current = one.memory_id not in changed_again
        if one.after is None or not _take_out(db, writing.user_id, one, current):
            _index(db, one, current)
            tie_to_turns(db, one.id, writing.turn_ids)
            settled.append(one)
    return [*settled, *(drop_unfounded(db, writing) if any(one.before for one in settled) else ())]


def _index(db: Connection, one: JournalEntry, current: bool) -> None:
    opened = [one.after["id"]] if one.after and current else []
    reindex(db, opened=opened, closed=[one.before["id"]] if one.before else [])


def _take_out(db: Connection, user_id: int, one: JournalEntry, current: bool) -> bool:
    """Gives the new row its digest; True when it says nothing new, and then it is gone again."""
    after, before = one.after or {}, one.before
    key = digest(after["subject"], after["fact"])
    db.execute(_DIGEST, {"memory_id": after["id"], "key": key})
    if not current or not _says_nothing_new(db, user_id, key, after, before):
        return False
    delete_memories(db, [after["id"]])
    db.execute(delete(t.journal).where(t.journal.c.id == one.id))
    if before:
        close(db, before["id"], None)
    return True


def _says_nothing_new(
    db: Connection, user_id: int, key: int, after: Mapping[str, Any], before: Mapping[str, Any] | None
) -> bool:
    if before is None:
        return twin(db, user_id, key, not_id=after["id"]) is not None
    return all(after[name] == before[name] for name in ("subject", "topic", "fact", "happened_on"))
