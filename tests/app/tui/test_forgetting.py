"""Forgetting in the window: a command and plain words show all that goes, a yes erases it, the arrow keys lose it."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatmem.app.tui.base.panel import ByWord
from chatmem.memory.forget.proof import Beside
from tests.app.chat.test_forgetting_words import Reader
from tests.app.tui.conftest import open_window, run


def test_a_command_and_plain_words_ask_and_one_yes_erases(path: Path, tmp_path: Path) -> None:
    typed = tmp_path / "typed"

    async def story() -> None:
        async with open_window(path, history=typed) as window:
            window.store.forget.beside = Beside(lambda user: typed)
            for line in ("fact: My locker is 447113.", "fact: I hate flying.", "fact: I like tea."):
                await window.say(line)
            await window.say("forget that I hate flying")
            await window.sees("lines in the input history")
            await window.pilot.press("n")
            await window.still()
            assert len(window.store.facts.all(1)) == 3
            await window.say("/forget 1")
            await window.sees("447113")
            await window.pilot.press("f12")
            await window.still()
            await window.tells("None was found")
            await window.say("forget that I hate flying")
            await window.pilot.press("f12")
            await window.still()
            await window.becomes(lambda: [row.fact for row in window.store.facts.all(1)], ["I like tea."])
            assert all("flying" not in line and "447113" not in line for line in window.app.stage.typed._all())

    run(story())
    kept = b"".join(file.read_bytes().lower() for file in (typed, *path.parent.glob("chat.db*")))
    assert b"447113" not in kept and b"flying" not in kept and b"tea" in kept


def test_after_a_reset_nobody_has_a_name(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("my name is Ana")
            await window.sees("me (Ana)")
            await window.say("reset")
            await window.pilot.press("ctrl+y")  # the key of another panel is no yes
            await window.sees("No letter says yes: it takes F12, or Tab and Enter.")
            await window.pilot.press("f12")
            await window.still()
            await window.tells("Everything is forgotten")
            await window.loses("me (Ana)")

    run(story())


def test_the_whole_memory_goes_by_a_typed_word_alone_where_words_asked_for_it(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I like tea.")
            await window.say("forget everything")
            await window.sees("Type “everything” to do it")
            await window.pilot.press("f12", "enter")  # what agrees elsewhere, and what ends a line
            await window.until(lambda: not isinstance(window.app.screen, ByWord))
            await window.tells("all stays as it was")
            await window.say("forget everything")
            await window.sees("Type “everything” to do it")
            await window.pilot.press("y", "enter")
            await window.sees("Nothing is done yet")
            assert len(window.store.facts.all(1)) == 1
            await window.pilot.press(*"everything", "enter")
            await window.still()
            await window.tells("Everything is forgotten")
            assert not window.store.facts.all(1)

    run(story())


def test_a_question_by_word_is_left_by_escape_and_what_was_typed_on_waits_in_the_prompt(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I like tea.")
            monkeypatch.setattr(ByWord, "settle_seconds", 600.0)
            window.app.prompt.put("forget everything")
            await window.pilot.press("enter")
            await window.until(lambda: isinstance(window.app.screen, ByWord))
            await window.pilot.pause()
            await window.pilot.press(*"everything", "enter")  # the rest of what somebody was typing
            assert isinstance(window.app.screen, ByWord)
            await window.pilot.press("escape")
            await window.becomes(lambda: window.app.prompt.text, "everything")
            assert len(window.store.facts.all(1)) == 1

    run(story())


def test_a_line_that_was_no_wish_is_kept_after_a_no(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatmem.models.chat.forgetting.wished.wishes", Reader)

    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: My neighbour Rolf drinks.")
            await window.say("Whoever drinks, up the ladder and away with it")
            await window.sees("comes nearest")
            await window.pilot.press("n")
            await window.still()
            await window.tells("your line is kept as you told it")
            said = [turn.text for turn in window.store.turns.of(1)]
            assert said.count("Whoever drinks, up the ladder and away with it") == 1

    run(story())
