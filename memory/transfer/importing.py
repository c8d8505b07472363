"""What each record of an import means for a store: new, known already, or bad; and how the new ones are written.

A user without any memory gets an export as it is, history and journal included (*restore*). A user with memories gets
the current facts and the conversations that they do not have yet (*merge*): a journal tells what happened in one
database, in order, so a second one cannot be mixed into it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Table, exists, func, insert, select, text

from ..database import tables as t
from ..database.rows import IMAGE_FIELDS, digest, dumps, line, quote, said
from ..errors import InputError
from ..guard.view import WRITABLE
from ..language import dates
from ..search import fulltext
from ..store.conversations import NAME_LIMIT, TITLE_LIMIT
from ..store.memories import FACT_LIMIT, JOURNAL_LIMIT, SUBJECT_LIMIT, TOPIC_LIMIT
from ..store.writing import Writing
from ..values import HUMAN, Moment
from .json_file import Record, Row

CHUNK = 1000
"""Rows written with one statement."""
_TABLES: Mapping[str, Table] = {"sessions": t.sessions, "turns": t.turns, "memories": t.memories, "journal": t.journal}


def is_blank(db: Connection, user_id: int) -> bool:
    """Whether nothing was ever said to, or stored for, this user (imports that were undone aside)."""
    journal = t.journal.c
    imports = select(journal.id).where(journal.user_id == user_id, journal.kind == "import")
    told = (journal.kind != "import") & (journal.undoes.is_(None) | journal.undoes.not_in(imports))
    things = [exists().where(table.c.user_id == user_id) for table in (t.sessions, t.turns, t.memories)]
    things.append(exists().where(journal.user_id == user_id, told))
    return not any(db.scalar(select(thing)) for thing in things)


class Intake:
    """Takes the records of one file one by one and says what is to be written for each."""

    def __init__(self, db: Connection, writing: Writing, *, restores: bool) -> None:
        self.writing = writing
        self.restores = restores
        self.base = {name: _last_id(db, table) for name, table in _TABLES.items()}
        self.new: Counter[str] = Counter()
        self.duplicates: Counter[str] = Counter()
        self.left: Counter[str] = Counter()
        self.marked: Counter[str] = Counter()
        self.called: str | None = None
        self.largest_memory = 0
        self._ids: dict[str, dict[int, int]] = {name: {} for name in _TABLES}
        self._here = _Here(db, writing.user_id)
        self._takers: Mapping[str, Callable[[Row], Row | None]] = {
            "user": self._user,
            "sessions": self._session,
            "turns": self._turn,
            "memories": self._memory if restores else self._current_fact,
            "journal": self._entry,
            "facts": self._fact,
        }

    def take(self, record: Record) -> Row | None:
        """The row to write for a record; None when there is none to write.

        Raises InputError, with the reason, for a bad record.
        """
        if record.problem:
            raise InputError(record.problem)
        row = self._takers[record.section](record.data)
        if row is not None:
            self.new["memories" if record.section == "facts" else record.section] += 1
            if record.section in ("memories", "facts") and not row["valid_to"]:
                self.marked["pinned"] += row["pinned"]
                self.marked["by_hand"] += row["created_by"] == HUMAN.actor
        return row

    def _user(self, data: Row) -> None:
        self.called = (_maybe(data.get("called"), "the name", NAME_LIMIT) or None) if self.restores else None

    def _next_id(self, section: str, data: Row) -> int:
        own = self._ids[section]
        if data["id"] in own:
            raise InputError(f"has the id {data['id']} of an earlier record")
        number = self.base[section] + self.new[section] + 1
        own[data["id"]] = number
        return number

    def _session(self, data: Row) -> Row | None:
        title = _maybe(data.get("title"), "the title", TITLE_LIMIT)
        row = {"title": title, "started_at": data["started_at"], "ended_at": data.get("ended_at")}
        known = None if self.restores else self._here.session(row["title"], row["started_at"])
        if known is not None:
            self._ids["sessions"][data["id"]] = known
            self.duplicates["sessions"] += 1
            return None
        return row | {"id": self._next_id("sessions", data), "user_id": self.writing.user_id}

    def _turn(self, data: Row) -> Row | None:
        session_id = self._ids["sessions"].get(data["session"])
        if session_id is None:
            raise InputError(f"belongs to session {data['session']}, which the file does not hold")
        speaker = line(data["speaker"], "the speaker's name", NAME_LIMIT)
        told = {"speaker": speaker, "text": said(data["text"]), "said_at": data["said_at"]}
        known = self._here.turn(session_id, **told) if session_id <= self.base["sessions"] else None
        if known is not None:
            self._ids["turns"][data["id"]] = known
            self.duplicates["turns"] += 1
            return None
        state = {"status": data.get("status") or "complete", "storage": data.get("storage") or "skipped"}
        own = {"id": self._next_id("turns", data), "session_id": session_id, "user_id": self.writing.user_id}
        return own | told | state

    def _memory(self, data: Row) -> Row:
        """A row as it was, under an id that leaves the same gaps, so that what was undone can still be done again."""
        if data["id"] in self._ids["memories"]:
            raise InputError(f"has the id {data['id']} of an earlier record")
        self._ids["memories"][data["id"]] = self._memory_id(data["id"])
        return self._image(data) | {"user_id": self.writing.user_id}

    def _memory_id(self, number: int) -> int:
        self.largest_memory = max(self.largest_memory, number)
        return self.base["memories"] + number

    def _image(self, data: Row) -> Row:
        image = {name: data.get(name) for name in IMAGE_FIELDS}
        image["id"] = self._memory_id(data["id"])
        image["replaces"] = self._memory_id(data["replaces"]) if data.get("replaces") else None
        image["subject"] = line(data["subject"], "the subject", SUBJECT_LIMIT)
        image["fact"] = line(data["fact"], "the fact", FACT_LIMIT)
        image |= {"topic": _maybe(data.get("topic"), "the topic", TOPIC_LIMIT), "pinned": bool(data.get("pinned"))}
        image["created_by"] = _maybe(data.get("created_by"), "the author", NAME_LIMIT) or "import"
        image["evidence"] = sorted(self._turn_ids(data.get("evidence")))
        if data.get("certainty") is not None:
            rests = [self._memory_id(one) for one in data.get("rests_on") or ()]
            image |= {"certainty": data["certainty"], "rests_on": rests}
        return image

    def _turn_ids(self, numbers: Iterable[int] | None) -> set[int]:
        return {self._ids["turns"][one] for one in numbers or () if one in self._ids["turns"]}

    def _current_fact(self, data: Row) -> Row | None:
        if data.get("valid_to") or data.get("certainty") is not None:  # an insight would come as if it were told
            self.left["memories"] += 1
            return None
        return self._fact(data)

    def _fact(self, data: Row) -> Row | None:
        """A fact as if it were told today; the words of its date may be a person's."""
        subject, fact = line(data["subject"], "the subject", SUBJECT_LIMIT), line(data["fact"], "the fact", FACT_LIMIT)
        key = digest(subject, fact)
        if key in self._here.facts:
            self.duplicates["memories"] += 1
            return None
        said_at = data.get("said_at") or self.writing.at
        row = {
            "subject": subject,
            "topic": _maybe(data.get("topic"), "the topic", TOPIC_LIMIT),
            "fact": fact,
            "happened_on": dates.require(data.get("happened_on") or None, said_at),
            "said_at": said_at,
            "valid_from": self.writing.at,
            "valid_to": None,
            "pinned": bool(data.get("pinned")),
            "created_by": "import",  # whoever the file says wrote it: this memory has it from the file
            "replaces": None,
        }
        self._here.facts.add(key)
        number = self.base["memories"] + self.new["memories"] + 1
        own = {"id": number, "user_id": self.writing.user_id, "evidence": sorted(self._turn_ids(data.get("evidence")))}
        return own | row

    def _entry(self, data: Row) -> Row | None:
        if not self.restores:
            self.left["journal"] += 1
            return None
        own = {"id": self._next_id("journal", data), "user_id": self.writing.user_id}
        told = {name: data.get(name) for name in ("batch", "at", "kind", "actor", "model", "adapter", "sql", "reason")}
        for name, words in told.items():
            if words is not None and len(words) > JOURNAL_LIMIT:
                raise InputError(f"has a {name} of {len(words):,} characters: {JOURNAL_LIMIT:,} are kept")
        before, after = (self._journal_image(data.get(name)) for name in ("before", "after"))
        refers = {
            "memory_id": self._memory_id(data["memory"]) if data.get("memory") else None,
            "before_id": (before or {}).get("id"),
            "turn_id": self._ids["turns"].get(data.get("turn") or 0),
            "session_id": self._ids["sessions"].get(data.get("session") or 0),
            "undoes": self._ids["journal"].get(data.get("undoes") or 0),
        }
        state = {"undone": bool(data.get("undone")), "before": dumps(before), "after": dumps(after)}
        return own | told | refers | state | {"turns": self._turn_ids(data.get("turns"))}

    def _journal_image(self, image: Row | None) -> Row | None:
        return self._image(image) if image and "id" in image else image


