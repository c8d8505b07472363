"""A database with flipped bytes: each command ends in a clear sentence or works, and a repair brings the rest back."""

from __future__ import annotations

import gc
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.errors import StoreFull, StoreLocked
from chatmem.memory.repair import damaged, rescue
from chatmem.memory.store.store import Store
from chatmem.models.embedder.minilm import LlamaEmbedder
from tests.app.commands import flips
from tests.app.shell import Shell
from tests.effort import times

SEEDS = (1, 9, 15, 22, 31, 49, 11, 2, 13, 20, 37, 39, 24, 0, 3, 17, 43, 44)[: times(18, 5)]
"""Each damages another kind of page in another way, as the file is laid out now: its form so that nothing opens, or
only the doctor finds it; a text, a number, an index, a page of which the rest is lost, empty room; and what nobody can
tell."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "memory.db"
    flips.fill(path)
    return path


@pytest.fixture(scope="module", autouse=True)
def embedded_once() -> Iterator[None]:
    """The same lines lie in all the copies: the embedder computes the vector of each once, not fifty times."""
    embed, known = LlamaEmbedder.embed, dict[tuple[str, str], np.ndarray]()

    def remembered(self: LlamaEmbedder, texts: Sequence[str]) -> np.ndarray:
        new = [one for one in dict.fromkeys(texts) if (self.name, one) not in known]
        known.update(zip([(self.name, one) for one in new], embed(self, new), strict=True))
        return np.array([known[self.name, one] for one in texts], np.float32).reshape(-1, self.dimensions)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LlamaEmbedder, "embed", remembered)
        yield


def counts(path: Path) -> dict[str, int]:
    tables = ("turns", "memories", "journal")
    with closing(sqlite3.connect(path)) as db:
        return {name: db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_flipped_byte_ends_in_a_sentence_and_can_be_repaired(seed: int, sound: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    flips.flip(sound, shell.db, seed)
    failed = False
    for words in flips.COMMANDS:
        done = shell(*words)
        failed |= done.returncode != 0
        assert not any(told in done.stderr for told in flips.UNFORESEEN), (words, done.stderr)
        assert done.returncode == 0 or done.stderr.strip(), words
    if failed:
        gc.collect()  # a command that failed may leave a connection, which ends with its process elsewhere
    found = shell.db.read_bytes()
    repaired = shell("doctor", "--repair", "--yes")
    assert not any(told in repaired.stderr for told in flips.UNFORESEEN), repaired.stderr
    assert (repaired.returncode == 0) == ("Lost:" not in repaired.stderr)
    assert rescue.examine(shell.db) == {}
    before, after = counts(sound), counts(shell.db)
    assert all(after[name] >= before[name] - 60 // len(before) for name in before), (before, after)
    if shell.db.read_bytes() == found:
        return  # nothing to repair, so all would be as above
    for words in flips.COMMANDS:
        done = shell(*words)
        assert not any(told in done.stderr for told in flips.UNFORESEEN), (words, done.stderr)


@pytest.mark.parametrize("table", ["memories", "journal"])
def test_a_table_of_which_only_the_form_is_damaged_loses_no_row(table: str, sound: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.db.parent.mkdir(parents=True)
    content = sound.read_bytes()
    form = f"CREATE TABLE {table}".encode()
    assert form in content
    shell.db.write_bytes(content.replace(form, form.replace(b"TABLE", b"TAXLE")))
    assert shell("doctor", "--repair", "--yes").returncode == 0
    assert counts(shell.db) == counts(sound)


def test_a_table_of_an_older_form_is_not_read_by_the_newest_one(sound: Path, tmp_path: Path) -> None:
    old, newest = tmp_path / "old.db", tmp_path / "newest.db"
    newest.write_bytes(sound.read_bytes())
    old.write_bytes(sound.read_bytes().replace(b"CREATE TABLE memories", b"CREATE TAXLE memories"))
    with closing(sqlite3.connect(newest)) as db, db:
        db.execute("INSERT INTO migrations (number, name, applied_at) VALUES (99, 'later', 'now')")
    damaged.mend_schema(old, newest, ["memories"])
    with closing(damaged.connect(old)) as db:
        assert damaged.columns_of(db, "memories") == []
    damaged.mend_schema(old, sound, ["memories"])
    with closing(damaged.connect(old)) as db:
        assert "fact" in damaged.columns_of(db, "memories")


def test_a_byte_that_is_no_text_takes_no_other_row_with_it(sound: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.db.parent.mkdir(parents=True)
    content = sound.read_bytes()
    assert b"I have 7 cats and 1 boats" in content
    shell.db.write_bytes(content.replace(b"I have 7 cats and 1 boats", b"I have 7 c\xffts and 1 boats"))
    listed = shell("sessions", "show", "2")
    assert listed.returncode == 0 and "I have 7 c\ufffdts" in listed.stdout and "I have 8 cats" in listed.stdout
    assert "damaged: 1 of the lines" in shell("doctor").stdout
    repaired = shell("doctor", "--repair", "--yes")
    assert repaired.returncode == 0 and "damaged in part and mended: 1 line" in repaired.stderr
    assert "damaged" not in shell("doctor").stdout


def test_what_is_lost_is_told_and_kept_aside(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(sound.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE turns SET said_at = 'when?' WHERE id = 5")
        db.execute('UPDATE journal SET after = \'{"id": 1, "fa\' WHERE id = 2')
        db.execute("UPDATE turns SET text = ? WHERE id = 7", ("long " * 250_000,))
        db.execute("UPDATE memories SET fact = ? WHERE id = 2", ("x" * 3_000_000,))
        db.execute("DELETE FROM sessions WHERE id = 2")
    assert rescue.examine(path) == {"turns": 2, "memories": 1, "journal": 1}
    done = rescue.repair(path, "now")
    assert done.lost == {"turns": 1, "memories": 1, "memory_evidence": 1}
    assert done.mended == {"sessions": 1, "turns": 1, "journal": 1}
    assert done.damaged and done.aside
    assert all(text in done.aside.read_text() for text in ("when?", "x" * 3_000_000, "long " * 250_000))
    assert {stat.S_IMODE(file.stat().st_mode) for file in (path, done.aside)} == {0o600}
    with Store.open(path) as store:
        assert store.check() == []
        assert len(store.turns.get(7).text) == 1_000_000
        user = store.users.get("me")
        assert len(store.turns.of(2)) == 40 and store.sessions.get(2).title == "recovered"
        assert store.search(user.id, "nineteen cats and 2 boats").items
        assert store.facts.read(user.id, "SELECT count(*) FROM lines").rows == ((119,),)


def test_a_file_at_work_is_not_repaired(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(sound.read_bytes())
    with Store.open(path) as store, store.db.write(), pytest.raises(StoreLocked, match="in use"):
        rescue.repair(path, "now")
    assert [file.name for file in tmp_path.iterdir() if "damaged" in file.name] == []


def test_a_file_that_another_program_only_has_open_is_not_repaired(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(sound.read_bytes())
    holds = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); print(d.execute('SELECT 1 FROM turns').fetchone())"
    command = [sys.executable, "-c", f"{holds}; sys.stdout.flush(); input()", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout and other.stdout.readline()
        with pytest.raises(StoreLocked, match="in use by another program"):
            rescue.repair(path, "now")
        other.communicate(b"\n")
    assert [file.name for file in tmp_path.iterdir() if "damaged" in file.name] == []


def test_a_sound_database_is_left_as_it_is(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert shell("memory", "add", "Ana sails.").returncode == 0
    before, number = shell.db.read_bytes(), shell.db.stat().st_ino
    repaired = shell("doctor", "--repair", "--yes")
    assert repaired.returncode == 0 and "is damaged: it is as it was" in repaired.stderr
    assert shell.db.read_bytes() == before and shell.db.stat().st_ino == number
    assert [file.name for file in shell.db.parent.iterdir()] == ["chatmem.db"]


def test_a_full_disk_is_no_damage(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, key: object = None) -> sqlite3.Connection:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR
        raise error

    monkeypatch.setattr(rescue, "look", full)
    assert rescue.examine(sound) == {"users": 1}
    monkeypatch.setattr(rescue, "is_full", lambda path: True)
    with pytest.raises(StoreFull, match="the disk is full"):
        rescue.examine(sound)


def test_a_backup_of_a_database_at_work_comes_back(tmp_path: Path) -> None:
    shell, copy = Shell(tmp_path / "home"), tmp_path / "copy.db"
    flips.fill(shell.db)
    stop = threading.Event()

    def write() -> None:
        with Store.open(shell.db) as store:
            session = store.sessions.start(store.users.get("me").id)
            while not stop.is_set():
                store.turns.add(session.id, "Ana", "I go on talking.")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert shell("backup", str(copy)).returncode == 0
    finally:
        stop.set()
        writer.join()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    then = counts(copy)
    assert then["turns"] >= 120 and then["memories"] == 21
    with Store.open(shell.db) as store:
        store.forget.user(store.users.get("me").id)
    assert shell("backup", str(copy), "--restore", "--yes").returncode == 0
    assert counts(shell.db) == then
    assert shell("memory", "list").returncode == 0
    assert len(list(shell.db.parent.glob("*.before-restore-*"))) == 1


def test_a_backup_of_a_newer_form_changes_nothing(tmp_path: Path) -> None:
    shell, copy = Shell(tmp_path / "home"), tmp_path / "copy.db"
    flips.fill(shell.db, 6)
    before = counts(shell.db)
    assert shell("backup", str(copy)).returncode == 0
    with closing(sqlite3.connect(copy)) as db, db:
        db.execute("INSERT INTO migrations VALUES (1000, 'of the future', '2031-01-01T00:00:00Z')")
    assert "a newer chatmem made it: form 1000" in shell.fails("backup", str(copy), "--restore", "--yes")
    assert counts(shell.db) == before


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\x00" + bytes(5_000)])
def test_a_backup_that_is_none_changes_nothing(content: bytes, tmp_path: Path) -> None:
    shell, copy = Shell(tmp_path / "home"), tmp_path / "copy.db"
    flips.fill(shell.db, 6)
    copy.write_bytes(content)
    before = counts(shell.db)
    assert "no sound backup" in shell.fails("backup", str(copy), "--restore", "--yes")
    assert counts(shell.db) == before
    assert "is the database itself" in shell.fails("backup", str(shell.db))


def test_a_backup_leaves_links_and_pipes_what_they_are(shell: Shell, tmp_path: Path) -> None:
    assert shell("memory", "add", "Ana sails.").returncode == 0
    (tmp_path / "disk").mkdir()
    link, pipe = tmp_path / "copy.db", tmp_path / "pipe.db"
    link.symlink_to(tmp_path / "disk" / "copy.db")
    os.mkfifo(pipe)
    assert shell("backup", str(link)).returncode == 0
    assert link.is_symlink() and counts(tmp_path / "disk" / "copy.db")["memories"] == 1
    assert "no ordinary file" in shell.fails("backup", str(pipe), "--yes")
    assert pipe.is_fifo()


def test_what_is_refused_makes_no_database_and_what_comes_back_to_nothing_keeps_nothing(tmp_path: Path) -> None:
    shell, new, copy = Shell(tmp_path / "home"), Shell(tmp_path / "new"), tmp_path / "copy.db"
    flips.fill(shell.db, 6)
    assert shell("backup", str(copy)).returncode == 0
    assert shell("memory", "export", str(tmp_path / "e.json")).returncode == 0
    back, bring = ("backup", str(copy), "--restore"), ("memory", "import", str(tmp_path / "e.json"))
    assert "There is no database" in new.fails(*back)
    assert "no file" in new.fails("backup", str(tmp_path / "none.db"), "--restore", "--yes")
    assert "no file" in new.fails("memory", "import", str(tmp_path / "none.json"), "--yes")
    assert new(*bring).returncode == 1 and new(*bring, "--preview").returncode == 0
    assert not new.db.exists()
    told = new(*back, "--yes")
    assert told.returncode == 0 and "what was there" not in told.stderr
    assert counts(new.db) == counts(shell.db)
    assert [path.name for path in new.db.parent.iterdir()] == ["chatmem.db"] and not list(tmp_path.glob("copy.db-*"))
    new.db.unlink()
    new.db.with_name("chatmem.db-wal").write_bytes(b"of another database")
    assert "move it" in new.fails(*back, "--yes") and not new.db.exists()
    new.db.with_name("chatmem.db-wal").unlink()
    assert new(*bring, "--yes").returncode == 0 and new.db.exists()


def test_a_backup_on_a_disk_that_cannot_be_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell, copy = Shell(tmp_path / "home"), tmp_path / "disk" / "what? is #1.db"
    copy.parent.mkdir()
    flips.fill(shell.db, 6)
    assert shell("backup", str(copy)).returncode == 0
    before = sorted(copy.parent.iterdir())
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != copy.parent and may(path, mode))
    copy.with_name(f"{copy.name}-shm").mkdir()  # as on such a disk, SQLite can't make it
    assert shell("backup", str(copy), "--restore", "--yes").returncode == 0
    copy.with_name(f"{copy.name}-shm").rmdir()
    assert sorted(copy.parent.iterdir()) == before


def test_the_root_of_all_folders_is_no_database(shell: Shell) -> None:
    assert "is a folder" in shell.fails("--db", "/", "memory", "list")
    assert "is a folder" in shell.fails("--db", "/", "memory", "add", "Ana sails.", code=1)


def test_what_comes_back_and_what_is_written_is_on_the_disk_before_and_after_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell, new, copy = Shell(tmp_path / "home"), Shell(tmp_path / "new"), tmp_path / "copies" / "copy.db"
    flips.fill(shell.db, 6)
    copy.parent.mkdir()
    done: list[tuple[str, int]] = []
    sync, rename = os.fsync, os.replace

    def synced(handle: int) -> None:
        done.append(("sync", os.fstat(handle).st_ino))
        sync(handle)

    def renamed(old: str | Path, made: str | Path) -> None:
        done.append(("rename", os.stat(old).st_ino))
        rename(old, made)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    export = tmp_path / "copies" / "e.json"
    for command, path in (
        (("backup", str(copy)), copy), (("backup", str(copy), "--restore", "--yes"), new.db),
        (("memory", "export", str(export)), export),
    ):  # fmt: skip
        done.clear()
        assert (new if path == new.db else shell)(*command).returncode == 0
        file, folder = path.stat().st_ino, path.parent.stat().st_ino
        steps = [("sync", file), ("rename", file), ("sync", folder)]
        assert [done.index(step) for step in steps] == sorted(done.index(step) for step in steps), path
