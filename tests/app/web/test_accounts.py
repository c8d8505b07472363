"""Who may sign in: passwords are kept as hashes, the file is private, and a page for everybody near needs one."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.app.admin.accounts import Accounts, add
from chatmem.app.admin.passwords import hashed, matches
from chatmem.app.web.gate.origin import Address
from chatmem.app.web.server import check
from chatmem.memory.errors import InputError, NotFound, SettingsError
from tests.effort import times

ROOT = Path(__file__).resolve().parents[3]
PASSWORDS = st.text(st.characters(exclude_categories=("Cs",)), min_size=8, max_size=40)


@settings(max_examples=times(5, 2), deadline=None)
@given(PASSWORDS, PASSWORDS)
def test_only_the_password_itself_matches(password: str, other: str) -> None:
    kept = hashed(password)
    assert password not in kept
    assert matches(password, kept)
    assert kept != hashed(password)
    if matches(other, kept):
        import unicodedata

        assert unicodedata.normalize("NFKC", other) == unicodedata.normalize("NFKC", password)


@pytest.mark.parametrize("kept", ["", "plain", "scrypt$1$2", "md5$1$1$1$AA==$AA==", "scrypt$3$8$1$AA==$AA=="])
def test_a_broken_hash_lets_nobody_in(kept: str) -> None:
    assert not matches("password", kept)


def test_the_file_is_private_and_holds_no_password(tmp_path: Path) -> None:
    path = tmp_path / "users.json"
    assert add(path, "ana", "correct horse")
    assert add(path, "ben", "battery staple")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "horse" not in path.read_text()
    assert set(json.loads(path.read_text())["users"]) == {"ana", "ben"}
    with pytest.raises(InputError, match="--replace"):
        add(path, "ana", "another one")
    assert not add(path, "ana", "another one", replace=True)
    accounts = Accounts(path)
    assert accounts.allows("ana", "another one")
    assert not accounts.allows("ana", "correct horse")
    assert not accounts.allows("nobody", "correct horse")


def test_who_is_taken_out_of_the_file_is_out_at_once(tmp_path: Path) -> None:
    path = tmp_path / "users.json"
    add(path, "ana", "correct horse")
    add(path, "ben", "battery staple")
    accounts = Accounts(path)
    users = json.loads(path.read_text())["users"]
    (tmp_path / "new").write_text(json.dumps({"users": {"ben": users["ben"]}}))
    (tmp_path / "new").replace(path)
    assert not accounts.knows("ana")
    assert accounts.knows("ben")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"users": []}', '{"users": {"ana": 1}}', '{"users": {}}'])
def test_a_file_without_users_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "users.json"
    path.write_text(text)
    with pytest.raises(SettingsError, match="adduser"):
        Accounts(path)
    with pytest.raises(NotFound, match="adduser"):
        Accounts(tmp_path / "none.json")
    with pytest.raises(InputError, match="is a folder; name a file"):
        Accounts(tmp_path)


def test_without_users_the_page_stays_on_this_machine(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "::", "192.168.1.5", "example.org"):
        with pytest.raises(SettingsError, match="--auth"):
            check(Address(host), None)
    for host in ("127.0.0.1", "localhost", "::1", "127.0.0.2"):
        assert check(Address(host), None) is None
    add(tmp_path / "users.json", "ana", "correct horse")
    assert check(Address("0.0.0.0"), tmp_path / "users.json") is not None


def test_a_page_for_others_asks_for_a_password(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--auth"):
        check(Address(names=("chat.example",)), None)
    named = run(tmp_path, "--name", "chat.example")
    assert named.returncode == 2 and "--auth" in named.stderr
    add(tmp_path / "users.json", "ana", "correct horse")
    assert check(Address(names=("chat.example",)), tmp_path / "users.json") is not None


def run(tmp_path: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "CHATMEM_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "chatmem", "web", *words]
    return subprocess.run(command, input=typed, capture_output=True, text=True, env=env, cwd=tmp_path)


def test_adduser_and_the_refusal_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "users.json"
    done = run(tmp_path, "adduser", str(path), "ana", typed="correct horse\n")
    assert (done.returncode, done.stdout) == (0, "")
    assert Accounts(path).allows("ana", "correct horse")
    short = run(tmp_path, "adduser", str(path), "ben", typed="short\n")
    assert short.returncode == 1 and "8 characters" in short.stderr
    open_to_all = run(tmp_path, "--host", "0.0.0.0")
    assert open_to_all.returncode == 2 and "--auth" in open_to_all.stderr
    assert not (tmp_path / "data").exists()
