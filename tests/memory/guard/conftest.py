"""A small database of two users in which everything that the first must not see says CANARY."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from chatmem.memory.guard import sandbox, view
from chatmem.memory.store.store import Store
from chatmem.memory.values import Author, Rows, Verdict

HERE = Path(__file__).parent
ANA, BOB = 1, 2
NOW = "2026-05-09T08:00:00Z"
Row = tuple[Any, ...]
Dump = dict[str, list[Row]]

ROWS: list[Row] = [
    (1, ANA, "Ana", "pets", "Ana has two cats, Nori and Wasabi.", None, "2026-01-10T09:00:00Z", None),
    (2, ANA, "Ana", "job", "Ana works as a nurse in Boston.", "2021-03", "2026-01-10T09:01:00Z", None),
    (3, ANA, "Ana", "family", "Ana's sister Zoë lives in Kraków.", None, "2026-02-01T10:00:00Z", None),
    (4, ANA, "Miguel", "food", "Miguel doesn't eat fish.", None, "2026-02-01T10:05:00Z", None),
    (5, ANA, "José", "travel", "José flew to Peru on 3 May 2025.", "2025-05-03", "2026-03-05T10:00:00Z", None),
    (6, ANA, "assistant", "promise", "The assistant promised a book.", "2026-05", "2026-04-01T10:00:00Z", None),
    (7, ANA, "Ana", "job", "CANARY: Ana was a baker.", None, "2025-01-01T10:00:00Z", "2026-01-10T09:01:00Z"),
    (8, ANA, "Miguel", "pets", "Miguel has a dog, Rex.", "2019", "2026-04-02T10:00:00Z", None),
    (9, ANA, "李雷", "job", "李雷 is a cook in 北京.", None, "2026-04-03T10:00:00Z", None),
    (10, ANA, "Lena", "quote", "DROP TABLE memories; -- is just a text", None, "2026-04-03T10:01:00Z", None),
    (11, ANA, "Lena", "mood", "Lena is 100% sure; always -- she says.", "2026", "2026-04-03T10:02:00Z", None),
    (101, BOB, "Bob", "secret", "CANARY: Bob fears heights.", "2020", "2026-01-01T10:00:00Z", None),
    (102, BOB, "Ana", "pets", "CANARY: Bob's Ana keeps bees.", None, "2026-01-02T10:00:00Z", None),
    (103, BOB, "CANARY subject", "CANARY topic", "CANARY fact.", None, "2026-01-03T10:00:00Z", None),
]
LINES = {ANA: ("Ana", "I have two cats."), BOB: ("CANARY", "CANARY text")}
SCORES: dict[str, dict[int, float]] = {
    "sister name": {3: 0.9, 1: 0.3, 101: 0.99},
    "dog": {8: 0.8, 1: 0.1, 102: 0.99},
}


def load(name: str) -> list[dict[str, Any]]:
    """The statements of a data file; `fill` puts a repeated text where the sign § stands."""
    items = [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]
    for item in items:
        if "fill" in item:
            text, times = item["fill"]
            item["sql"] = item["sql"].replace("§", text * times)
    return items


class World:
    """The database, its connection, and what the tests ask of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        Store.open(path).close()
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA foreign_keys = ON")
        self.db.execute("PRAGMA trusted_schema = OFF")
        self._fill()

    def _fill(self) -> None:
        run, many = self.db.execute, self.db.executemany
        run("BEGIN")
        run("INSERT INTO users (id, name, called, created_at) VALUES (1, 'CANARY-a', 'CANARY', '-')")
        run("INSERT INTO users (id, name, called, created_at) VALUES (2, 'CANARY-b', 'CANARY', '-')")
        for user in (ANA, BOB):
            run("INSERT INTO sessions (id, user_id, title, started_at) VALUES (?, ?, 'CANARY', '-')", (user, user))
            run(
                "INSERT INTO turns (id, session_id, user_id, speaker, text, said_at)"
                " VALUES (?, ?, ?, ?, ?, '2026-01-10T09:00:00Z')",
                (user, user, user, *LINES[user]),
            )
        many(
            "INSERT INTO memories (id, user_id, subject, topic, fact, happened_on, said_at, valid_to, valid_from,"
            " created_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, '2026-01-01T00:00:00Z', 'CANARY')",
            ROWS,
        )
        many("INSERT INTO memory_evidence VALUES (?, ?)", [(1, 1), (101, 2)])
        many(
            "INSERT INTO journal (user_id, batch, at, kind, actor, sql) VALUES (?, 'CANARY', '-', 'insert', '-', ?)",
            [(ANA, "CANARY sql"), (BOB, "CANARY sql")],
        )
        many(
            "INSERT INTO vectors (kind, ref_id, model, user_id, data) VALUES ('memory', ?, 'CANARY', ?, 'CANARY')",
            [(1, ANA), (101, BOB)],
        )
        run("COMMIT")

    def dump(self) -> Dump:
        """Every row of every table that holds rows of its own (the FTS index lies in shadow tables), and the schema."""
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        tables = [row[0] for row in self.db.execute(query)]
        found: Dump = {"": self.db.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()}
        for table in tables:
            found[table] = sorted(self.db.execute(f'SELECT * FROM "{table}"').fetchall(), key=repr)
        return found

    def files(self) -> tuple[bytes, ...]:
        """The bytes of the database and its write-ahead log."""
        paths = (self.path, self.path.with_name(self.path.name + "-wal"))
        return tuple(path.read_bytes() if path.exists() else b"" for path in paths)

    def seen(self, user: int = ANA) -> list[Row]:
        """The current rows of a user as the view should show them."""
        return self.db.execute(
            "SELECT id, subject, topic, fact, happened_on, said_at FROM memories"
            " WHERE user_id = ? AND valid_to IS NULL ORDER BY id",
            (user,),
        ).fetchall()

    def context(self) -> sandbox.WriteContext:
        return sandbox.WriteContext("batch", Author("agent:storage", "tiny"), (1,), 1, "2026-05-08T10:00:00Z", NOW)

    def read(self, verdict: Verdict, user: int = ANA, seconds: float = 0.5) -> Rows:
        limits = sandbox.ReadLimits(seconds=seconds)
        return sandbox.run_read(self.db, user, verdict, about, limits, about_lines=about)

    def write(self, verdict: Verdict, user: int = ANA) -> list[int]:
        return sandbox.run_write(self.db, user, verdict, self.context(), sandbox.ReadLimits(seconds=0.5))

    def check_read(self, rows: Rows) -> None:
        """Nothing that the reader must not see is in it."""
        text = repr((rows.columns, rows.rows))
        assert "CANARY" not in text
        assert view.names().hidden.split("_")[-1] not in text

    def check_change(self, before: Dump, user: int = ANA) -> None:
        """Between then and now only rows of this user were closed or added, each with its line in the journal."""
        after = self.dump()
        touched = {"memories", "memory_evidence", "journal", "sqlite_sequence"}
        for table in before.keys() | after.keys():
            if table not in touched:
                assert after.get(table) == before.get(table), table
        for table in ("memory_evidence", "journal"):
            assert set(before[table]) <= set(after[table]), table
        columns = [row[1] for row in self.db.execute("PRAGMA table_info(memories)")]
        closing = columns.index("valid_to")
        now = {row[0]: row for row in after["memories"]}
        for row in before["memories"]:
            left = now.pop(row[0])
            if row[1] == user and row[closing] is None and left != row:
                assert left == (*row[:closing], NOW, *row[closing + 1 :])
            else:
                assert left == row
        assert all(row[1] == user and row[closing] in (None, NOW) for row in now.values())
        assert all(row[1] == user for row in set(after["journal"]) - set(before["journal"]))
        new = set(after["memory_evidence"]) - set(before["memory_evidence"])
        assert all(memory in now for memory, _ in new)
        if user == ANA:
            assert "CANARY" not in repr([row[2:6] for row in now.values()])


def about(words: str) -> Mapping[int, float]:
    return SCORES.get(words, {})


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One database for many statements: who changes it rolls back."""
    world = World(tmp_path_factory.mktemp("guard") / "memory.db")
    yield world
    world.db.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "memory.db")
    yield made
    made.db.close()


@pytest.fixture(scope="session", name="load")
def load_fixture() -> Callable[[str], list[dict[str, Any]]]:
    return load
