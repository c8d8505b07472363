"""Somebody else's words in a line, in the window: said under it, and taken for one's own by one click."""

from __future__ import annotations

from pathlib import Path

from chatmem.app.tui.widgets.chips import QuotedWords
from tests.app.tui.conftest import open_window, run
from tests.app.tui.test_chat import facts


def test_one_click_takes_them_for_ones_own(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("> fact: I live in Rome.")
            await window.sees("quoted, so no fact is made of it")
            await window.becomes(lambda: facts(window), [])
            window.app.query_one(QuotedWords).focus()
            await window.pilot.press("m")
            await window.still()
            assert window.store.turns.get(1).storage == "kept"

    run(story())
