"""Taking back what a line led to, by one click or key."""

from __future__ import annotations

from pathlib import Path

from chatmem.app.tui.widgets.chips import ChipLine, WholeTurn
from tests.app.tui.conftest import open_window, run
from tests.app.tui.test_chat import facts

TWO = "INSERT INTO memory (subject, fact) VALUES ('Ana', 'Ana sails.'), ('Ana', 'Ana rows.');"


def test_one_click_takes_back_all_that_a_line_led_to(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("my name is Ana")
            await window.say(f"sql: {TWO}")
            await window.sees("Undo all 2 that this line led to")
            turns = [1, 3]  # a name and its fact are two, too
            await window.becomes(lambda: [whole.turn_id for whole in window.app.query(WholeTurn)], turns)
            await window.pilot.click(list(window.app.query(WholeTurn))[-1], offset=(3, 0))
            await window.still()
            assert facts(window) == ["The user's name is Ana."]
            await window.sees("+ Ana rows.  #3 (undone)  Redo")
            await window.becomes(lambda: len(window.app.query(WholeTurn)), 1)
            list(window.app.query(ChipLine))[-1].focus()
            await window.pilot.press("u")
            await window.still()
            assert facts(window) == ["The user's name is Ana.", "Ana rows."]
            window.app.query_one(WholeTurn).focus()
            await window.pilot.press("u")
            await window.still()
            assert facts(window) == ["Ana rows."]
            await window.sees("● memory on · me ·")  # no longer goes by Ana

    run(story())
