"""The rows of the memory beside the talk: which one is meant, what it shows, and how its fact and date are edited."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from chatmem.app.tui.base.panel import Confirm, Field, Reword
from chatmem.app.tui.widgets.row_list import RowList
from tests.app.tui.conftest import Window, open_window, run
from tests.app.tui.panels.test_panels import opened


def rows(window: Window) -> RowList:
    return window.app.pane.query_one(RowList)


async def in_the_rows(window: Window, key: int) -> None:
    await window.pilot.press("ctrl+o")
    await window.until(lambda: rows(window).has_focus)
    rows(window).show(key)
    await window.becomes(lambda: rows(window).key, key)


async def edited(window: Window, text: str) -> None:
    await window.pilot.press("e")
    await opened(window, Reword)
    window.app.screen.query_one(Field).text = text
    await window.pilot.press("enter")
    await window.still()


def dates(window: Window) -> list[tuple[str, str | None]]:
    return [(memory.fact, memory.happened_on) for memory in window.store.facts.all(1)]


def test_the_edited_fact_stays_the_chosen_one(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            for word in ("sail", "row", "swim"):
                await window.say(f"fact: I {word}.")
            await in_the_rows(window, 2)
            await edited(window, "I row a lot.")
            await window.becomes(lambda: (rows(window).keys, rows(window).key), ([4, 3, 1], 4))
            await window.pilot.press("f8")  # and so it does when the edit is undone
            await window.still()
            await window.becomes(lambda: rows(window).key, 2)

    run(story())


def test_an_edit_shows_the_date_and_changes_it(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("/remember I moved to Graz. (2004-05-12)")
            await in_the_rows(window, 1)
            await window.pilot.press("e")
            await opened(window, Reword)
            assert window.app.screen.query_one(Field).text == "I moved to Graz. (2004-05-12)"
            await window.pilot.press("escape")
            await edited(window, "I moved to Graz. (2004-06)")
            await window.becomes(lambda: dates(window), [("I moved to Graz.", "2004-06")])
            await edited(window, "I moved to Linz.")
            await window.becomes(lambda: dates(window), [("I moved to Linz.", None)])

    run(story())


def test_a_wrong_date_is_told_and_what_was_typed_stays(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I moved.")
            await in_the_rows(window, 1)
            await edited(window, "I moved to Graz. (2004-13-45)")
            await window.sees("“2004-13-45” is no date")
            assert window.app.screen.query_one(Field).text == "I moved to Graz. (2004-13-45)"
            await window.pilot.press("escape", "escape")
            await window.say("/correct 1 I moved to Graz. (2019-02-31)")
            await window.sees("“2019-02-31” is no date")
            await window.becomes(lambda: dates(window), [("I moved.", None)])

    run(story())


def test_a_chip_is_edited_with_its_date(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("/remember I moved to Graz. (2004-05-12)")
            await window.pilot.press("shift+tab")
            await window.until(lambda: not window.app.prompt.has_focus)
            await window.pilot.press("e")
            await window.until(lambda: isinstance(window.app.focused, Input))
            field = window.app.query_one(".edit", Input)
            assert field.value == "I moved to Graz. (2004-05-12)"
            field.value = "I moved to Graz. (2004-05-99)"
            await window.pilot.press("enter")
            await window.sees("is no date")
            field.value = "I moved to Linz."
            await window.pilot.press("enter")
            await window.still()
            await window.becomes(lambda: dates(window), [("I moved to Linz.", None)])

    run(story())


def test_a_row_begins_with_what_differs(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("my name is Ana")
            for fact in ("Ana's sister Eva sails", "Ana has two cats", "Anabel rows", "Eva saw Ana"):
                await window.say(f"/remember {fact} every single day of the year (2026-05-08)")
            await window.say("/remember --about Tom Ana's cat bit Tom")
            await window.sees("   sister Eva sails ", "   has two cats ", "   Anabel rows ", "   Eva saw Ana ")
            await window.sees("   Ana's cat bit Tom", "  2026-05-08")
            await in_the_rows(window, 2)
            await window.sees("Ana's sister Eva sails every")  # the detail says all of it

    run(story())


def test_escape_ends_the_filter_and_stays_in_the_rows(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            for word in ("sail", "row", "swim"):
                await window.say(f"fact: I {word}.")
            await in_the_rows(window, 3)
            await window.pilot.press("slash", *"sail")
            await window.becomes(lambda: rows(window).keys, [1])
            await window.pilot.press("escape")
            await window.becomes(lambda: (rows(window).has_focus, rows(window).keys), (True, [3, 2, 1]))
            await window.pilot.press("slash", *"row", "enter")
            await window.sees("1 of 3 · Esc shows all")
            await window.pilot.press("escape")
            await window.becomes(lambda: (rows(window).has_focus, rows(window).keys), (True, [3, 2, 1]))
            await window.pilot.press("escape")
            await window.until(lambda: window.app.prompt.has_focus)

    run(story())


def test_the_chosen_row_is_in_sight_in_a_small_window_and_its_edit_is_whole(path: Path) -> None:
    fact = "I row " + "on the lake in the morning " * 5 + "and sing."

    async def story() -> None:
        async with open_window(path, size=(60, 20)) as window:
            for number in range(20):
                window.store.facts.remember(1, "User", "", f"{number} {fact}")
            await window.pilot.press("ctrl+o")
            await window.until(lambda: len(rows(window).keys) == 20 and rows(window).has_focus)
            for key in ("pagedown", "pagedown", "end"):
                await window.pilot.press(key)
                await window.pilot.pause()
                await window.until(
                    lambda: (
                        rows(window).scroll_y <= rows(window).cursor < rows(window).scroll_y + rows(window).size.height
                    )
                )
            await window.pilot.press("e")
            await opened(window, Reword)
            await window.sees("0 I row on the lake", "and sing.")

    run(story())


def test_the_other_facts_of_a_line_are_kept_by_a_button(path: Path) -> None:
    two = "INSERT INTO memory (subject, fact) VALUES ('Ana', 'Ana sails.'), ('Ana', 'Ana rows.');"

    async def story() -> None:
        async with open_window(path) as window:
            await window.say(f"sql: {two}")
            await in_the_rows(window, 1)
            await window.pilot.press("f")
            await opened(window, Confirm)
            await window.sees("Ana rows.", "Yes, but keep what was said", "Yes, but keep the other facts", "Yes (F12)")
            assert "--keep" not in window.text()
            await window.pilot.press("tab", "tab", "enter")
            await window.still()
            await window.becomes(lambda: [memory.fact for memory in window.store.facts.all(1)], ["Ana rows."])

    run(story())


@pytest.mark.parametrize(
    ("words", "command"),
    [("topic", "/memory [WORDS]"), ("date", "/correct ID FACT"), ("export", "/export [FILE]"),
     ("delete", "/forget ID... | WORDS")],
)  # fmt: skip
def test_the_palette_finds_commands_by_what_they_do(path: Path, words: str, command: str) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.pilot.press("ctrl+p", *words)
            await window.sees(command)

    run(story())
