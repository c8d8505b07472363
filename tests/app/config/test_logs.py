"""What was said stands in no log, and nothing that chatmem writes is for others to read."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

import pytest

from chatmem.app.config.failures import explain
from chatmem.app.config.logs import log_to, told
from chatmem.app.config.paths import find_paths
from chatmem.memory.errors import NotFound
from chatmem.memory.store.store import Store
from tests.app.shell import Shell

SECRET = "my PIN is 4711 and Zoë knows"
TRIGGER = "CREATE TRIGGER broken BEFORE INSERT ON turns BEGIN SELECT RAISE(FAIL, 'broken'); END"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_failing_insert_tells_no_log_what_was_said(tmp_path: Path) -> None:
    environ = {"CHATMEM_HOME": str(tmp_path)}
    log_to(find_paths(environ))
    with Store.open(tmp_path / "data" / "chatmem.db") as store:
        session = store.sessions.start(store.users.get("me").id)
        with store.db.write() as db:
            db.exec_driver_sql(TRIGGER)
        with pytest.raises(Exception, match="broken") as caught:
            store.turns.add(session.id, "Ana", SECRET)
    assert "4711" not in str(caught.value), "SQLAlchemy hides the parameters"
    sentence, _ = explain(caught.value, ["chat", SECRET], environ)
    assert "4711" not in sentence
    try:
        raise KeyError(SECRET) from ValueError(SECRET)
    except KeyError:
        logging.getLogger("chatmem.app.chat.worker").exception("storing turn %s failed", 3)
    log = find_paths(environ).log
    content = log.read_text()
    assert "sqlite3.IntegrityError" in content and "conversations.py" in content and "builtins.KeyError" in content
    assert "4711" not in content and "PIN" not in content
    assert mode(log) == 0o600


def test_a_log_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    environ = {"CHATMEM_HOME": str(tmp_path)}
    log = find_paths(environ).log
    log.parent.mkdir(parents=True)
    log.write_text("older\n")
    log.chmod(0o644)
    explain(RuntimeError(SECRET), ["chat"], environ)
    assert mode(log) == 0o600 and log.read_text().startswith("older")
    assert "4711" not in log.read_text()


def test_what_is_told_of_an_error_ends_where_causes_go_in_circles() -> None:
    first, second = ValueError("a"), KeyError("b")
    first.__cause__, second.__cause__ = second, first
    assert told(first).count("builtins.") == 2


def test_all_files_are_their_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        shell = Shell(tmp_path / "home")
        assert shell("memory", "add", "Ana has a boat.").returncode == 0
        for name in ("out.json", "out.csv", "out.md", "out.db"):
            assert shell("memory", "export", str(tmp_path / name)).returncode == 0
        assert shell("backup", str(tmp_path / "copy.db")).returncode == 0
    finally:
        os.umask(before)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 6
    assert {path.name: oct(mode(path)) for path in files if mode(path) != 0o600} == {}


def test_a_command_to_type_is_named_at_a_terminal_alone() -> None:
    error = NotFound("there is no memory 7", "list them with `chatmem memory list`")
    assert explain(error, ["memory"], {}) == ("there is no memory 7: list them with `chatmem memory list`.", 1)
    assert str(error) == "there is no memory 7."
    assert str(NotFound("No such file; check the path.")) == "No such file; check the path."
