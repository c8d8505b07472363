"""The chat at a real (pseudo) terminal: Ctrl+C in the middle of a reply, history, multi-line input, colours."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.app.line.thinking import ERASE, FRAMES
from chatmem.memory.store.store import Store
from chatmem.memory.values import Turn
from tests.app import warm

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")
COLOURS = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38;[25];[\d;]+)m")
HOW = "Ctrl+C again leaves"
WIPED = "\x1b[K"
READY = ">\x08"
"""The prompt, as prompt_toolkit draws it."""


class Terminal:
    """A chat on the other side of a pseudo terminal."""

    def __init__(self, home: Path, *words: str, **env: str) -> None:
        self.home, self.seen, self._at = home, "", 0
        self._master, slave = pty.openpty()
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("CHATMEM", "NO_COLOR"))}
        keep |= {"CHATMEM_HOME": str(home), "TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"}
        command = [*warm.command(), "chat", *words]
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env=keep | env
        )
        os.close(slave)

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def until(self, text: str, seconds: float = 60) -> None:
        """Waits until `text` comes up after what was waited for before."""
        end = time.monotonic() + seconds
        while (found := ESCAPES.sub("", self.seen).find(text, self._at)) < 0:
            assert time.monotonic() < end, f"no {text!r} after {self._at} in {self.seen!r}"
            self._read()
        self._at = found + len(text)

    def loses(self, text: str) -> None:
        """Waits until what came up last is wiped off again."""
        end = time.monotonic() + 60
        while WIPED not in self.seen.rpartition(text)[2]:
            assert time.monotonic() < end, f"{text!r} stays in {self.seen!r}"
            self._read()

    def _read(self) -> None:
        if select.select([self._master], [], [], 0.2)[0]:
            with contextlib.suppress(OSError):  # the other side is gone
                self.seen += os.read(self._master, 65536).decode(errors="replace")

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def ended(self) -> int:
        end = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < end:
            self._read()
        assert self.process.poll() is not None, self.seen[-1500:]
        return self.process.wait()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)

    def turns(self) -> list[Turn]:
        with Store.open(self.home / "data" / "chatmem.db") as store:
            return [
                turn for session in store.sessions.all(store.users.get("me").id) for turn in store.turns.of(session.id)
            ]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path


def test_ctrl_c_stops_the_reply_and_keeps_it_and_two_more_leave(home: Path) -> None:
    terminal = Terminal(home, SCRIPT_WORDS="200", SCRIPT_DELAY="0.1")
    try:
        terminal.until(READY)
        terminal.type("tell me everything\r")
        terminal.until("word5")
        terminal.interrupt()
        terminal.until("what you see is kept")
        terminal.until(READY)
        assert terminal.process.poll() is None
        terminal.type("\x03")
        terminal.until(HOW)
        assert terminal.process.poll() is None
        terminal.type("\x03\x03")  # on a busy machine the first of these may come too late to be the second
        assert terminal.ended() == 130
    finally:
        terminal.close()
    line, reply = terminal.turns()
    assert (line.text, reply.status) == ("tell me everything", "stopped")
    assert reply.text.startswith("word0 word1 word2")
    assert "word150" not in reply.text


def test_ctrl_c_empties_a_line_that_was_begun_before_it_leaves(home: Path) -> None:
    terminal = Terminal(home)
    try:
        terminal.until(READY)
        terminal.type("my secret")
        terminal.until("my secret")
        terminal.type("\x03fact: I sail.\r")
        terminal.until("+ I sail.")
        assert next(turn.text for turn in terminal.turns()) == "fact: I sail."
        terminal.type("\x03\x03")
        assert terminal.ended() == 130
    finally:
        terminal.close()


def test_two_presses_of_ctrl_c_far_apart_do_not_leave(home: Path) -> None:
    terminal = Terminal(home, SCRIPT_AGAIN="0.3")
    try:
        terminal.until(READY)
        for _ in range(2):
            terminal.type("\x03")
            terminal.until(HOW)
            terminal.loses(HOW)  # the moment is over
        terminal.type("fact: I stay.\r")
        terminal.until("+ I stay.")
        terminal.type("\x04")
        assert terminal.ended() == 0
    finally:
        terminal.close()


def test_a_hasty_second_ctrl_c_after_a_stopped_reply_does_not_leave(home: Path) -> None:
    terminal = Terminal(home, SCRIPT_WORDS="200", SCRIPT_DELAY="0.1")
    try:
        terminal.until(READY)
        terminal.type("tell me everything\r")
        terminal.until("word5")
        terminal.interrupt()
        time.sleep(0.05)
        terminal.interrupt()
        terminal.until("what you see is kept")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()


def test_ctrl_c_at_a_question_is_no(home: Path) -> None:
    terminal = Terminal(home)
    try:
        terminal.until(READY)
        terminal.type("fact: I stay.\r")
        terminal.until("+ I stay.")
        terminal.until(READY)
        terminal.type("reset\r")
        terminal.until("[y/N]")
        terminal.interrupt()
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    assert terminal.turns()[0].text == "fact: I stay."


def test_a_line_that_is_no_answer_is_told_how_to_be_asked_again_and_is_not_lost(home: Path) -> None:
    terminal = Terminal(home)
    try:
        terminal.until(READY)
        terminal.type("reset\r")
        terminal.until("[y/N]")
        terminal.type("fact: I stay.\r")
        terminal.until("To be asked again: /reset")
        terminal.until("+ I stay.")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()


def told(home: Path, *lines: str) -> None:
    """A chat in which these lines were typed."""
    terminal = Terminal(home)
    try:
        for line in lines:
            terminal.until(READY)
            terminal.type(f"{line}\r")
            terminal.until("word3")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()


def test_ctrl_r_finds_a_line_and_enter_runs_it(home: Path) -> None:
    told(home, "I like red boats", "I like blue boats", "I like green trees")
    terminal = Terminal(home)
    try:
        terminal.until(READY)
        terminal.type("\x12boats")
        terminal.until("blue boats")
        terminal.type("\x12")
        terminal.until("red")
        terminal.type("\r")
        terminal.until("word3")
        terminal.until(READY)
        terminal.type("\x12green\x05 and birds\r")
        terminal.until("word3")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    assert [turn.text for turn in terminal.turns() if turn.speaker == "User"][:2] == [
        "I like red boats", "I like green trees and birds",
    ]  # fmt: skip


@pytest.mark.parametrize("key", ["\x03", "\x07"])
def test_a_search_that_is_left_leaves_the_line_as_it_was(home: Path, key: str) -> None:
    told(home, "I like red boats", "I like blue boats")
    terminal = Terminal(home)
    try:
        terminal.until(READY)
        terminal.type("fact: I swim")
        terminal.until("I swim")
        terminal.type("\x12boats\x12")
        terminal.until("red")
        terminal.type(f"{key} daily.\r")
        terminal.until("+ I swim daily.")
        terminal.until(READY)
        terminal.type("fact: kept\x12nothing like this\r")
        terminal.type(" so.\r")
        terminal.until("+ kept so.")
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()


def test_a_sign_of_thinking_comes_and_goes_at_a_terminal_alone(home: Path) -> None:
    terminal = Terminal(home, SCRIPT_DELAY="0.5")
    try:
        terminal.until(READY)
        terminal.type("hello\r")
        terminal.until("word3")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    drawn, _, after = terminal.seen.partition("word0")
    sign = drawn.rfind(FRAMES[0])
    assert sign > 0
    assert ERASE in drawn[sign:], "nothing of it stands before the reply"
    assert not set(FRAMES) & set(after)


def test_what_is_typed_during_a_reply_is_the_next_line(home: Path) -> None:
    terminal = Terminal(home, SCRIPT_WORDS="10", SCRIPT_DELAY="0.2")
    try:
        terminal.until(READY)
        terminal.type("go on\r")
        terminal.until("word2")
        terminal.type("fact: typed ahead\rbye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    assert [turn.text for turn in terminal.turns() if turn.speaker == "User"] == ["go on", "fact: typed ahead"]
    assert "word3 word4" in ESCAPES.sub("", terminal.seen), "the keys were echoed into the reply"


def test_several_lines_history_and_bye(home: Path) -> None:
    terminal = Terminal(home)
    try:
        terminal.until(READY)
        terminal.type("fact: first\nsecond\r")
        terminal.until("+ first second")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    assert terminal.turns()[0].text == "fact: first\nsecond"
    again = Terminal(home)
    try:
        again.until(READY)
        again.type("\x1b[A\x1b[A\r")
        again.until("word3")
        again.until(READY)
        again.type("\x04")
        assert again.ended() == 0
    finally:
        again.close()
    assert [turn.text for turn in again.turns() if turn.speaker == "User"] == ["fact: first\nsecond"] * 2


def test_reset_asks_and_takes_the_typed_lines_along(home: Path) -> None:
    terminal = Terminal(home, NO_COLOR="1")
    try:
        terminal.until(READY)
        terminal.type("fact: my secret\r")
        terminal.until("+ my secret")
        terminal.until(READY)
        terminal.type("reset\r")
        terminal.until("[y/N]")
        terminal.type("n\r")
        terminal.until(READY)
        terminal.type("reset\r")
        terminal.until("[y/N]")
        terminal.type("y\r")
        terminal.until("Everything is forgotten")
        assert not COLOURS.search(terminal.seen), "NO_COLOR is set"
        terminal.until(READY)
        terminal.type("/incognito\r")
        terminal.until(READY)
        terminal.type("whispered\r")
        terminal.until("word3")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    assert terminal.turns() == []
    kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"my secret" not in kept
    assert b"whispered" not in kept


def test_enter_typed_while_a_line_is_shown_above_the_prompt_sends(home: Path) -> None:
    terminal = Terminal(home)
    try:
        for number in range(12):
            terminal.until(READY)
            terminal.type(f"fact: I have {number} cats.\r")
            terminal.until("cats.  #")  # the chip is on its way to the screen, above the prompt
            terminal.type("/help\r" if number % 2 else "hello\r")
            terminal.until("bye" if number % 2 else "word3")
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()


def test_a_line_is_written_in_an_editor(home: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho opened\nread -r word\nprintf \'I like %s\' "$word" >"$1"\n')
    editor.chmod(0o700)
    terminal = Terminal(home, EDITOR=shlex.quote(str(editor)), VISUAL="")
    try:
        terminal.until(READY)
        terminal.type("\x18\x05")
        terminal.until("opened")
        terminal.type("green tea\n")  # a cooked terminal: the editor reads a line
        terminal.until("word3")
        terminal.until(READY)
        terminal.type("bye\r")
        assert terminal.ended() == 0
    finally:
        terminal.close()
    assert [turn.text for turn in terminal.turns() if turn.speaker == "User"][:1] == ["I like green tea"]
