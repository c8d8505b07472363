"""What a chat says that a Ctrl+C ends in a pipe: how much is kept, and how much was never taken."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext

import pytest

from chatmem.app.line.input import PipeLines, TerminalLines
from chatmem.app.line.line_chat import Chat, TextView
from chatmem.app.shown.events import SessionEnded
from chatmem.app.shown.render import lines
from chatmem.memory.values import Turn, User, WriteResult
from tests.app.conftest import Room

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a signal to oneself ends a process there")


def _left(room: Room, monkeypatch: pytest.MonkeyPatch, *, fails: bool = False) -> None:
    """A chat that is interrupted while its first line is being remembered; two lines and half a one wait behind it."""
    store_line = room.script.run

    def interrupted(turns: Sequence[Turn], user: User) -> WriteResult:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)
        room.script.storage_fails = "no model" if fails else None
        return store_line(turns, user)

    monkeypatch.setattr(room.script, "run", interrupted)
    end, begin = os.pipe()
    os.write(begin, b"fact: Ana has a cat.\nfact: Ana has a van.\n\nfact: Ana h")
    with os.fdopen(end, "rb") as stream:
        chat = Chat(room.chat, TextView("never", quiet=False, terminal=False), PipeLines(stream), yes=False, wait=True)
        try:
            assert chat.run(None) == 130
        finally:
            os.close(begin)


def test_what_came_to_its_end_meanwhile_is_not_told_as_kept(
    room: Room, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _left(room, monkeypatch)
    assert [one.fact for one in room.store.facts.all(room.chat.user.id)] == ["Ana has a cat."]
    told = capsys.readouterr().err
    assert "Bye." in told and "kept and will" not in told
    assert "2 lines of the input were not taken" in told


def test_what_still_waits_is_told(
    room: Room, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _left(room, monkeypatch, fails=True)
    assert len(room.store.queue.pending(room.chat.user.id)) == 1
    assert "1 line is kept and will be remembered at the next start." in capsys.readouterr().err


def test_a_line_that_was_read_and_not_kept_is_told(
    room: Room, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(text: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)

    monkeypatch.setattr(room.chat, "submit", interrupted)
    end, begin = os.pipe()
    os.write(begin, b"fact: Ana has a cat.\n")
    os.close(begin)
    with os.fdopen(end, "rb") as stream:
        view = TextView("never", quiet=False, terminal=False)
        assert Chat(room.chat, view, PipeLines(stream), yes=False, wait=True).run(None) == 130
    assert "1 line of the input was not taken" in capsys.readouterr().err


def test_a_line_that_was_typed_and_not_kept_is_told(
    room: Room, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(text: str) -> None:  # as while it is read for a wish to forget, before it is kept
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)

    monkeypatch.setattr(room.chat, "submit", interrupted)
    source = TerminalLines(lambda: None)
    monkeypatch.setattr(source, "_next", lambda: "fact: Ana has a cat.")
    monkeypatch.setattr(source, "quiet", nullcontext)  # no terminal is here
    view = TextView("never", quiet=False, terminal=False)
    assert Chat(room.chat, view, source, yes=False, wait=False).run(None) == 130
    assert "Your last line was not taken" in capsys.readouterr().err
    source.seen(SessionEnded(1))
    assert source.untaken() == ""


def test_many_lines_are_kept_and_none_is_not_told() -> None:
    assert [text for text, _ in lines(SessionEnded(1, 2))][1:] == [
        "2 lines are kept and will be remembered at the next start."
    ]
    assert [text for text, _ in lines(SessionEnded(1, 0))] == ["Bye."]


def test_a_pipe_that_is_read_to_its_end_leaves_nothing() -> None:
    end, begin = os.pipe()
    os.write(begin, b"one\n")
    with os.fdopen(end, "rb") as stream:
        source = PipeLines(stream)
        assert source.read() == "one\n"
        assert source.untaken().startswith("1 line of the input"), "it was interrupted before anything came of it"
        source.seen(SessionEnded(1))
        assert source.untaken() == "", "whoever writes it may still write"
        os.write(begin, b"two\n")
        assert source.untaken().startswith("1 line of the input was not taken")
        os.close(begin)
        assert source.untaken() == ""
