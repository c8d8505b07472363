"""No name that came with a file drives the terminal: not in the window's preview, not through a pipe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatmem.app.context import put, put_json
from chatmem.app.tui.panels.sessions import preview
from chatmem.memory.store.store import Store
from chatmem.memory.values import Turn
from tests.app.shell import Shell

ESCAPES = "Ana\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"


def test_the_window_s_preview_shows_a_speaker_s_name_and_runs_none() -> None:
    text = preview([Turn(1, 1, 1, ESCAPES, f"hello {ESCAPES}", "2026-05-08T10:00:00Z")], "").plain
    assert text.replace("\n", "").isprintable() and "Ana]0;owned" in text and "hello" in text


def test_what_is_piped_holds_no_escapes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    put(ESCAPES)
    assert capsys.readouterr().out.strip().isprintable()
    put_json({"name": ESCAPES})
    out = capsys.readouterr().out
    assert out.replace("\n", "").isprintable() and json.loads(out) == {"name": ESCAPES}
    shell = Shell(tmp_path)
    with Store.open(shell.db) as store:
        session = store.sessions.start(store.users.get("me").id)
        turn = store.turns.add(session.id, "Ana", f"hello {ESCAPES}")
        with store.db.write() as db:  # as an older version imported it
            db.exec_driver_sql("UPDATE turns SET speaker = ? WHERE id = ?", (ESCAPES, turn.id))
    for words in (("sessions", "show", "1"), ("sessions", "search", "hello"), ("sql", "SELECT * FROM lines")):
        done = shell(*words)
        assert done.returncode == 0
        assert "".join(done.stdout.split("\n")).replace("\t", "").isprintable(), words
