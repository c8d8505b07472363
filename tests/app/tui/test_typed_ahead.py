"""Whoever types a sentence reaches the prompt with all of it, and sets nothing off: no shortcut, no dialog."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input

from chatmem.app.tui.base.panel import Confirm, Field, Question, Reword
from chatmem.app.tui.typed_ahead import TypedAhead
from chatmem.app.tui.widgets.chips import ChipLine
from chatmem.app.tui.widgets.conversation import Exchange
from chatmem.app.tui.widgets.row_list import RowList
from tests.app.tui.conftest import Window, open_window, run
from tests.app.tui.test_chat import facts

NOT_ERASED = "Nothing was erased; all stays as it was."
LONG = 600.0
"""Seconds: no machine is so slow that keys pressed one after the other are no burst."""


def burst(window: Window, text: str, *before: str) -> None:
    """Keys as a terminal sends them: all at once, however long the window takes."""
    for key in before:
        window.app.post_message(events.Key(key, None))
    for letter in text:
        name = {" ": "space", ",": "comma", "\r": "enter", "/": "slash"}.get(letter, letter)
        window.app.post_message(events.Key(name, letter))


async def in_the_pane(window: Window) -> None:
    await window.pilot.press("ctrl+o")
    await window.until(lambda: window.app.pane.query_one(RowList).has_focus)


async def told(window: Window, question: type[Question[object]]) -> None:
    await window.until(lambda: isinstance(window.app.screen, question))
    await window.pilot.pause()


@pytest.mark.parametrize("sentence", ["fully agree, my day was fine", "every time", "tell me more", "pay them", "k"])
def test_a_sentence_typed_over_the_memory_is_said(path: Path, monkeypatch: pytest.MonkeyPatch, sentence: str) -> None:
    monkeypatch.setattr(TypedAhead, "burst_seconds", LONG)

    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            burst(window, f"{sentence}\r", "ctrl+o")
            await window.until(lambda: len(window.app.query(Exchange)) == 2)
            await window.still()
            assert window.app.query(Exchange).last().line == sentence
            assert len(window.app.screen_stack) == 1 and window.app.prompt.text == ""
            assert [(row.fact, row.pinned) for row in window.store.facts.all(1)] == [("I sail.", False)]

    run(story())


def test_a_sentence_typed_over_a_chip_undoes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TypedAhead, "burst_seconds", LONG)

    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            window.app.query_one(ChipLine).focus()
            await window.until(lambda: window.app.query_one(ChipLine).has_focus)
            burst(window, "until then")
            await window.becomes(lambda: window.app.prompt.text, "until then")
            await window.still()
            assert facts(window) == ["I sail."]

    run(story())


def test_a_letter_alone_does_what_it_does_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            for fact in ("I sail.", "I row.", "I ski."):
                await window.say(f"fact: {fact}")
            await in_the_pane(window)
            monkeypatch.setattr(TypedAhead, "burst_seconds", 0.01)
            await window.pilot.press("p")
            await window.until(lambda: any(row.pinned for row in window.store.facts.all(1)))
            await window.still()
            rows = window.app.pane.query_one(RowList)
            rows.action_move(-9)
            monkeypatch.setattr(TypedAhead, "burst_seconds", LONG)
            burst(window, "jj")  # kept down
            await window.pilot.press("down")
            await window.becomes(lambda: rows.cursor, 2)
            assert window.app.prompt.text == ""

    run(story())


def test_the_filter_gets_what_is_typed_at_once_after_the_slash(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TypedAhead, "burst_seconds", LONG)

    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await window.say("fact: I row.")
            await in_the_pane(window)
            burst(window, "/free\r")
            await window.becomes(lambda: window.app.pane.query_one(Input).value, "free")
            await window.becomes(lambda: window.app.pane.query_one(RowList).keys, [])
            assert window.app.prompt.text == ""

    run(story())


def test_a_paste_over_the_memory_is_for_the_prompt(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await in_the_pane(window)
            window.app.post_message(events.Paste("from elsewhere"))
            await window.becomes(lambda: window.app.prompt.text, "from elsewhere")

    run(story())


async def erasing(window: Window) -> None:
    await window.say("/forget 1")
    await told(window, Confirm)


async def erasing_all(window: Window) -> None:
    await window.say("reset")
    await told(window, Confirm)


@pytest.mark.parametrize("ask", [erasing, erasing_all])
def test_no_letter_erases_however_late_it_comes(path: Path, ask: Callable[[Window], object]) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await ask(window)  # type: ignore[misc]
            await window.pilot.press("y")
            await window.sees("No letter says yes: it takes F12, or Tab and Enter.")
            await window.pilot.press("Y", "space")
            await window.still()
            assert isinstance(window.app.screen, Confirm) and facts(window) == ["I sail."]
            await window.pilot.press("enter")  # No is where the cursor is
            await window.until(lambda: len(window.app.screen_stack) == 1)
            await window.still()
            assert facts(window) == ["I sail."]
            await ask(window)  # type: ignore[misc]
            await window.pilot.press("tab", "enter")
            await window.becomes(lambda: window.store.facts.all(1), [])

    run(story())


def test_a_sentence_typed_over_a_question_is_for_the_prompt(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await erasing(window)
            monkeypatch.setattr(Question, "settle_seconds", LONG)
            question = window.app.screen
            assert isinstance(question, Confirm)
            question.on_mount(events.Mount())  # it has just opened
            burst(window, "my yes, and no\r")
            await window.becomes(lambda: window.app.prompt.text, "my yes, and no")
            await window.pilot.press("f12", "tab", "enter")
            assert window.app.screen is question and facts(window) == ["I sail."]

    run(story())


def test_the_enter_that_ends_a_line_is_no_answer_however_late(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await erasing(window)
            burst(window, "fed up")
            await window.sees("What you type waits in the prompt, unsent: “fed up”")
            await window.pilot.press("enter")
            await window.pilot.pause()
            assert isinstance(window.app.screen, Confirm) and window.app.prompt.text == "fed up"
            await window.pilot.press("enter")  # and this one is
            await window.until(lambda: len(window.app.screen_stack) == 1)
            await window.tells(f"{NOT_ERASED} What you typed meanwhile stands in the prompt, and was not sent.")
            assert facts(window) == ["I sail."]

    run(story())


def test_after_what_was_typed_on_a_choice_is_an_answer(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await erasing(window)
            burst(window, "fed up")
            await window.pilot.press("tab", "enter")
            await window.becomes(lambda: window.store.facts.all(1), [])

    run(story())


@pytest.mark.parametrize("no", ["enter", "escape", "n"])
@pytest.mark.parametrize("ask", [erasing, erasing_all])
def test_after_a_no_it_is_told_that_nothing_was_erased(path: Path, ask: Callable[[Window], object], no: str) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await ask(window)  # type: ignore[misc]
            await window.pilot.press(no)
            await window.tells(NOT_ERASED)
            await window.loses("What you typed meanwhile")
            assert facts(window) == ["I sail."]

    run(story())


def test_keys_from_before_a_question_was_there_are_no_answer_however_late(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            early = [events.Key("f12", None), events.Key("g", "g")]
            await erasing(window)
            for key in early:
                window.app.post_message(key)
            await window.becomes(lambda: window.app.prompt.text, "g")
            assert isinstance(window.app.screen, Confirm) and facts(window) == ["I sail."]

    run(story())


def test_what_is_typed_while_an_edit_opens_is_no_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await in_the_pane(window)
            monkeypatch.setattr(Question, "settle_seconds", LONG)
            await window.pilot.press("e")
            await told(window, Reword)
            burst(window, "xactly so\r")
            await window.becomes(lambda: window.app.prompt.text, "xactly so")
            assert isinstance(window.app.screen, Reword) and window.app.screen.query_one(Field).text == "I sail."
            await window.pilot.press("escape")
            await window.until(lambda: len(window.app.screen_stack) == 1)
            assert facts(window) == ["I sail."]

    run(story())


def test_a_key_that_comes_while_the_window_closes_does_nothing(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.until(lambda: window.app.prompt.has_focus)
            key = events.Key("enter", "\r")
            key.set_sender(window.app)
            kept, window.app._screen_stacks["_default"] = window.app._screen_stacks["_default"], []
            try:
                await window.app.on_event(key)
            finally:
                window.app._screen_stacks["_default"] = kept

    run(story())
