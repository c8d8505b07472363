"""What other programs do to the database while the window is open: writes, forgets, locks."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from chatmem.app.config.settings import Settings
from chatmem.app.controller import Controller
from chatmem.app.tui.app import ChatApp
from chatmem.app.tui.base.setup import Setup
from chatmem.app.tui.widgets.chips import ChipLine
from chatmem.app.tui.writes import Writes
from chatmem.memory.store.store import Store
from chatmem.memory.values import JournalEntry, Memory
from tests.app.tui.conftest import Gated, Window, open_window, run


def test_a_locked_database_does_not_stop_the_window(path: Path) -> None:
    async def story() -> None:
        blocker = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False
        )  # the story has a thread of its own
        async with open_window(path, store=Store.open(path, timeout=0.1)) as window:
            blocker.execute("BEGIN IMMEDIATE")
            window.app.prompt.put("fact: I sail.")
            await window.pilot.press("enter")
            await window.still()
            await window.tells("is in use by another program")
            await window.becomes(lambda: window.app.prompt.text, "fact: I sail.")  # not kept, so not to be typed again
            blocker.execute("ROLLBACK")
            await window.pilot.press("enter")
            await window.still()
            await window.sees("+ I sail.")
        blocker.close()

    run(story())


def test_what_another_program_writes_or_forgets_is_noticed(path: Path) -> None:
    async def story() -> None:
        async with open_window(path) as window:
            window.app.pane.flash_seconds = 600.0
            await window.say("fact: I have two cats.")
            with Store.open(path) as other:
                user = other.users.get("me")
                edited = other.facts.edit(1, fact="I have three cats.")
                await window.sees("+ I have two cats.  #1 (now: I have three cats.  #2)  Edit")
                await window.sees("▏ ~ I have three cats.")
                other.facts.remember(user.id, "Ben", "boat", "Ben has a boat.")
                await window.sees("▏ + Ben has a boat.")
                other.journal.undo(edited.id)
                await window.sees("+ I have two cats.  #1  Undo  Edit")
                await window.sees("▏ ~ I have two cats.")
                other.forget.memories(user.id, [1])
                await window.until(lambda: not window.app.query(ChipLine))
                await window.loses("▏ ~ I have two cats.")
                other.users.call(user.id, "Ana")
                await window.sees("me (Ana)")

    run(story())


def test_what_is_written_here_flashes_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, look = [0], Writes.look

    def counted(writes: Writes) -> None:
        looks[0] += 1
        look(writes)

    monkeypatch.setattr("chatmem.app.tui.app.LOOK_SECONDS", 0.05)
    monkeypatch.setattr(Writes, "look", counted)

    async def story() -> None:
        async with open_window(path) as window:
            flashed: list[list[str]] = []
            flash = window.app.pane.flash

            def noted(entries: Sequence[JournalEntry], memories: Sequence[Memory]) -> None:
                flashed.append([entry.kind for entry in entries])
                flash(entries, memories)

            window.app.pane.flash = noted  # type: ignore[method-assign]
            for line in ("fact: I sail.", "/pin 1", "/undo", "/correct 1 I row."):
                await window.say(line)
            enough = looks[0] + 6
            await window.until(lambda: looks[0] >= enough)
            await window.still()
            assert flashed == [["insert"], ["pin"], ["undo"], ["update"]]

    run(story())


def test_a_database_that_is_locked_from_the_start_is_told_and_opened_when_it_is_free(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatmem.app.tui.lifecycle.RETRY_SECONDS", 0.1)
    Store.open(path).close()
    blocker = sqlite3.connect(path, isolation_level=None, check_same_thread=False)  # the story has a thread of its own
    blocker.execute("PRAGMA locking_mode=EXCLUSIVE")
    blocker.execute("BEGIN EXCLUSIVE")
    script = Gated(lambda: found[0])
    found: list[Store] = []
    tries = [0]

    def opened() -> Store:
        tries[0] += 1
        found.append(Store.open(path, timeout=0.1))
        return found[0]

    async def story() -> None:
        chosen = Settings()
        app = ChatApp(Setup(lambda: Controller(opened, script, chosen), chosen, "chatmem.db"))
        async with app.run_test(size=(120, 30)) as pilot:
            window = Window(app, pilot, None, script)  # type: ignore[arg-type]
            await window.tells("is in use by another program")
            await window.sees("memory blocked")
            app.prompt.put("fact: I sail.")
            await pilot.press("enter")
            await window.becomes(lambda: app.prompt.text, "fact: I sail.")  # not kept, so not to be typed again
            enough = tries[0] + 3
            await window.until(lambda: tries[0] >= enough)
            assert window.talk().count("is in use by another program: close it") <= 3  # told once, not at each try
            blocker.close()
            await window.until(lambda: app.user is not None)
            await pilot.press("enter")
            await window.sees("+ I sail.")
            await window.sees("memory on")
        app.bridge.close()
        assert app.controller is not None and app.controller.close()

    run(story())
