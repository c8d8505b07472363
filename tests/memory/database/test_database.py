"""Opening: what is not a usable chatmem database is refused in one sentence and left as it is; older forms migrate."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from chatmem.memory.database import tables
from chatmem.memory.database.engine import Database, raw
from chatmem.memory.errors import (
    NotFound,
    StoreCorrupt,
    StoreError,
    StoreForeign,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
)
from chatmem.memory.store import migrations
from chatmem.memory.store.migrations import MIGRATIONS, Migration, migrate, script
from chatmem.memory.store.store import Store


def refuse(path: Path | str, kind: type[StoreError], words: str, **options: bool) -> None:
    with pytest.raises(kind, match=words) as caught:
        Store.open(path, **options)  # type: ignore[arg-type]
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)


def made(path: Path) -> Path:
    with Store.open(path) as store:
        user = store.users.get("ana")
        store.turns.add(store.sessions.start(user.id).id, "Ana", "hello")
    return path


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text_file, foreign = tmp_path / "notes.txt", tmp_path / "other.db"
    text_file.write_text("these are my notes, not a database\n" * 100)
    with sqlite3.connect(foreign) as other:
        other.execute("CREATE TABLE birds (name TEXT)")
    other.close()
    before = text_file.read_bytes(), foreign.read_bytes()
    refuse(text_file, StoreCorrupt, "is not a database")
    refuse(foreign, StoreForeign, "another program's database")
    refuse(tmp_path, StoreError, "is a folder")
    refuse("", StoreError, "needs a file")
    refuse("mysql://host/db", StoreError, "give a file's path")
    assert (text_file.read_bytes(), foreign.read_bytes()) == before


def test_a_damaged_database_says_so(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    content = bytearray(path.read_bytes())
    content[4096 * 2 :] = bytes(len(content) - 4096 * 2)
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt, match="damaged"), Store.open(path) as store:
        user = store.users.get("ana")
        store.turns.add(store.sessions.start(user.id).id, "Ana", "hello again")


def test_a_cut_off_database_says_so(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    os.truncate(path, 5000)
    with pytest.raises(StoreCorrupt, match="damaged"), Store.open(path) as store:
        store.users.get("ben")


def test_read_only_reads_and_refuses_to_write(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    refuse(tmp_path / "none.db", StoreError, "does not exist", read_only=True)
    assert not (tmp_path / "none.db").exists()
    with Store.open(path, read_only=True) as store:
        (user,) = store.users.all()
        assert store.stats(user.id)["turns"] == 1
        with pytest.raises(StoreReadOnly, match="read-only"):
            store.sessions.start(user.id)
        assert store.vectors.embed_pending() == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everything")
def test_a_file_that_may_not_be_written_says_so(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    path.chmod(0o400)
    refuse(path, StoreReadOnly, "can't be written")


def test_a_connection_that_turned_read_only_says_so(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        user = store.users.get("ana")
        with store.db.alone() as driver:
            driver.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreReadOnly, match="can't be written"):
            store.sessions.start(user.id)


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)
        kept = [store.turns.add(session.id, "Ana", "a line")]
        with store.db.alone() as driver:
            (pages,) = driver.execute("PRAGMA page_count").fetchone()
            driver.execute(f"PRAGMA max_page_count = {pages + 5}")
        with pytest.raises(StoreFull, match="disk is full"):
            for _ in range(100):
                kept.append(store.turns.add(session.id, "Ana", "many words " * 500))
        assert store.turns.of(session.id) == kept
        with store.db.alone() as driver:
            driver.execute("PRAGMA max_page_count = 1000000")
        kept.append(store.turns.add(session.id, "Ana", "there is room again"))
        assert store.turns.of(session.id) == kept
        assert store.check() == []


def test_an_acknowledged_write_waits_for_the_disk(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store, store.db.write() as db:
        settings = {name: raw(db).execute(f"PRAGMA {name}").fetchone()[0] for name in
                    ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "busy_timeout")}  # fmt: skip
    assert settings == {
        "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1, "busy_timeout": 10_000,
    }  # fmt: skip


def test_the_file_is_private_and_its_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a b?%.db"
    with Store.open(f"sqlite:///{path}") as store:
        store.users.get("ana")
        assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in path.parent.iterdir())
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_migrations_make_just_what_the_tables_say(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store, store.db.read() as db:
        found = inspect(db)
        for name, table in tables.metadata.tables.items():
            real = {column["name"]: column for column in found.get_columns(name)}
            assert list(real) == [column.name for column in table.columns]
            for column in table.columns:
                assert str(real[column.name]["type"]) == str(column.type), f"{name}.{column.name}"
                assert real[column.name]["nullable"] == column.nullable, f"{name}.{column.name}"
            indexes = {index["name"]: index["column_names"] for index in found.get_indexes(name)}
            assert indexes == {index.name: [column.name for column in index.columns] for index in table.indexes}
        numbers = [row.number for row in db.execute(text("SELECT number FROM migrations"))]
        assert numbers == [migration.number for migration in MIGRATIONS]


def test_an_older_database_migrates_with_its_rows_and_a_newer_one_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    newest = MIGRATIONS[-1].number
    colours = "CREATE TABLE colours (name TEXT);\nINSERT INTO colours VALUES ('red');"
    more = Migration(newest + 1, "colours", script(colours))
    database = Database(path)
    assert migrate(database, "2026-05-08T13:56:00Z", (*MIGRATIONS, more)) == 1
    assert migrate(database, "2026-05-08T13:56:00Z", (*MIGRATIONS, more)) == 0
    with database.read() as db:
        assert db.execute(text("SELECT name FROM colours")).scalar() == "red"
        assert db.execute(text("SELECT text FROM turns")).scalar() == "hello"
    database.close()
    before = path.read_bytes()
    refuse(path, StoreTooNew, "made by a newer chatmem")
    refuse(path, StoreTooNew, "update chatmem", read_only=True)
    assert path.read_bytes() == before


def test_a_migration_that_fails_leaves_the_old_form_and_no_record(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    newest = MIGRATIONS[-1].number
    colours = "CREATE TABLE colours (name TEXT);\nINSERT INTO nowhere VALUES (1);"
    broken = Migration(newest + 1, "broken", script(colours))
    database = Database(path)
    with pytest.raises(sqlite3.OperationalError):
        migrate(database, "2026-05-08T13:56:00Z", (*MIGRATIONS, broken))
    with database.read() as db:
        assert migrations.version(db) == newest
        assert not raw(db).execute("SELECT 1 FROM sqlite_master WHERE name = 'colours'").fetchone()
    database.close()
    made(path)


def test_what_does_not_exist_is_said_so(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        ana, ben = store.users.get("ana"), store.users.get("ben")
        session = store.sessions.start(ana.id)
        turn = store.turns.add(session.id, "Ana", "hello")
        entry = store.facts.remember(ana.id, "Ana", "", "Ana says hello.")
        assert entry.memory_id
        for look in (
            lambda: store.sessions.get(99), lambda: store.turns.get(99), lambda: store.facts.get(99),
            lambda: store.journal.undo(99),
            lambda: store.journal.history(99), lambda: store.users.by_id(99), lambda: store.sessions.start(99),
            lambda: store.sessions.get(session.id, user_id=ben.id), lambda: store.turns.get(turn.id, user_id=ben.id),
            lambda: store.facts.get(entry.memory_id or 0, user_id=ben.id),
            lambda: store.journal.undo(entry.id, user_id=ben.id),
            lambda: store.forget.memories(ben.id, [entry.memory_id or 0]),
            lambda: store.forget.turn(turn.id, user_id=ben.id),
            lambda: store.journal.history(entry.memory_id or 0, user_id=ben.id),
        ):  # fmt: skip
            with pytest.raises(NotFound, match="there is no"):
                look()
