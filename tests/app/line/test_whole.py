"""At a terminal the whole memory goes by a typed word: a `y` comes by habit."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from chatmem.app.line.input import PipeLines
from chatmem.app.line.line_chat import Chat, TextView
from tests.app.conftest import Room
from tests.app.line.test_terminal import READY, Terminal


def test_the_whole_memory_goes_by_a_typed_word_alone(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    try:
        terminal.until(READY)
        terminal.type("fact: I stay.\r")
        terminal.until("+ I stay.")
        terminal.until(READY)
        terminal.type("forget everything\r")
        terminal.until("Type “everything” to do it")
        terminal.type("y\r")
        terminal.until("Nothing is done yet")
        terminal.type("fact: I stay, too.\r")
        terminal.until("+ I stay, too.")
        terminal.until(READY)
        terminal.type("forget everything\r")
        terminal.until("Type “everything” to do it")
        terminal.type("everything\r")
        terminal.until("Everything is forgotten")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    assert not terminal.turns()


def test_a_yes_given_beforehand_is_told_of_no_word_to_type(room: Room, capsys: pytest.CaptureFixture[str]) -> None:
    chat = Chat(room.chat, TextView("never", quiet=False, terminal=False), PipeLines(None), yes=True, wait=True)
    for line in ("fact: I stay.", "forget everything"):
        assert not chat._do(line)
    told = capsys.readouterr().out
    assert "Everything is forgotten" in told and "Type “everything”" not in told


def test_a_pipe_that_ends_with_a_yes_is_told_which_word_it_takes(
    room: Room, capsys: pytest.CaptureFixture[str]
) -> None:
    source = PipeLines(io.BytesIO(b"yes\n"))
    chat = Chat(room.chat, TextView("never", quiet=False, terminal=False), source, yes=False, wait=True)
    assert not chat._do("fact: I stay.") and not chat._do("forget everything")
    told = capsys.readouterr()
    assert "no line that is “everything” after it" in told.out + told.err
    assert len(room.store.facts.all(room.chat.user.id)) == 1
