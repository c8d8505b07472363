"""A database is encrypted, decrypted and given another key without a row lost, wherever that is cut short."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from chatmem.app.config import unlocking
from chatmem.memory.database import driver, keychain
from chatmem.memory.database.engine import raw
from chatmem.memory.database.key import Secret, new_secret, salt_of
from chatmem.memory.errors import InputError, Refused, StoreLocked, StoreSealed
from chatmem.memory.guard.sandbox import ReadLimits, run_read
from chatmem.memory.repair import encrypting
from chatmem.memory.repair.copies import backup, restore
from chatmem.memory.store.store import Store
from chatmem.memory.transfer.exchange import export_file, import_file, preview
from chatmem.memory.values import Verdict
from tests.clock import set_clock
from tests.effort import times
from tests.memory.lives import RAM

pytest.importorskip("sqlcipher3")
SECRET = Secret("pässword, and a long one")
FACT = "Ana's cat is called Zimbarella."


@pytest.fixture
def path() -> Iterator[Path]:
    with TemporaryDirectory(dir=RAM if RAM.is_dir() else None) as folder:
        yield Path(folder) / "a.db"


def filled(path: Path, secret: Secret | None = None) -> list[str]:
    with Store.open(path, secret=secret) as store:
        store.facts.remember(store.users.get("ana").id, "Ana", "cat", FACT)
    return facts(path, secret)


def facts(path: Path, secret: Secret | None) -> list[str]:
    with Store.open(path, secret=secret) as store:
        assert store.check() == []
        return [memory.fact for memory in store.facts.all(store.users.get("ana").id)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the tries are forks")
@pytest.mark.parametrize("links", [(), ("nolinks",)], ids=["links", "no links"])
def test_killed_at_any_line_the_old_or_the_new_one_is_whole_and_the_next_start_ends_it(
    path: Path, links: tuple[str, ...]
) -> None:  # fmt: skip
    script, every = Path(__file__).with_name("killed.py"), times(1, 3)
    command = [sys.executable, str(script), str(path.parent), str(every), *links]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.split()[0]) > (25 if links else 60) // every, "each line was tried"


def test_there_and_back_and_with_another_key(path: Path) -> None:
    known = filled(path)
    first, other = SECRET.new_key(), Secret("another passphrase").new_key()
    encrypting.change(path, None, first)
    assert salt_of(path) == first.salt and b"Zimbarella" not in path.read_bytes()
    assert facts(path, SECRET) == known and (path.stat().st_mode & 0o777) == 0o600
    encrypting.change(path, first, other)
    assert facts(path, Secret("another passphrase")) == known
    encrypting.change(path, other, None)
    assert facts(path, None) == known and [one.name for one in path.parent.iterdir()] == ["a.db"]


def test_a_wrong_key_changes_nothing_and_can_be_tried_again(path: Path) -> None:
    known = filled(path, SECRET)
    before = path.read_bytes()
    for wrong in (None, Secret("wrong")):
        with pytest.raises(StoreSealed) as told:
            Store.open(path, secret=wrong)
        assert "wrong" not in str(told.value) and told.value.exit_code == 2
    salt = salt_of(path)
    assert salt and not encrypting.opens(path, Secret("wrong").key(salt)) and path.read_bytes() == before
    with pytest.raises(StoreSealed):
        encrypting.change(path, Secret("wrong").key(salt), None)
    assert facts(path, SECRET) == known


def test_one_that_is_open_is_not_changed(path: Path) -> None:
    known = filled(path)
    with Store.open(path), pytest.raises(StoreLocked):
        encrypting.change(path, None, SECRET.new_key())
    holder = "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute('SELECT count(*) FROM users').fetchone(); "
    code = holder + "print(1, flush=True); sys.stdin.read()"
    with Store.open(path):
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )  # fmt: skip
        assert other.stdout is not None and other.stdout.readline()
    with pytest.raises(StoreLocked):
        encrypting.change(path, None, SECRET.new_key())
    other.communicate()
    encrypting.change(path, None, SECRET.new_key())
    assert facts(path, SECRET) == known


def test_a_change_can_be_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = filled(path)
    monkeypatch.setattr(encrypting, "_TICK", 10)
    set_clock(monkeypatch, encrypting, monotonic=iter(range(10**6)).__next__)

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encrypting.change(path, None, SECRET.new_key(), stop)
    assert [one.name for one in path.parent.iterdir()] == ["a.db"]
    assert facts(path, None) == known


def test_a_secret_is_never_taken_for_a_plain_file_and_is_shown_nowhere(path: Path) -> None:
    filled(path)
    with pytest.raises(Exception, match="not encrypted"):
        Store.open(path, secret=SECRET)
    key = SECRET.key(bytes(16))
    assert key.sql()[5:69] not in repr(key) + repr(SECRET) + str(SECRET) and "pässword" not in repr(SECRET)


def test_what_a_damaged_or_other_file_is(path: Path) -> None:
    filled(path)
    content = bytearray(path.read_bytes())
    content[3] ^= 0xFF
    path.write_bytes(content)
    assert salt_of(path) is None, "a damaged head is no salt"
    path.write_text("four thousand words of a diary that somebody called a.db " * 200)
    assert salt_of(path) is None
    path.write_bytes(b"")
    assert salt_of(path) is None


def test_model_written_sql_is_bounded_as_ever(path: Path) -> None:
    """Guard, authorizer, clock and limits hold on SQLCipher's connection as on SQLite's own."""
    with Store.open(path, secret=SECRET) as store:
        user = store.users.get("ana").id
        store.facts.remember(user, "Ana", "cat", FACT)
        store.facts.remember(user, "Ana", "long", "a long one " * 40)
        assert store.facts.read(user, "SELECT fact FROM memory WHERE fact LIKE '%cat is%'").rows == ((FACT,),)
        crossed = "".join(f", memory m{n}" for n in range(9))
        for sql, limits, reason in (
            ("SELECT fact FROM memory WHERE fact LIKE fact", ReadLimits(), "too complex"),  # as if the guard slept
            ("SELECT name FROM users", ReadLimits(), "not the memory"),
            (f"SELECT count(*) FROM memory{crossed}", ReadLimits(seconds=-1.0), "takes too long"),
        ):
            with store.db.read() as db, pytest.raises(Refused, match=reason):
                run_read(raw(db), user, Verdict(True, sql=sql), None, limits)


def test_backups_and_exports_are_encrypted_and_come_back(path: Path) -> None:
    known = filled(path, SECRET)
    folder = path.parent
    with Store.open(path, secret=SECRET) as store:
        user = store.users.get("ana").id
        backup(store, folder / "b.db")
        for name in ("e.json", "e.csv", "e.md", "e.db"):
            assert export_file(store, user, folder / name) and not (folder / name).exists()
        files = [folder / "b.db", *folder.glob("e.*")]
        assert len(files) == 5 and all(one.stat().st_mode & 0o777 == 0o600 for one in files)
        assert not [one for one in files if b"Zimbarella" in one.read_bytes() or salt_of(one) is None]
        other = store.users.get("ben").id
        assert import_file(store, other, folder / "e.csv.sealed").batch
        bea = store.users.get("bea").id
        assert preview(store, bea, folder / "e.json.sealed").restores
        export_file(store, user, folder / "p.json", plain=True)
        assert b"Zimbarella" in (folder / "p.json").read_bytes()
        restore(store, folder / "b.db", keep=folder / "kept.db")
        assert b"Zimbarella" not in (folder / "kept.db").read_bytes()
    assert facts(path, SECRET) == known
    filled(folder / "plain.db")
    with Store.open(folder / "plain.db") as store:
        backup(store, folder / "old.db")
    with Store.open(path, secret=SECRET) as store:  # a backup of before it was encrypted
        restore(store, folder / "old.db", keep=folder / "kept3.db")
    assert facts(path, SECRET) == [FACT] and not list(folder.glob(".*"))
    with Store.open(folder / "other.db", secret=Secret("another one")) as store:
        with pytest.raises(InputError, match="another memory"):
            preview(store, store.users.get("ana").id, folder / "e.json.sealed")
        with pytest.raises(InputError, match="another passphrase or key"):
            restore(store, folder / "b.db", keep=folder / "kept2.db")


def test_a_forget_looks_through_the_rows_and_through_encrypted_exports(path: Path) -> None:
    with Store.open(path, secret=SECRET) as store:
        user = store.users.get("ana")
        entry = store.facts.remember(user.id, "Ana", "cat", FACT)
        export_file(store, user.id, path.parent / "e.json")
        assert entry.memory_id is not None
        report = store.forget.carry_out(store.forget.plan(user.id, [entry.memory_id]))
        assert report.bytes_checked and report.searched[0] == "rows"
        assert report.exports == (str(path.parent / "e.json.sealed"),)


def test_the_keychain_is_a_real_one_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = pytest.importorskip("keyring")
    from keyring.backends import fail, null

    for makeshift in (fail.Keyring(), null.Keyring()):
        monkeypatch.setattr(keyring, "get_keyring", lambda makeshift=makeshift: makeshift)
        assert keychain.backend() is None and not keychain.keep(new_secret(), bytes(16))

    class Ring:
        def __init__(self) -> None:
            self.kept: dict[tuple[str, str], str] = {}

        def get_password(self, service: str, name: str) -> str | None:
            return self.kept.get((service, name))

        def set_password(self, service: str, name: str, words: str) -> None:
            self.kept[service, name] = words

        def delete_password(self, service: str, name: str) -> None:
            del self.kept[service, name]

    ring = Ring()
    monkeypatch.setattr(keyring, "get_keyring", lambda: ring)
    monkeypatch.setattr(keychain, "REAL", {Ring.__module__})
    made = new_secret()
    assert made.salt and keychain.keep(made, made.salt)
    secret, key, where = unlocking.for_new(Path("a.db"), {}, None)
    kept = keychain.secret_of(key.salt)
    assert where == "keychain" and kept and kept.key(key.salt).sql() == secret.new_key().sql() == key.sql()
    found = keychain.secret_of(made.salt)
    assert found and found.key(made.salt).sql() == made.new_key().sql()
    keychain.drop(made.salt)
    assert keychain.secret_of(made.salt) is None


def test_the_key_of_a_passphrase_is_sqlciphers_own(path: Path) -> None:
    filled(path, SECRET)
    db = driver.cipher().connect(str(path))
    db.execute("PRAGMA key = 'pässword, and a long one'")
    assert db.execute("SELECT fact FROM memories").fetchall() == [(FACT,)]
    db.close()


def test_without_sqlcipher_nothing_is_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlcipher3", None)
    monkeypatch.setitem(sys.modules, "sqlcipher3.dbapi2", None)
    driver.cipher.cache_clear()
    with pytest.raises(InputError, match="pip install"):
        Store.open(path, secret=SECRET)
    assert not path.exists() or not path.stat().st_size
    driver.cipher.cache_clear()


def test_many_threads_make_a_key_once() -> None:
    secret, keys = Secret("x'" + "ab" * 32 + "'"), set()
    threads = [threading.Thread(target=lambda: keys.add(id(secret.key(bytes(16))))) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(keys) == 1
