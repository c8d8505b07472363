"""What is typed at the question before something is erased, and answers it by neither yes nor no."""

from __future__ import annotations

from pathlib import Path

from tests.app.line.test_terminal import READY, Terminal


def test_a_command_typed_at_a_question_is_carried_out_once_it_is_told_that_nothing_was_erased(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    try:
        terminal.until(READY)
        terminal.type("fact: I stay.\r")
        terminal.until("+ I stay.")
        terminal.until(READY)
        terminal.type("/forget 1\r")
        terminal.until("--keep-lines [y/N]")
        terminal.type("/forget 1 --keep-lines\r")
        terminal.until("Nothing was erased; all stays as it was.")
        terminal.until("Erase these facts for good, and keep what was said?")
        terminal.until("[y/N]")
        terminal.type("y\r")
        terminal.until("Forgotten: 1 row")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()


def test_half_an_answer_is_asked_on_in_place_and_kept_nowhere(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    try:
        terminal.until(READY)
        terminal.type("fact: I stay.\r")
        terminal.until("+ I stay.")
        terminal.until(READY)
        terminal.type("/forget 1\r")
        terminal.until("--keep-lines [y/N]")
        terminal.type("hm, maybe\r")
        terminal.until("the question stands: “yes” erases it, “no” keeps it.")
        terminal.type("what would go?\r")
        terminal.until("#1  I stay.")
        terminal.until("keeps it.")
        terminal.type("yes\r")
        terminal.until("Forgotten: 1 row")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()
