"""A look for damage: a file that can't be got at is not damaged, and on a disk that can't be written it is read."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from chatmem.app.config.paths import Paths
from chatmem.app.config.settings import Settings
from chatmem.app.context import Context
from chatmem.memory.errors import StoreError
from chatmem.memory.repair.rescue import examine
from chatmem.memory.store.store import Store

READ_ONLY_DISK = """
import os, subprocess, sys
from chatmem.app import cli
disk = sys.argv[1]
os.environ["CHATMEM_HOME"] = disk
mount = lambda *words: subprocess.run(["mount", *words, disk], check=True)
mount("-t", "tmpfs", "tmpfs")
assert cli.main(["memory", "add", "Ana sails."]) == 0
mount("-o", "remount,ro")
assert cli.main(["memory", "list"]) == 0
cli.main(["doctor"])
"""


def made(path: Path) -> Path:
    with Store.open(path) as store:
        store.facts.remember(store.users.get("ana").id, "Ana", "", "Ana sails.")
    return path


def test_a_sound_database_on_a_disk_that_cannot_be_written_is_sound(tmp_path: Path) -> None:
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if shutil.which("unshare") is None or subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("a disk can't be mounted here")
    command = ["unshare", "-rm", sys.executable, "-c", READ_ONLY_DISK, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=Path(__file__).parents[3])
    assert done.returncode == 0, done.stderr
    (database,) = [line for line in done.stdout.splitlines() if line.split("\t")[1:2] == ["database"]]
    assert database.startswith("ok\t") and "1 memory" in database


def test_a_database_that_others_hold_is_not_called_damaged(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="can't be looked at"):
            examine(path)
        other.execute("ROLLBACK")
    assert examine(path) == {}


def test_damage_is_still_found_and_a_look_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    path = made(tmp_path / "a b?%.db")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE memories SET said_at = 'when?'")
    assert examine(path) == {"memories": 1}
    (tmp_path / "no.db").write_bytes(b"no database at all " * 500)
    assert examine(tmp_path / "no.db") == {"users": 1}
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a b?%.db", "no.db"]


@pytest.mark.parametrize("shut", ["file", "folder", ""])
def test_a_reader_opens_read_only_where_the_folder_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shut: str
) -> None:
    path = made(tmp_path / "memory" / "a.db")
    closed = {"file": path, "folder": path.parent}.get(shut)
    access = os.access
    monkeypatch.setattr(os, "access", lambda place, how: place != closed and access(place, how))
    context = Context(Paths(*[tmp_path / "home"] * 3), Settings(db=str(path)), {})
    with context.open_store(writes=False) as store:
        assert store.db.read_only == bool(shut)
