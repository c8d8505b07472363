"""What a language model sees: the view `memory`, the current rows of the current user, and `lines`, what was said.
Insights, which were concluded and not told, are in neither: a model that reads them would take them for facts.

All of it is temporary and of one connection: a one-row context table (who reads or writes now), the views, and INSTEAD
OF triggers that write `memories`, `memory_evidence` and `journal`. They write plain tables only; whoever runs them
brings full text search and vectors up to date afterwards, when the sandbox's authorizer is lifted.

Each view reads a hidden one and all hidden names are random per process. That is what the sandbox rests on: SQLite's
authorizer names the innermost view or trigger that reads a table, but also a CTE, so `WITH memory AS (SELECT * FROM
memories) ...` looks like a read by the view `memory`. A name that can't be guessed can't be borrowed.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ..values import Author, Moment

VIEW = "memory"
COLUMNS = ("id", "subject", "topic", "fact", "happened_on", "said_at")
WRITABLE = ("subject", "topic", "fact", "happened_on")
"""The columns that a model may write."""
LINES = "lines"
LINE_COLUMNS = ("id", "speaker", "text", "said_at", "session")
LINE_CHARS = 8_000
"""Characters of a line that `lines` shows, its first ones: a LIKE over a text costs its length times the pattern's."""
TABLES = {VIEW: COLUMNS, LINES: LINE_COLUMNS}
"""What a SELECT can read, with the columns."""


@dataclass(frozen=True, slots=True)
class WriteContext:
    """The circumstances of one batch of writes; `turn_ids` become the evidence of the rows it writes."""

    batch: str
    author: Author
    turn_ids: Sequence[int] = ()
    session_id: int | None = None
    said_at: Moment | None = None
    now: Moment = ""


@dataclass(frozen=True, slots=True)
class Names:
    """The hidden names of this process."""

    hidden: str
    hidden_lines: str
    context: str
    turns: str
    insert: str
    update: str
    delete: str

    @property
    def triggers(self) -> tuple[str, str, str]:
        return (self.insert, self.update, self.delete)


@cache
def names() -> Names:
    token = secrets.token_hex(12)
    parts = ("hidden", "hidden_lines", "context", "turns", "insert", "update", "delete")
    return Names(*(f"chatmem_{part}_{token}" for part in parts))


def install(db: sqlite3.Connection) -> None:
    """Make the view on this connection, unless it is there (a rollback may have taken it away)."""
    found = db.execute("SELECT 1 FROM sqlite_temp_master WHERE name = ?", (names().delete,)).fetchone()
    if found is None:
        for statement in (*_tables(names()), *_views(names()), *_triggers(names())):
            db.execute(statement)


def set_reader(db: sqlite3.Connection, user_id: int) -> None:
    """Whose memory the view shows; for reads."""
    db.execute(f"DELETE FROM temp.{names().context}")
    db.execute(f"INSERT INTO temp.{names().context} (user_id) VALUES (?)", (user_id,))


def set_writer(db: sqlite3.Connection, user_id: int, context: WriteContext, sql: str) -> None:
    """Whose memory the view shows and what the triggers put in the journal with each row."""
    author = context.author
    db.execute(f"DELETE FROM temp.{names().context}")
    db.execute(
        f"INSERT INTO temp.{names().context} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (user_id, context.batch, context.now, context.said_at, author.actor, author.model, author.adapter,
         sql.encode("utf-8", "replace").decode(),  # half surrogates can't be stored
         context.turn_ids[0] if context.turn_ids else None, context.session_id),
    )  # fmt: skip
    db.execute(f"DELETE FROM temp.{names().turns}")
    db.executemany(f"INSERT OR IGNORE INTO temp.{names().turns} VALUES (?)", [(turn,) for turn in context.turn_ids])


def clear(db: sqlite3.Connection) -> None:
    """Forget the circumstances, so that the view shows nobody's memory until the next run."""
    db.execute(f"DELETE FROM temp.{names().context}")
    db.execute(f"DELETE FROM temp.{names().turns}")


def _tables(name: Names) -> tuple[str, ...]:
    context = (
        "user_id INTEGER NOT NULL, batch TEXT, at TEXT, said_at TEXT, actor TEXT, model TEXT, adapter TEXT, sql TEXT,"
        " turn_id INTEGER, session_id INTEGER"
    )
    return (
        f"CREATE TEMP TABLE IF NOT EXISTS {name.context} ({context})",
        f"CREATE TEMP TABLE IF NOT EXISTS {name.turns} (turn_id INTEGER PRIMARY KEY)",
    )


def _views(name: Names) -> tuple[str, ...]:
    columns = ", ".join(COLUMNS)
    said = f"id, speaker, substr(text, 1, {LINE_CHARS}) AS text, said_at, session_id AS session"
    mine = f"user_id = (SELECT user_id FROM temp.{name.context})"
    told = f"{mine} AND valid_to IS NULL AND certainty IS NULL"
    make = "CREATE TEMP VIEW IF NOT EXISTS"
    return (
        f"{make} {name.hidden} AS SELECT {columns} FROM main.memories WHERE {told}",
        f"{make} {VIEW} AS SELECT {columns} FROM temp.{name.hidden}",
        f"{make} {name.hidden_lines} AS SELECT {said} FROM main.turns WHERE {mine}",
        f"{make} {LINES} AS SELECT {', '.join(LINE_COLUMNS)} FROM temp.{name.hidden_lines}",
    )