def _maybe(text: str | None, what: str, limit: int) -> str:
    """As `line`, of a text that may be missing."""
    return line(text, what, limit) if text and text.strip() else ""


def _last_id(db: Connection, table: Table) -> int:
    """The largest id that was ever given out, so that nothing refers to another row by accident."""
    given = db.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table.name})
    return max(given or 0, db.scalar(select(func.coalesce(func.max(table.c.id), 0))) or 0)


class _Here:
    """What a user has already; each thing is matched once, so that two equal lines stay two."""

    def __init__(self, db: Connection, user_id: int) -> None:
        self._db = db
        own = t.memories.c.user_id == user_id
        self.facts = set(db.scalars(select(t.memories.c.digest).where(own, t.memories.c.valid_to.is_(None))))
        self._sessions: dict[tuple[str, str], deque[int]] = defaultdict(deque)
        for row in db.execute(select(t.sessions).where(t.sessions.c.user_id == user_id).order_by(t.sessions.c.id)):
            self._sessions[row.title.strip(), row.started_at].append(row.id)  # older ones may end in a space
        self._turns: dict[tuple[int, str, str, str], deque[int]] = defaultdict(deque)

    def session(self, title: str, started_at: Moment) -> int | None:
        found = self._sessions.get((title, started_at))
        if not found:
            return None
        session_id = found.popleft()
        turns = select(t.turns).where(t.turns.c.session_id == session_id).order_by(t.turns.c.id)
        for row in self._db.execute(turns):
            self._turns[session_id, row.speaker, row.text, row.said_at].append(row.id)
        return session_id

    def turn(self, session_id: int, speaker: str, text: str, said_at: Moment) -> int | None:
        found = self._turns.get((session_id, speaker, text, said_at))
        return found.popleft() if found else None


