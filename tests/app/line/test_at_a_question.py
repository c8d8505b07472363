"""What is typed at the question before something is erased, and answers it by neither yes nor no."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chatmem.app.line.input import TerminalLines
from chatmem.app.shown import events as e
from chatmem.app.shown.forgetting import question
from chatmem.memory.values import ForgetPlan
from tests.app.line.test_long_question import FACTS
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


def test_an_arrow_key_at_a_question_is_no_part_of_the_answer(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    try:
        terminal.until(READY)
        terminal.type("fact: I stay.\r")
        terminal.until("+ I stay.")
        terminal.until(READY)
        terminal.type("/forget 1\r")
        terminal.until("--keep-lines [y/N]")
        terminal.type("\x1b[Ayes\r")
        terminal.until("Forgotten: 1 row")
        terminal.until(READY)
        terminal.type("\x1b[200~my cat is \x1b[31mRed\x1b[0m\x1b[201~\r")
        terminal.until("word3")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    assert [turn.text for turn in terminal.turns()][-2] == "my cat is Red"
    assert "\x1b" not in (tmp_path / "state" / "history" / "me").read_text()


def test_all_is_seen_after_half_an_answer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = tuple(replace(FACTS[0], id=number, fact=f"User has boat {number}.") for number in range(1, 60))
    plan = ForgetPlan(1, facts)
    asked = e.Asked(question(plan, "/forget 1 "), "/forget 1 --yes", plan)
    said, shown = iter(["hm, maybe", "all", "yes"]), list[str]()
    lines = TerminalLines.__new__(TerminalLines)
    monkeypatch.setattr(lines, "_loud", lambda: None, raising=False)
    monkeypatch.setattr(lines, "_hush", lambda: None, raising=False)
    monkeypatch.setattr(lines, "_answer", lambda text: (shown.append(text), next(said))[1], raising=False)
    assert lines.confirm(asked) is True
    assert "boat 59." not in shown[0] + shown[1] and "boat 59." in shown[2]
