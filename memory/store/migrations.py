"""The database's history: each change of its form is one entry here, never edited once released, only added to.

Each is committed in one transaction together with its record in the table `migrations`, so a crash leaves the old
form or the new one. The SQL is written out, not taken from `tables.py`, since that describes the newest form only.
The idea of migrations that commit with their record: sqlite-utils, `migrations.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from ..database.engine import APPLICATION_ID, Database, raw
from ..database.rows import digest
from ..errors import StoreTooNew
from ..search import fulltext, vectors
from ..search.shelves import blocks

FIRST_TABLES = """
CREATE TABLE users (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name VARCHAR NOT NULL,
    called VARCHAR,
    created_at VARCHAR NOT NULL,
    UNIQUE (name)
);
CREATE TABLE journal (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL,
    batch VARCHAR NOT NULL,
    at VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    actor VARCHAR NOT NULL,
    model VARCHAR,
    adapter VARCHAR,
    sql TEXT NOT NULL,
    memory_id INTEGER,
    turn_id INTEGER,
    session_id INTEGER,
    "before" TEXT,
    "after" TEXT,
    reason TEXT,
    undone BOOLEAN DEFAULT 0 NOT NULL,
    before_id INTEGER,
    undoes INTEGER,
    FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX journal_batch ON journal (batch);
CREATE INDEX journal_before ON journal (before_id);
CREATE INDEX journal_memory ON journal (memory_id);
CREATE INDEX journal_user ON journal (user_id, id);
CREATE TABLE memories (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL,
    subject VARCHAR NOT NULL,
    topic VARCHAR DEFAULT '' NOT NULL,
    fact TEXT NOT NULL,
    happened_on VARCHAR,
    said_at VARCHAR NOT NULL,
    valid_from VARCHAR NOT NULL,
    valid_to VARCHAR,
    pinned BOOLEAN DEFAULT 0 NOT NULL,
    created_by VARCHAR NOT NULL,
    replaces INTEGER,
    digest INTEGER,
    FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX memories_current ON memories (user_id, valid_to, subject, topic);
CREATE INDEX memories_digest ON memories (user_id, digest);
CREATE TABLE sessions (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL,
    title VARCHAR DEFAULT '' NOT NULL,
    started_at VARCHAR NOT NULL,
    ended_at VARCHAR,
    FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX sessions_user ON sessions (user_id, started_at);
CREATE TABLE vectors (
    kind VARCHAR NOT NULL,
    ref_id INTEGER NOT NULL,
    model VARCHAR NOT NULL,
    user_id INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (kind, ref_id, model),
    FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX vectors_user ON vectors (user_id, kind, model);
CREATE TABLE turns (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    speaker VARCHAR NOT NULL,
    text TEXT NOT NULL,
    said_at VARCHAR NOT NULL,
    status VARCHAR DEFAULT 'complete' NOT NULL,
    storage VARCHAR DEFAULT 'skipped' NOT NULL,
    FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE,
    FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX turns_session ON turns (session_id, id);
CREATE INDEX turns_user ON turns (user_id, id);
CREATE TABLE journal_turns (
    journal_id INTEGER NOT NULL,
    turn_id INTEGER NOT NULL,
    PRIMARY KEY (journal_id, turn_id),
    FOREIGN KEY(journal_id) REFERENCES journal (id) ON DELETE CASCADE,
    FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
    )
WITHOUT ROWID;
CREATE INDEX journal_turns_turn ON journal_turns (turn_id);
CREATE TABLE memory_evidence (
    memory_id INTEGER NOT NULL,
    turn_id INTEGER NOT NULL,
    PRIMARY KEY (memory_id, turn_id),
    FOREIGN KEY(memory_id) REFERENCES memories (id) ON DELETE CASCADE,
    FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
    )
WITHOUT ROWID;
CREATE INDEX evidence_turn ON memory_evidence (turn_id);
"""

CLAIMS = """
ALTER TABLE turns ADD COLUMN claimed_by VARCHAR;
ALTER TABLE turns ADD COLUMN claimed_until VARCHAR;
CREATE INDEX turns_pending ON turns (user_id) WHERE storage = 'pending';
"""

EXPORTS = """
CREATE TABLE exports (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL,
    path VARCHAR NOT NULL,
    written_at VARCHAR NOT NULL,
    UNIQUE (user_id, path),
    FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
"""

INSIGHTS = """
ALTER TABLE memories ADD COLUMN certainty FLOAT;
ALTER TABLE memories ADD COLUMN rests_on TEXT;
CREATE INDEX memories_derived ON memories (user_id) WHERE certainty IS NOT NULL;
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: `apply` brings the database from form `number - 1` to `number`."""

    number: int
    name: str
    apply: Callable[[Connection], None]


def script(sql: str) -> Callable[[Connection], None]:
    """A step made of plain statements, each ending in `;` at the end of a line."""

    def apply(connection: Connection) -> None:
        for statement in sql.strip().split(";\n"):
            raw(connection).execute(statement)

    return apply


def _first_tables(connection: Connection) -> None:
    script(FIRST_TABLES)(connection)
    raw(connection).execute(f"PRAGMA application_id = {APPLICATION_ID}")


def compute_digests_anew(connection: Connection) -> None:
    """Gives every row the digest that its words have today: under an older rule's, a known fact would be told twice.

    About two seconds for 100,000 rows. Damaged rows, whose words are no text, are left as they are.
    """
    driver = raw(connection)
    changed = []
    for row_id, subject, fact, old in driver.execute("SELECT id, subject, fact, digest FROM memories"):
        if isinstance(subject, str) and isinstance(fact, str) and (new := digest(subject, fact)) != old:
            changed.append((new, row_id))
    driver.executemany("UPDATE memories SET digest = ? WHERE id = ?", changed)


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "tables", _first_tables),
    Migration(2, "full text search", fulltext.create),
    Migration(3, "word counts", fulltext.create_vocabularies),
    Migration(4, "vectors that caches can follow", vectors.create),
    Migration(5, "claims on pending turns", script(CLAIMS)),
    Migration(6, "texts without spaces are searched by word", fulltext.cut_unspaced),
    Migration(7, "where exports were written", script(EXPORTS)),
    Migration(8, "turns are searched by passages", fulltext.create_passages),
    Migration(9, "insights, with what they rest on", script(INSIGHTS)),
    Migration(10, "signs tell facts apart", compute_digests_anew),
    Migration(11, "vectors in blocks", blocks.create),
)

_RECORD = (
    "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)"
)


def version(connection: Connection) -> int:
    """The number of the newest migration that the database has had; 0 for an empty one."""
    driver = raw(connection)
    if not driver.execute("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").fetchone():
        return 0
    (number,) = driver.execute("SELECT coalesce(max(number), 0) FROM migrations").fetchone()
    return int(number)


def migrate(database: Database, now: str, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Brings the database to the newest form and returns how many steps that took.

    Raises StoreTooNew when a newer chatmem made it. Safe when several processes open it at once: each step looks
    again after it has the write lock.
    """
    newest = migrations[-1].number
    with database.read() as connection:
        found = version(connection)
    if found > newest:
        raise StoreTooNew(
            f"{database.path} was made by a newer chatmem (form {found}, this one knows {newest}): update chatmem."
        )
    if found == newest:
        return 0
    due = [migration for migration in migrations if migration.number > found]
    if found:
        return sum(_step(database, now, migration) for migration in due)
    with database.write():  # a new file: the disk is waited for once
        return sum(_step(database, now, migration) for migration in due)


def _step(database: Database, now: str, migration: Migration) -> bool:
    with database.write() as connection:
        if version(connection) >= migration.number:
            return False
        migration.apply(connection)
        raw(connection).execute(_RECORD)
        row = (migration.number, migration.name, now)
        raw(connection).execute("INSERT INTO migrations VALUES (?, ?, ?)", row)
    return True
