"""Between table rows and values. A row's image is the dict that the journal keeps of a memory before and after."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select

from ..errors import InputError
from ..values import LINE_LIMIT, Author, JournalEntry, Memory, Session, Turn, User
from . import tables as t

IMAGE_FIELDS = (
    "id", "subject", "topic", "fact", "happened_on", "said_at",
    "valid_from", "valid_to", "pinned", "created_by", "replaces",
)  # fmt: skip
"""What an image holds, beside `evidence`: a sorted list of turn ids; that of an insight, `DERIVED` as well."""
DERIVED = ("certainty", "rests_on")
"""How sure an insight is, and the ids of the facts that it rests on."""

_IMAGE = frozenset((*IMAGE_FIELDS, "evidence"))
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_BETWEEN_WORDS = re.compile(r"((?<=\d)[.,](?=\d))|((?<![\w\-\u2212])[-\u2212](?=[.,]?\d))|[\W_]")
"""What stands in a number, what makes one negative, and any other character that is no letter or number."""
Image = dict[str, Any]


def user_of(row: Row[Any]) -> User:
    return User(row.id, row.name, row.called)


def session_of(row: Row[Any]) -> Session:
    return Session(row.id, row.user_id, row.title, row.started_at, row.ended_at, row.turns)


def turn_of(row: Row[Any]) -> Turn:
    return Turn(row.id, row.session_id, row.user_id, row.speaker, row.text, row.said_at, row.status, row.storage)


def memory_of(row: Row[Any]) -> Memory:
    return Memory(
        row.id, row.user_id, row.subject, row.topic, row.fact, row.happened_on, row.said_at,
        row.valid_from, row.valid_to, bool(row.pinned), row.created_by, row.replaces, row.certainty,
        tuple(json.loads(row.rests_on)) if row.rests_on else (),
    )  # fmt: skip


def memory_of_image(image: Mapping[str, Any], user_id: int) -> Memory:
    rests = json.loads(image["rests_on"]) if isinstance(image.get("rests_on"), str) else image.get("rests_on") or ()
    told: dict[str, Any] = {name: image[name] for name in IMAGE_FIELDS}
    return Memory(user_id=user_id, certainty=image.get("certainty"), rests_on=tuple(rests), **told)


def is_derived(image: Mapping[str, Any]) -> bool:
    """Whether the row of an image is an insight."""
    return image.get("certainty") is not None


def entry_of(row: Row[Any]) -> JournalEntry:
    return JournalEntry(
        id=row.id, user_id=row.user_id, batch=row.batch, at=row.at, kind=row.kind,
        author=Author(row.actor, row.model, row.adapter), sql=row.sql, memory_id=row.memory_id, turn_id=row.turn_id,
        session_id=row.session_id, before=loads(row.before), after=loads(row.after), reason=row.reason,
        undone=bool(row.undone), undoes=row.undoes,
    )  # fmt: skip


def loads(text: str | None) -> Image | None:
    """An image out of the journal; None also where its text is damaged, so that the entry itself is still listed."""
    try:
        image: Image | None = None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(image, dict) or (image.keys() & _IMAGE and not image.keys() >= _IMAGE):
        return None
    return image


def dumps(image: Mapping[str, Any] | None) -> str | None:
    return None if image is None else json.dumps(image, ensure_ascii=False)


def image_of(memory: Memory, evidence: Iterable[int] = ()) -> Image:
    """The journal's picture of a row and its evidence."""
    image = {name: getattr(memory, name) for name in IMAGE_FIELDS}
    image["evidence"] = sorted(evidence)
    if memory.derived:
        image |= {"certainty": memory.certainty, "rests_on": list(memory.rests_on)}
    return image


# Statements that each write needs are built once: building one takes three times as long as running it.
_MEMORY = select(t.memories).where(t.memories.c.id == bindparam("memory_id"))
_EVIDENCE = (
    select(t.memory_evidence.c.turn_id)
    .where(t.memory_evidence.c.memory_id == bindparam("memory_id"))
    .order_by(t.memory_evidence.c.turn_id)
)
_LIVING = select(t.turns.c.id).where(
    t.turns.c.id.in_(bindparam("turn_ids", expanding=True)), t.turns.c.user_id == bindparam("user_id")
)
_ADD_EVIDENCE = insert(t.memory_evidence).prefix_with("OR IGNORE")
_ADD_MEMORY = insert(t.memories)


