"""What comes back: the conversation after incognito, typed text after Ctrl+C; and what leaves, in other words."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatmem.app.tui.base.words import bare_word
from chatmem.app.tui.widgets.conversation import Exchange
from tests.app.tui.conftest import open_window, run


def test_after_incognito_the_conversation_is_there_again_and_goes_on(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await window.pilot.press("f9")
            await window.still()
            await window.say("I spy.")
            await window.pilot.press("f9")
            window.app.prompt.put("and on")  # does not wait until the window has changed
            await window.pilot.press("enter")
            await window.still()
            await window.sees("Going on in session 1", "fact: I sail.", "and on")
            await window.loses("I spy.")
            lines = [turn.text for turn in window.store.turns.of(1) if turn.speaker == "User"]
            assert lines == ["fact: I sail.", "and on"] and len(window.store.sessions.all(1)) == 1
            await window.becomes(lambda: sorted(each.line for each in window.app.query(Exchange)), sorted(lines))

    run(story())


def test_after_incognito_a_session_that_was_deleted_or_of_another_is_not_taken_up(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await window.say("/incognito on")
            window.store.forget.session(1, user_id=1)
            await window.say("/incognito off")
            await window.sees("Incognito is off")
            await window.say("fact: I row.")
            await window.say("/incognito on")
            await window.say("/user ana")
            await window.say("/incognito off")
            await window.sees("Incognito is off")
            await window.loses("Going on in session", "fact: I row.")

    run(story())


def test_ctrl_c_clears_what_is_typed_and_says_how_to_leave(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.pilot.press(*"draft", "ctrl+c")
            await window.becomes(lambda: window.app.prompt.text, "")
            await window.sees("Cleared; Ctrl+Z", "Ctrl+Q leaves")
            await window.pilot.press("ctrl+z")
            await window.becomes(lambda: window.app.prompt.text != "", True)

    run(story())


@pytest.mark.parametrize(
    "line", ["bye", "Bye", "thanks, bye", "Thank you, bye!", "ok bye", "bye bye", "well, good bye"]
)
def test_courtesies_before_bye_leave(line: str) -> None:
    assert bare_word(line) == "bye"


@pytest.mark.parametrize(
    "line", ["she said bye", "bye the way", "a bye", "ok, thanks and bye", "bye?", "reset it", "ok"]
)
def test_other_lines_are_talk(line: str) -> None:
    assert bare_word(line) == ""


def test_reset_is_only_the_whole_line() -> None:
    assert bare_word("reset") == "reset" and bare_word("thanks, reset") == ""


def test_thanks_bye_leaves_the_window(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            window.app.prompt.put("thanks, bye")
            await window.pilot.press("enter")
            await window.until(lambda: window.app.return_code == 0)

    run(story())


def test_a_pinned_memory_says_so_in_the_list_and_under_it(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            window.app.pane.flash_seconds = 0.1
            await window.say("fact: I sail.")
            await window.pilot.press("ctrl+o")
            await window.sees("p pin ·")
            await window.pilot.press("p")
            await window.sees("* I sail.", "#1 User · talk · pinned", "p unpin ·")
            pane = window.app.pane.region
            rows = [line[pane.x :] for line in window.text().split("\n")]
            assert rows[1].endswith("pinned")

    run(story())


@pytest.mark.parametrize("way", ["enter", "escape", "ctrl+o"])
def test_an_emptied_filter_goes(path: Path, way: str) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I sail.")
            await window.pilot.press("ctrl+o", "slash", "x")
            field = window.app.pane.query_one("#pane-filter")
            await window.sees("Nothing matches.")
            await window.pilot.press("backspace", way)
            await window.until(lambda: not field.display)
            await window.sees("▏   I sail.")

    run(story())
