"""Snapshots of the main states as text: what stands where, at which size. `UPDATE_SNAPSHOTS=1` writes them anew."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chatmem.app.tui.base.panel import Panel
from chatmem.app.tui.panels.console import SqlPanel
from chatmem.app.tui.widgets.chips import ChipLine
from chatmem.app.tui.widgets.row_list import RowList
from chatmem.memory.store.store import Store
from tests.app.tui.conftest import Window, open_window, run

FOLDER = Path(__file__).parent / "snapshots"
Act = Callable[[Window], Awaitable[None]]


async def nothing(window: Window) -> None:
    return


async def talk(window: Window) -> None:
    window.script.words = ("Two cats! ", "What are they **called**?")
    await window.say("fact: I have two cats.")
    window.script.words = ("Got it: ", "three.\n\n- Nori\n- Wasabi\n- Miso")
    await window.say("/correct 1 I have three cats.")
    await window.say("We took in a third one yesterday.")


async def error(window: Window) -> None:
    window.script.fail_answer_after = 1
    window.script.storage_fails = "The endpoint answers 503; try again later."
    await window.say("Are you there?")


async def why(window: Window) -> None:
    await talk(window)
    await window.say("/why")


async def timeline(window: Window) -> None:
    await talk(window)
    await window.say("/history 2")


async def context(window: Window) -> None:
    await talk(window)
    await window.say("/context")


async def sessions(window: Window) -> None:
    await talk(window)
    await window.say("/sessions third")
    await window.until(lambda: bool(window.app.screen.query_one(RowList).keys))


async def sql(window: Window) -> None:
    await talk(window)
    await window.say("/sql")
    await window.until(lambda: isinstance(window.app.screen, SqlPanel))
    await window.pilot.press("f5")
    await window.sees("1 row")


async def help_page(window: Window) -> None:
    await window.say("/help")


async def models(window: Window) -> None:
    await window.say("/model")
    await window.sees("embedded+answer")


async def question(window: Window) -> None:
    await talk(window)
    await window.say("reset")
    await window.sees("Forget everything")


async def editing(window: Window) -> None:
    await talk(window)
    list(window.app.query(ChipLine))[-1].focus()
    await window.pilot.press("e")


async def incognito(window: Window) -> None:
    await talk(window)
    await window.say("/incognito")


async def pane(window: Window) -> None:
    await talk(window)
    await window.pilot.press("ctrl+o")


async def compact(window: Window) -> None:
    await talk(window)
    await window.pilot.press("f10")


STATES: dict[str, tuple[tuple[int, int], Act]] = {
    "empty": ((100, 30), nothing),
    "chat-with-flash": ((100, 30), talk),
    "error": ((100, 30), error),
    "80x24": ((80, 24), talk),
    "80x24-pane": ((80, 24), pane),
    "narrow-40": ((40, 20), talk),
    "narrow-40-why": ((40, 20), why),
    "tiny-20": ((20, 8), nothing),
    "compact": ((100, 30), compact),
    "why": ((100, 30), why),
    "timeline": ((100, 30), timeline),
    "context": ((100, 30), context),
    "sessions": ((100, 30), sessions),
    "sql": ((100, 30), sql),
    "help": ((100, 60), help_page),
    "models": ((100, 30), models),
    "question": ((100, 30), question),
    "chip-edited": ((100, 30), editing),
    "incognito": ((100, 30), incognito),
    "pane": ((120, 30), pane),
}


@pytest.mark.parametrize("name", list(STATES))
def test_a_state_looks_as_it_did(name: str, path: Path) -> None:
    size, act = STATES[name]

    async def story() -> None:
        store = Store.open(path, clock=lambda: datetime(2026, 5, 8, 13, 56, tzinfo=UTC))
        async with open_window(path, size=size, store=store) as window:
            window.app.prompt.cursor_blink = False
            window.app.pane.flash_seconds = 600.0  # a slow machine must not miss it
            await act(window)
            await window.still()
            if isinstance(window.app.screen, Panel):
                await window.still()
            await compare(name, window)

    run(story())


def steady(text: str) -> str:
    """Without what differs from run to run: times, sizes of files, and speeds."""
    text = re.sub(r"\d+\.\d s", "0.0 s", text)
    text = re.sub(r"[\d.]+ tok/s", "9 tok/s", text)
    text = re.sub(r"\d+ MB", "9 MB", text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


async def compare(name: str, window: Window) -> None:
    file = FOLDER / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(steady(window.text()), encoding="utf-8")
    wanted = file.read_text(encoding="utf-8")
    with contextlib.suppress(AssertionError):
        await window.until(lambda: steady(window.text()) == wanted)
    text = steady(window.text())
    assert text == wanted, f"{name} changed; if that is right: UPDATE_SNAPSHOTS=1 pytest"