def find_memory(db: Connection, memory_id: int) -> Memory | None:
    row = db.execute(_MEMORY, {"memory_id": memory_id}).one_or_none()
    return None if row is None else memory_of(row)


def evidence_ids(db: Connection, memory_id: int) -> list[int]:
    return list(db.scalars(_EVIDENCE, {"memory_id": memory_id}))


def living_turns(db: Connection, user_id: int, turn_ids: Sequence[int]) -> list[int]:
    """Those of the turns that exist and are this user's, in order."""
    if not turn_ids:
        return []
    return sorted(db.scalars(_LIVING, {"turn_ids": list(turn_ids), "user_id": user_id}))


def insert_image(db: Connection, user_id: int, image: Mapping[str, Any]) -> Image:
    """Writes a row with its evidence, under its old id if it has one; returns it as it is now.

    Evidence that no longer exists is left out.
    """
    values = {name: image[name] for name in IMAGE_FIELDS if name != "id" or image[name] is not None}
    values |= {"user_id": user_id, "digest": digest(image["subject"], image["fact"])}
    if is_derived(image):
        values |= {"certainty": image["certainty"], "rests_on": json.dumps(list(image["rests_on"]))}
    key = db.execute(_ADD_MEMORY, values).inserted_primary_key
    assert key is not None
    evidence = living_turns(db, user_id, image["evidence"])
    if evidence:
        db.execute(_ADD_EVIDENCE, [{"memory_id": key[0], "turn_id": turn_id} for turn_id in evidence])
    return dict(image) | {"id": int(key[0]), "evidence": evidence}


def delete_memories(db: Connection, ids: Sequence[int]) -> None:
    """Removes rows, with their evidence and vectors (not their journal)."""
    if ids:
        db.execute(delete(t.vectors).where(t.vectors.c.kind == "memory", t.vectors.c.ref_id.in_(ids)))
        db.execute(delete(t.memories).where(t.memories.c.id.in_(ids)))


def digest(subject: str, fact: str) -> int:
    """A 63-bit number that is equal for facts that differ in case, spaces and punctuation alone.

    A sign that carries meaning counts: "C++" is not "C", "-5" not "5", "$5" not "€5". Whoever changes this adds a
    migration that computes all digests anew, or older databases take what they know for new.
    """
    plain = "\n".join(map(_bare, (subject, fact)))
    return int.from_bytes(hashlib.blake2b(plain.encode(), digest_size=8).digest(), "big") >> 1


def _bare(text: str) -> str:
    """A text without case and punctuation; one that is nothing but punctuation stays as it is."""
    # An accent typed for an apostrophe ("it´s") would else become a combining mark.
    told = unicodedata.normalize("NFKC", text.replace("\u00b4", "'")).casefold()
    return " ".join(_BETWEEN_WORDS.sub(_kept, told).split()) or " ".join(told.split())


def _kept(found: re.Match[str]) -> str:
    if found.lastindex is None:
        return _counted(found[0])
    return found[0] if found.lastindex == 1 else "-"


@lru_cache(maxsize=4096)
def _counted(character: str) -> str:
    """The character where it tells facts apart (a mark, a symbol, `#`), else what stands in its place."""
    if character in "\ufe0e\ufe0f":  # it only chooses how an emoji is drawn
        return ""
    counts = character == "#" or (character != "`" and unicodedata.category(character)[0] in "MS")
    return character if counts else " "


def quote(value: str | None) -> str:
    """A value as a SQL literal."""
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


def clean(text: str) -> str:
    """Text that any UTF-8 file can hold: what is not a character becomes U+FFFD."""
    return text.replace("\x00", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def said(text: str) -> str:
    """A line of talk as it is kept; raises InputError when it has more than `LINE_LIMIT` characters."""
    if len(text) > LINE_LIMIT:
        raise InputError(f"the line has {len(text):,} characters, {LINE_LIMIT:,} can be kept: send it in parts.")
    return clean(text)


def plain(text: str) -> str:
    """Text on one line, without control characters."""
    return _CONTROL.sub("\ufffd", " ".join(clean(text).split()))


def line(text: str, what: str, limit: int) -> str:
    """Text on one line, for names and facts; raises InputError when it is empty or longer than `limit` characters."""
    words = plain(text)
    if not words:
        raise InputError(f"{what} is empty: give at least one word.")
    if len(words) > limit:
        raise InputError(f"{what} has {len(words):,} characters: shorten it to {limit:,}.")
    return words
