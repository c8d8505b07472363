"""A session as Markdown: every letter that was said, and none of it markup; by the program and by a command."""

from __future__ import annotations

import html
import json
import re
import stat
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chatmem.app.config.settings import Settings
from chatmem.app.controller import Controller
from chatmem.app.shown import events as e
from chatmem.app.shown.talk_markdown import plain, talk_markdown
from chatmem.memory.store.store import Store
from chatmem.memory.values import Session, Turn
from tests.app.script import Script
from tests.app.test_cli import Shell

NOW = "2026-05-08T13:56:00Z"
PIECES = [*"*_`#<>[]()!|~$-+=.&\\{}:/ x1\n", "1. ", "- ", "    ", "&lt;", "```\n", "***", "http://x.de", "<b>", "$x$"]
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(HOSTILE)
@example("\n\n")
@example("\n x \n\n")
def test_what_was_said_is_shown_letter_for_letter(words: str) -> None:
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(plain(words))
    assert set(re.findall(r"<(\w+)", page)) <= {"p", "br"}
    told = html.unescape(re.sub(r"<br\s*/?>\n?", "\n", re.sub(r"</?p>", "", page)))
    assert [line.split() for line in told.splitlines() if line.split()] == [
        line.split() for line in words.splitlines() if line.split()
    ]


def test_a_session_tells_who_said_what_and_when() -> None:
    turns = [Turn(1, 1, 3, "Ana", "I have *two* cats.\nReally.", NOW), Turn(2, 1, 3, "assistant", "N", NOW, "stopped")]
    page = talk_markdown(Session(3, 1, "Cats # and dogs", NOW), turns)
    assert page.startswith("# Cats \\# and dogs\n\nSession 3 of 2026-05-08, 2 lines")
    assert "I have \\*two\\* cats.\\\nReally." in page
    assert re.search(r"\*\*Ana\*\*, 2026-05-08 \d\d:\d\d\n", page)
    assert "(stopped)" in page


def test_the_command_saves_the_session_once_and_asks_before_it_writes_over(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "chat.db")
    chat = Controller(lambda: store, Script(lambda: store), Settings())
    [refused] = chat.submit(f"/save {tmp_path / 'a.md'}")
    assert isinstance(refused, e.Failed) and "no session yet" in refused.text
    list(chat.submit("fact: I have *two* cats."))
    assert chat.wait(10)
    file = tmp_path / "a.md"
    [told] = chat.submit(f"/save {file}")
    assert told == e.Notice(f"Wrote 2 lines to {file}.")
    assert "I have \\*two\\* cats." in file.read_text() and "Nice to meet you." in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    [asked] = chat.submit(f"/save {file}")
    assert isinstance(asked, e.Asked)
    file.write_text("old")
    list(chat.submit(asked.command))
    assert "two" in file.read_text()
    for path in (tmp_path / "b.txt", tmp_path / "none" / "b.md"):
        [failed] = chat.submit(f"/save {path}")
        assert isinstance(failed, e.Failed) and not path.exists()
    chat.close()


@pytest.mark.parametrize("name", ["talk.md", "talk.json"])
def test_the_program_exports_a_session(name: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.db.parent.mkdir(parents=True)
    store = Store.open(shell.db)
    session = store.sessions.start(store.users.get("me").id, "Dogs")
    store.turns.add(session.id, "User", "I have *two* dogs.")
    store.sessions.start(store.users.get("ben").id, "Not mine")
    store.close()
    assert "I have \\*two\\* dogs." in shell("sessions", "export", "1").stdout
    assert json.loads(shell("sessions", "export", "1", "--format", "json").stdout)["turns"][0]["speaker"] == "User"
    file = tmp_path / name
    assert shell("sessions", "export", "1", str(file)).returncode == 0
    assert "dogs" in file.read_text()
    assert "--yes" in shell.fails("sessions", "export", "1", str(file))
    assert "no session 2" in shell.fails("sessions", "export", "2")
    assert "--format" in shell.fails("sessions", "export", "1", str(tmp_path / "talk.doc"), code=2)
