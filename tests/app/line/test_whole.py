"""At a terminal the whole memory goes by a typed word: a `y` comes by habit."""

from __future__ import annotations

from pathlib import Path

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
