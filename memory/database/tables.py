"""The tables as SQLAlchemy metadata. FTS5, the LM's view and its triggers are made beside them (they are SQLite's)."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)  # fmt: skip

metadata = MetaData()


def _user(*, primary: bool = False) -> Column[int]:
    return Column("user_id", Integer, ForeignKey("users.id", ondelete="CASCADE"), nullable=False, primary_key=primary)


users = Table(
    "users", metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("called", String),
    Column("created_at", String, nullable=False),
    sqlite_autoincrement=True,
)  # fmt: skip

sessions = Table(
    "sessions", metadata,
    Column("id", Integer, primary_key=True),
    _user(),
    Column("title", String, nullable=False, server_default=""),
    Column("started_at", String, nullable=False),
    Column("ended_at", String),
    Index("sessions_user", "user_id", "started_at"),
    sqlite_autoincrement=True,
)  # fmt: skip

turns = Table(
    "turns", metadata,
    Column("id", Integer, primary_key=True),
    Column("session_id", Integer, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    _user(),
    Column("speaker", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("said_at", String, nullable=False),
    Column("status", String, nullable=False, server_default="complete"),
    Column("storage", String, nullable=False, server_default="skipped"),
    Column("claimed_by", String),
    Column("claimed_until", String),
    Index("turns_session", "session_id", "id"),
    Index("turns_user", "user_id", "id"),
    Index("turns_pending", "user_id", sqlite_where=text("storage = 'pending'")),
    sqlite_autoincrement=True,
)  # fmt: skip

memories = Table(
    "memories", metadata,
    Column("id", Integer, primary_key=True),
    _user(),
    Column("subject", String, nullable=False),
    Column("topic", String, nullable=False, server_default=""),
    Column("fact", Text, nullable=False),
    Column("happened_on", String),
    Column("said_at", String, nullable=False),
    Column("valid_from", String, nullable=False),
    Column("valid_to", String),
    Column("pinned", Boolean, nullable=False, server_default=text("0")),
    Column("created_by", String, nullable=False),
    Column("replaces", Integer),
    Column("digest", Integer),
    Column("certainty", Float),
    Column("rests_on", Text),
    Index("memories_current", "user_id", "valid_to", "subject", "topic"),
    Index("memories_digest", "user_id", "digest"),
    Index("memories_derived", "user_id", sqlite_where=text("certainty IS NOT NULL")),
    sqlite_autoincrement=True,
)  # fmt: skip

memory_evidence = Table(
    "memory_evidence", metadata,
    Column("memory_id", Integer, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    Column("turn_id", Integer, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Index("evidence_turn", "turn_id"),
    sqlite_with_rowid=False,
)  # fmt: skip

journal = Table(
    "journal", metadata,
    Column("id", Integer, primary_key=True),
    _user(),
    Column("batch", String, nullable=False),
    Column("at", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("model", String),
    Column("adapter", String),
    Column("sql", Text, nullable=False),
    Column("memory_id", Integer),
    Column("turn_id", Integer),
    Column("session_id", Integer),
    Column("before", Text),
    Column("after", Text),
    Column("reason", Text),
    Column("undone", Boolean, nullable=False, server_default=text("0")),
    Column("before_id", Integer),
    Column("undoes", Integer),
    Index("journal_user", "user_id", "id"),
    Index("journal_memory", "memory_id"),
    Index("journal_before", "before_id"),
    Index("journal_batch", "batch"),
    sqlite_autoincrement=True,
)  # fmt: skip

journal_turns = Table(
    "journal_turns", metadata,
    Column("journal_id", Integer, ForeignKey("journal.id", ondelete="CASCADE"), primary_key=True),
    Column("turn_id", Integer, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Index("journal_turns_turn", "turn_id"),
    sqlite_with_rowid=False,
)  # fmt: skip

vectors = Table(
    "vectors", metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String, nullable=False),
    Column("ref_id", Integer, nullable=False),
    Column("model", String, nullable=False),
    _user(),
    Column("data", LargeBinary, nullable=False),
    UniqueConstraint("kind", "ref_id", "model"),
    Index("vectors_user", "user_id", "kind", "model"),
    sqlite_autoincrement=True,
)  # fmt: skip

vector_removals = Table(
    "vector_removals", metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String, nullable=False),
    Column("ref_id", Integer, nullable=False),
    Column("user_id", Integer, nullable=False),
    sqlite_autoincrement=True,
)  # fmt: skip

vector_blocks = Table(
    "vector_blocks", metadata,
    Column("id", Integer, primary_key=True),
    _user(),
    Column("kind", String, nullable=False),
    Column("model", String, nullable=False),
    Column("first_id", Integer, nullable=False),
    Column("last_id", Integer, nullable=False),
    Column("least_ref", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("refs", LargeBinary, nullable=False),
    Column("steps", LargeBinary, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Index("vector_blocks_user", "user_id", "kind", "model", "first_id", "last_id"),
    sqlite_autoincrement=True,
)  # fmt: skip

vector_codes = Table(
    "vector_codes", metadata,
    Column("block_id", Integer, ForeignKey("vector_blocks.id", ondelete="CASCADE"), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)  # fmt: skip

vector_directions = Table(
    "vector_directions", metadata,
    _user(primary=True),
    Column("kind", String, primary_key=True),
    Column("model", String, primary_key=True),
    Column("made_of", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
)  # fmt: skip

exports = Table(
    "exports", metadata,
    Column("id", Integer, primary_key=True),
    _user(),
    Column("path", String, nullable=False),
    Column("written_at", String, nullable=False),
    UniqueConstraint("user_id", "path"),
    sqlite_autoincrement=True,
)  # fmt: skip
"""Files that were written for a user: they are theirs, but a forget must be able to name them."""
