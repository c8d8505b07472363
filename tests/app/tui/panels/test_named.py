"""What people type to find something: a mere slash, other names of commands, words in the palette."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatmem.app.tui.panels.models import ModelsPanel
from chatmem.app.tui.panels.why import HelpPage, SettingsPage
from tests.app.tui.conftest import open_window, run
from tests.app.tui.panels.test_panels import opened


@pytest.mark.parametrize("key", ["enter", "tab"])
def test_a_mere_slash_lists_the_commands_and_the_focus_stays(path: Path, key: str) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.pilot.press("slash", key)
            await opened(window, HelpPage)
            await window.sees("Commands; anything else is talk", "/remember [--about NAME] FACT")
            await window.pilot.press("escape")
            await window.until(lambda: len(window.app.screen_stack) == 1)
            await window.becomes(lambda: window.app.focused, window.app.prompt)

    run(story())


def test_tab_never_leaves_the_name_of_a_command(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            for typed, completed in (("/forg", "/forget"), ("/forget", "/forget"), ("/nonsense", "/nonsense")):
                window.app.prompt.put("")
                await window.pilot.press("slash", *typed[1:], "tab")
                await window.becomes(lambda: window.app.prompt.text, completed)
                assert window.app.focused is window.app.prompt
            window.app.prompt.put("talk")
            await window.pilot.press("tab")
            await window.until(lambda: window.app.focused is not window.app.prompt)

    run(story())


def test_other_names_of_what_there_is(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("/models")
            await opened(window, ModelsPanel)
            await window.pilot.press("escape")
            await window.say("/settings")
            await opened(window, SettingsPage)
            await window.sees("answer_model", "chatmem doctor --settings")
            await window.pilot.press("escape")
            await window.say("fact: I sail.")
            for name in ("/memory", "/memories"):
                await window.say(name)
                await window.sees("#1  User   talk")
            await window.say("/models answer scripted")
            await window.loses("There is no command")

    run(story())


@pytest.mark.parametrize(("words", "text"), [("forget", "/forget "), ("stats", "/stats")])
def test_the_palette_finds_commands_and_begins_them(path: Path, words: str, text: str) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.pilot.press("ctrl+p")
            await window.until(lambda: len(window.app.screen_stack) == 2)
            await window.pilot.press(*words)
            await window.sees(f"/{words}")
            await window.pilot.press("enter")
            await window.becomes(lambda: window.app.prompt.text, text)
            await window.becomes(lambda: window.app.focused, window.app.prompt)

    run(story())