def _triggers(name: Names) -> tuple[str, ...]:
    context = f"(SELECT * FROM temp.{name.context} LIMIT 1) c"
    newest = "(SELECT max(id) FROM memories)"  # AUTOINCREMENT never gives an id twice, so the greatest is the newest
    return (
        f"""CREATE TEMP TRIGGER IF NOT EXISTS {name.insert} INSTEAD OF INSERT ON {VIEW} BEGIN
            SELECT RAISE(ABORT, 'id and said_at are not written by hand')
             WHERE NEW.id IS NOT NULL OR NEW.said_at IS NOT NULL;
            {_bounds()}
            INSERT INTO memories (user_id, subject, topic, fact, happened_on, said_at, valid_from, created_by)
            SELECT c.user_id, NEW.subject, coalesce(NEW.topic, ''), NEW.fact, NEW.happened_on,
                   coalesce(c.said_at, c.at), c.at, c.actor FROM {context};
            {_evidence(name, newest)}
            {_journal("insert", newest, "NULL", "NULL", _image(newest), context)}
        END""",
        f"""CREATE TEMP TRIGGER IF NOT EXISTS {name.update} INSTEAD OF UPDATE ON {VIEW} BEGIN
            SELECT RAISE(ABORT, 'id and said_at are not written by hand')
             WHERE NEW.id IS NOT OLD.id OR NEW.said_at IS NOT OLD.said_at;
            {_bounds()}
            INSERT INTO memories
                (user_id, subject, topic, fact, happened_on, said_at, valid_from, pinned, created_by, replaces)
            SELECT c.user_id, NEW.subject, coalesce(NEW.topic, ''), NEW.fact, NEW.happened_on,
                   coalesce(c.said_at, m.said_at), c.at, m.pinned, c.actor, m.id
              FROM memories m, {context} WHERE m.id = OLD.id AND m.user_id = c.user_id;
            {_evidence(name, newest)}
            INSERT OR IGNORE INTO memory_evidence (memory_id, turn_id)
            SELECT {newest}, turn_id FROM memory_evidence WHERE memory_id = OLD.id;
            {_journal("update", newest, "OLD.id", _image("OLD.id"), _image(newest), context)}
            UPDATE memories SET valid_to = (SELECT at FROM temp.{name.context}) WHERE id = OLD.id;
        END""",
        f"""CREATE TEMP TRIGGER IF NOT EXISTS {name.delete} INSTEAD OF DELETE ON {VIEW} BEGIN
            {_journal("delete", "OLD.id", "OLD.id", _image("OLD.id"), "NULL", context)}
            UPDATE memories SET valid_to = (SELECT at FROM temp.{name.context}) WHERE id = OLD.id;
        END""",
    )


def _bounds() -> str:
    """A last look at the values, for a statement that no parser has seen: texts of bounded size, no blobs."""
    wrong = " OR ".join(
        f"typeof(NEW.{column}) NOT IN {kinds} OR length(coalesce(NEW.{column}, '-')) NOT BETWEEN {least} AND {most}"
        for column, kinds, least, most in (
            ("subject", "('text')", 1, 200), ("topic", "('text', 'null')", 0, 200),
            ("fact", "('text')", 1, 4000), ("happened_on", "('text', 'null')", 1, 40),
        )
    )  # fmt: skip
    return f"SELECT RAISE(ABORT, 'a value is missing, too long or not a text') WHERE {wrong};"


def _evidence(name: Names, memory: str) -> str:
    return f"""INSERT INTO memory_evidence (memory_id, turn_id) SELECT {memory}, t.id
             FROM turns t WHERE t.id IN (SELECT turn_id FROM temp.{name.turns})
              AND t.user_id = (SELECT user_id FROM temp.{name.context});"""


def _image(memory: str) -> str:
    """A row and its evidence as JSON, with the fields that the store's journal keeps of a row."""
    fields = ("id", "subject", "topic", "fact", "happened_on", "said_at", "valid_from", "valid_to")
    pairs = ", ".join(f"'{field}', m.{field}" for field in fields)
    evidence = "(SELECT json_group_array(turn_id) FROM memory_evidence WHERE memory_id = m.id)"
    return f"""(SELECT json_object({pairs}, 'pinned', json(CASE WHEN m.pinned THEN 'true' ELSE 'false' END),
                'created_by', m.created_by, 'replaces', m.replaces, 'evidence', json({evidence}))
                FROM memories m WHERE m.id = {memory})"""


def _journal(kind: str, memory: str, before_id: str, before: str, after: str, context: str) -> str:
    return f"""INSERT INTO journal (user_id, batch, at, kind, actor, model, adapter, sql, memory_id, turn_id,
                                  session_id, "before", "after", undone, before_id)
            SELECT c.user_id, c.batch, c.at, '{kind}', c.actor, c.model, c.adapter, c.sql, {memory}, c.turn_id,
                   c.session_id, {before}, {after}, 0, {before_id} FROM {context};"""
