"""Laws of the chat over many cases: incognito, stopping, users, crashes."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem.app.shown import events as e
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT
from tests.app.conftest import Room, open_room
from tests.effort import times

FEW = settings(max_examples=times(6, 3), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
PROGRAM = Path(__file__).with_name("scripted_main.py")
COMMANDS = """hello|fact: I like tea.|my name is Ana|/remember I sail.|/undo|/memory|/forget 1 --yes|reset|/reset --yes
/regenerate|/edit fact: no|/sql --write DELETE FROM memory WHERE id = 1|/new|/why|/sessions|/stats
/export /nowhere/x.json|sql: DELETE FROM memory WHERE id = 1;|/pin 1|/model other""".replace("\n", "|").split("|")
LINES = st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=8)


def bytes_of(path: Path) -> dict[str, str]:
    """What is on the disk, WAL and all (not the shared-memory index, which holds no data)."""
    files = [file for file in path.parent.iterdir() if not file.name.endswith("-shm")]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@FEW
@given(lines=LINES)
def test_incognito_changes_no_byte(lines: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        room = open_room(Path(folder) / "chat.db")
        room.say("fact: I live in Graz.")
        room.say("/incognito on")
        before, asked = bytes_of(room.path), len(room.script.asked)
        room.say(*lines)
        assert bytes_of(room.path) == before
        assert all(recall.items == () for _, recall, _ in room.script.asked[asked:])
        assert all(turn.id == 0 for *_, recent in room.script.asked[asked:] for turn in recent)
        assert len(room.script.stored) == 1
        room.say("/incognito off", "and now?")
        assert room.script.asked[-1][2] == ()
        assert room.script.asked[-1][1].items
        room.chat.close()


@FEW
@given(stop_at=st.integers(0, 12), delay=st.sampled_from([0.0, 0.03, 0.1]))
def test_a_reply_stopped_anywhere_leaves_a_whole_session(stop_at: int, delay: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        room = open_room(Path(folder) / "chat.db")
        room.script.words, room.script.delay = [f"w{n} " for n in range(8)], delay
        shown, last = "", None
        for count, event in enumerate(room.chat.submit("fact: I have a dog.")):
            shown += event.text if isinstance(event, e.ReplyChunk) else ""
            last = event
            if count == stop_at:
                room.chat.stop()
        assert room.chat.wait(10)
        assert room.chat.session is not None
        turns = room.store.turns.of(room.chat.session.id)
        replies = [turn for turn in turns if turn.speaker == ASSISTANT]
        assert isinstance(last, (e.ReplyStopped, e.ReplyFinished))
        assert [turn.text for turn in replies] == ([shown] if shown else [])
        assert all(turn.status == ("stopped" if isinstance(last, e.ReplyStopped) else "complete") for turn in replies)
        assert [memory.fact for memory in room.store.facts.all(room.chat.user.id)] == ["I have a dog."]
        assert "reply_finished" in [e.name_of(event) for event in room.say("go on")]
        room.chat.close()


@FEW
@given(talk=st.lists(st.tuples(st.sampled_from(["ana", "ben", "cleo"]), st.integers(0, 99)), min_size=1, max_size=8))
def test_a_user_sees_their_own_rows_and_no_other(talk: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        room = open_room(Path(folder) / "chat.db")
        for name, number in talk:
            events = room.say(
                f"/user {name}", f"fact: {name} has the number {number}.", "/memory", "/sql SELECT fact FROM memory"
            )
            for event in events:
                if isinstance(event, e.MemoriesListed):
                    assert all(memory.fact.startswith(name) for memory in event.memories)
                if isinstance(event, e.Listed):
                    assert all(row[0].startswith(name) for row in event.rows)
                if isinstance(event, e.MemoryWritten):
                    assert all(entry.user_id == room.chat.user.id for entry in event.entries)
            assert all(item.memory.fact.startswith(name) for item in room.script.asked[-1][1].items if item.memory)
        room.chat.close()


def test_every_chip_is_a_committed_row_while_another_reader_looks(room: Room) -> None:
    """The chip comes after the commit: a connection of its own sees the row at once."""
    seen: list[bool] = []

    def look(event: e.Event) -> None:
        if isinstance(event, e.MemoryWritten):
            with sqlite3.connect(room.path) as db:
                ids = {row[0] for row in db.execute("SELECT id FROM journal")}
            db.close()
            seen.extend(entry.id in ids for entry in event.entries)

    room.chat.subscribe(look)
    room.say(*(f"fact: I have {n} boats." for n in range(5)))
    assert seen == [True] * 5


@pytest.mark.parametrize("seed", range(times(2, 1)))
def test_kill_9_loses_nothing_that_was_shown(tmp_path: Path, seed: int) -> None:
    env = {**os.environ, "CHATMEM_HOME": str(tmp_path), "SCRIPT_DELAY": "0.02", "SCRIPT_WORDS": "40"}
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), "chat"],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin and process.stdout
    process.stdin.write(b"fact: I was here.\nand more\nand more\n")
    process.stdin.flush()
    os.set_blocking(process.stdout.fileno(), False)
    shown, give_up = b"", time.monotonic() + 30
    wanted = random.Random(seed).randint(1, 700)
    while len(shown) < wanted and time.monotonic() < give_up:
        shown += process.stdout.read() or b""
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    shown += process.stdout.read() or b""
    process.wait()
    process.stdin.close()
    process.stdout.close()
    with Store.open(tmp_path / "data" / "chatmem.db") as store:
        user = store.users.get("me")
        text = "".join(turn.text for session in store.sessions.all(user.id) for turn in store.turns.of(session.id))
        facts = [memory.fact for memory in store.facts.all(user.id)]
        assert store.check() == []
        for line in shown.decode().splitlines():
            assert any(fact in line for fact in facts) if line.startswith("  + ") else line in text
        assert shown