def write_rows(db: Connection, intake: Intake, section: str, rows: list[Row]) -> None:
    """Insert rows that an intake handed out, with evidence, journal and full text search."""
    ids = [row["id"] for row in rows]
    if section == "journal":
        tied = [{"journal_id": row["id"], "turn_id": turn} for row in rows for turn in sorted(row.pop("turns"))]
        _insert(db, t.journal, rows)
        _insert(db, t.journal_turns, tied)
    elif section in ("memories", "facts"):
        _write_memories(db, rows)
        if section == "facts" or not intake.restores:
            _insert(db, t.journal, list(_inserts(intake.writing, rows)))
    else:
        _insert(db, _TABLES[section], rows)
    if section == "turns":
        fulltext.index_turns(db, ids)


def _write_memories(db: Connection, rows: list[Row]) -> None:
    stored = [{name: row[name] for name in (*IMAGE_FIELDS, "user_id")} for row in rows]
    for one, row in zip(stored, rows, strict=True):
        rests = row.get("rests_on")
        one |= {"digest": digest(row["subject"], row["fact"]), "certainty": row.get("certainty")}
        one |= {"rests_on": None if rests is None else json.dumps(rests)}
    _insert(db, t.memories, stored)
    evidence = [{"memory_id": row["id"], "turn_id": turn} for row in rows for turn in row["evidence"]]
    _insert(db, t.memory_evidence, evidence)
    fulltext.index_memories(db, [row["id"] for row in rows if row["valid_to"] is None])


def _inserts(writing: Writing, rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        values = ", ".join(quote(row[name]) for name in WRITABLE)
        yield {
            "user_id": writing.user_id,
            "batch": writing.batch,
            "at": writing.at,
            "kind": "insert",
            "actor": writing.author.actor,
            "sql": f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES ({values});",
            "memory_id": row["id"],
            "after": dumps({name: row[name] for name in (*IMAGE_FIELDS, "evidence")}),
            "undone": False,
        }


def _insert(db: Connection, table: Table, rows: list[Row]) -> None:
    if rows:
        db.execute(insert(table), rows)


def give_out(db: Connection, intake: Intake) -> None:
    """Mark the ids of rows that only the journal still knows as given out."""
    largest: dict[str, Any] = {"name": "memories", "seq": intake.base["memories"] + intake.largest_memory}
    if not db.execute(text("UPDATE sqlite_sequence SET seq = max(seq, :seq) WHERE name = :name"), largest).rowcount:
        db.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)"), largest)  # no row ever was
