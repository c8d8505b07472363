"""Reading the bytes of a database that is open keeps this process's locks: else another one takes the WAL away."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chatmem.memory.database.engine import Database
from chatmem.memory.database.handles import is_open, reading, salt_of_database
from chatmem.memory.repair.copies import backup
from chatmem.memory.store.store import Store

ELSEWHERE = """import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(db.execute("SELECT count(*) FROM memories").fetchone()[0])
db.close()"""


def seen_elsewhere(path: Path) -> int:
    """How many rows another process sees, which takes itself for the last one where no locks are left."""
    return int(subprocess.run([sys.executable, "-c", ELSEWHERE, str(path)], capture_output=True, check=True).stdout)


def forget(store: Store, path: Path) -> None:
    user = store.users.get("ana")
    row = store.facts.remember(user.id, "Ana", "pets", "Ana keeps a quorbal.").memory_id
    assert row is not None
    assert store.forget.memories(user.id, [row]).bytes_checked


def copy(store: Store, path: Path) -> None:
    backup(store, path.with_name("copy.db"))


def open_again(store: Store, path: Path) -> None:
    with Store.open(path) as other:
        assert other.check() == []


def ask_for_salt(store: Store, path: Path) -> None:
    assert salt_of_database(path) is None


def read_twice(store: Store, path: Path) -> None:
    for _ in range(2):
        with reading(path) as file:
            assert file.read(15) == b"SQLite format 3"


@pytest.mark.skipif(os.name != "posix", reason="locks go with a handle on POSIX alone")
@pytest.mark.parametrize("done", [forget, copy, open_again, ask_for_salt, read_twice])
def test_nothing_that_reads_the_file_ends_its_locks(tmp_path: Path, done: Callable[[Store, Path], None]) -> None:
    path = tmp_path / "m.db"
    wal = path.with_name("m.db-wal")
    with Store.open(path) as store:
        user = store.users.get("ana")
        store.facts.remember(user.id, "Ana", "pets", "Ana has a cat.")
        done(store, path)
        before = wal.stat().st_ino
        seen_elsewhere(path)
        assert wal.exists() and wal.stat().st_ino == before
        store.facts.remember(user.id, "Ana", "home", "Ana lives in Porto.")
        assert seen_elsewhere(path) == 2
    assert not is_open(path) and sqlite3.connect(path).execute("SELECT count(*) FROM memories").fetchone() == (2,)


def test_two_threads_that_open_a_file_look_at_it_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.db"
    Store.open(path).close()
    looked: list[bool] = []
    second = threading.Event()
    look = Database._prepare_file

    def slowly(self: Database) -> tuple[int, int]:
        looked.append(is_open(path))
        if len(looked) == 1:
            threading.Thread(target=lambda: (Store.open(path).close(), second.set())).start()
            time.sleep(0.2)  # enough for the other thread to look, too, were it let
        return look(self)

    monkeypatch.setattr(Database, "_prepare_file", slowly)
    with Store.open(path):
        assert second.wait(20)
    assert looked == [False, True]
