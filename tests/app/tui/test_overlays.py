"""Questions that open while somebody types, the memory pane in a small window, and numbers that have changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.events import Mount
from textual.widgets import Button

from chatmem.app.tui.base.panel import Confirm
from chatmem.app.tui.panels.why import TimelinePage, WhyPage
from chatmem.app.tui.widgets.row_list import RowList
from tests.app.tui.conftest import Window, open_window, run

SCROLL_BAR = " ▁▂▃▄▅▆▇█"


async def asked(window: Window) -> None:
    await window.until(lambda: isinstance(window.app.screen, Confirm))
    await window.pilot.pause()


async def answered(window: Window) -> None:
    await window.until(lambda: not isinstance(window.app.screen, Confirm))


def dated(window: Window) -> bool:
    """Whether six rows of the memory or more are shown, each with the whole of its date, beside the scroll bar."""
    region = window.app.pane.query_one(RowList).region
    rows = [line.rstrip(SCROLL_BAR) for line in window.text().split("\n")[region.y : region.bottom]]
    return len(rows) >= 6 and all("about the house" in row and row.endswith("  2026-05-08") for row in rows)


def shows_all_of_it(window: Window) -> bool:
    """Whether the last fact stands under the list in full, with its keys, and the prompt under both."""
    shown = window.text()
    parts = (
        "#20 Ana · home · 2026-05-08",
        "e edit · p pin · f forget · t timeline · / filter",
        "Say something, or /help",
    )
    return "cut off in a list." in " ".join(shown.split()) and all(part in shown for part in parts)


def test_what_is_typed_while_a_question_opens_is_no_answer(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I have two cats.")
            monkeypatch.setattr(Confirm, "settle_seconds", 600.0)
            window.app.prompt.put("/forget 1")
            await window.pilot.press("enter")
            await asked(window)
            await window.pilot.press(*"yes,", "space", *"they", "tab", "enter")
            assert isinstance(window.app.screen, Confirm)
            assert len(window.store.facts.all(1)) == 1
            monkeypatch.setattr(Confirm, "settle_seconds", 0.0)  # now there was a pause
            await window.pilot.press("n")
            await answered(window)
            await window.becomes(lambda: window.app.prompt.text, "yes, they")
            assert len(window.store.facts.all(1)) == 1

    run(story())


def test_after_a_pause_a_key_is_an_answer_and_escape_is_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I have two cats.")
            monkeypatch.setattr(Confirm, "settle_seconds", 600.0)
            window.app.prompt.put("/forget 1")
            await window.pilot.press("enter")
            await asked(window)
            await window.pilot.press("escape")
            await answered(window)
            assert len(window.store.facts.all(1)) == 1
            monkeypatch.setattr(Confirm, "settle_seconds", 0.0)
            window.app.prompt.put("/forget 1")
            await window.pilot.press("enter")
            await asked(window)
            await window.pilot.press("f12")
            await answered(window)
            await window.still()
            assert window.store.facts.all(1) == [] and window.app.prompt.text == ""

    run(story())


def test_who_types_on_begins_the_pause_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Confirm, "settle_seconds", 0.6)
    question, mount = Confirm("Forget it?"), Mount()
    assert question.still_typing(mount.time + 50)  # not there yet
    question.on_mount(mount)
    now = mount.time
    for later, typing in ((-0.4, True), (0.9, True), (0.5, True), (0.59, True), (0.61, False), (0.1, False)):
        now += later
        assert question.still_typing(now) is typing


def test_a_small_window_tells_the_key_of_the_memory_and_shows_it_whole(path: Path) -> None:
    async def story() -> None:
        async with open_window(path, size=(80, 24)) as window:
            user = window.app.user
            assert user is not None
            for number in range(20):
                fact = f"Fact {number} about the house and the garden, and long enough to be cut off in a list."
                window.store.facts.remember(user.id, "Ana", "home", fact, happened_on="2026-05-08")
            await window.sees("Ctrl+B memory")
            await window.pilot.press("ctrl+b")
            await window.sees("Memory · 20 · Ctrl+O goes there · Ctrl+B hides")
            await window.loses("Ctrl+B memory")
            await window.until(lambda: dated(window))
            await window.pilot.press("ctrl+o")
            await window.sees("Ctrl+O back")
            await window.until(lambda: shows_all_of_it(window) and dated(window))
            await window.pilot.press("ctrl+b")
            await window.sees("Ctrl+B memory")
            await window.becomes(lambda: window.app.focused, window.app.prompt)
            await window.loses("about the house")

    run(story())


def test_keys_stay_in_sight_under_a_long_fact(path: Path) -> None:
    async def story() -> None:
        async with open_window(path, size=(80, 24)) as window:
            assert window.app.user is not None
            window.store.facts.remember(window.app.user.id, "Ana", "home", "A very long fact. " * 100)
            await window.pilot.press("ctrl+o")
            await window.sees("A very long fact.")
            await window.sees("e edit · p pin · f forget · t timeline · / filter")

    run(story())


def test_the_key_that_is_told_is_the_one_that_was_chosen(path: Path) -> None:
    async def story() -> None:
        async with open_window(path, size=(80, 24), keymap="pane=f7") as window:
            await window.sees("F7 memory")
            await window.pilot.press("f7")
            await window.sees("F7 hides")

    run(story())


def test_a_wide_window_shows_the_memory_and_needs_no_key_told(path: Path) -> None:
    async def story() -> None:
        async with open_window(path, size=(120, 30)) as window:
            await window.loses("Ctrl+B memory")
            await window.pilot.press("ctrl+b")
            await window.sees("Ctrl+B memory")

    run(story())


def test_why_and_the_timeline_lead_from_an_old_number_to_the_new_one(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            await window.say("fact: I have two cats.")
            await window.say("what do I have?")
            await window.say("/correct 1 I have three cats.")
            await window.say("/why")
            await window.until(lambda: isinstance(window.app.screen, WhyPage))
            await window.sees("~ now #2: I have three cats.")
            await window.pilot.press("escape")
            await window.say("/history 1")
            await window.until(lambda: isinstance(window.app.screen, TimelinePage))
            await window.sees("~ now #2: I have three cats.")
            await window.pilot.press("escape")
            await window.say("/history 2")
            await window.until(lambda: isinstance(window.app.screen, TimelinePage))
            await window.still()
            await window.loses("~ now #2")

    run(story())


def shown(text: str) -> int:
    """How many lines of a long question are on the screen or counted below it."""
    below = re.search(r"\((\d+) below\)", text)
    return text.count(" goes") + int(below[1]) if below else 0


@pytest.mark.parametrize("size", [(100, 32), (80, 24), (60, 20)])
def test_the_answers_stay_in_sight_under_a_long_question(path: Path, size: tuple[int, int]) -> None:
    async def story() -> None:
        async with open_window(path, size=size) as window:
            window.app.push_screen(Confirm("\n".join(["Shall it go?", *(f"line {n} goes" for n in range(60))])))
            await asked(window)
            await window.sees("line 0 goes", "No (n)", "Yes (F12)", "↑ ↓ PageUp PageDown show all of it")
            await window.becomes(lambda: shown(window.text()), 60)
            await window.pilot.press("down", "down")
            await window.loses("line 1 goes")
            await window.becomes(lambda: shown(window.text()), 58)
            for _ in range(12):
                await window.pilot.press("pagedown")
            await window.sees("Shall it go?", "line 59 goes", "No (n)", "Yes (F12)")
            await window.loses(" below)")
            await window.pilot.press("pageup")
            await window.loses("line 59 goes")
            assert isinstance(window.app.focused, Button)

    run(story())


def test_a_short_question_has_no_need_to_scroll(path: Path) -> None:
    async def story() -> None:
        async with open_window(path, size=(60, 20)) as window:
            window.app.push_screen(Confirm("Forget it?"))
            await asked(window)
            await window.sees("Forget it?", "No (n)", "Yes (F12)")
            assert "PageUp" not in window.text()

    run(story())
