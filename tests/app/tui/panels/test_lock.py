"""A window over an encrypted memory locks when nobody is there, and opens again with the passphrase alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from textual.widgets import Input

from chatmem.app.config.lock import Lock
from chatmem.app.config.settings import Settings
from chatmem.app.controller import Controller
from chatmem.app.tui.app import ChatApp
from chatmem.app.tui.base.setup import Setup
from chatmem.app.tui.panels.lock import Locked
from chatmem.memory.database.engine import is_open
from chatmem.memory.database.key import Secret
from chatmem.memory.store.store import Store
from tests.app.tui.conftest import Gated, Window, run

pytest.importorskip("sqlcipher3")
WORDS = "four words are enough"


@dataclass
class Idle:
    """A window over an encrypted memory whose clock the test sets."""

    path: Path
    held: list[Secret | None] = field(default_factory=lambda: [Secret(WORDS)])
    stores: list[Store] = field(default_factory=list)
    minutes: float = 0.0

    def __post_init__(self) -> None:
        self.lock = Lock(self.path, 15, lambda secret: self.held.__setitem__(0, secret), lambda: self.minutes * 60)
        self.app = ChatApp(Setup(self.open_controller, Settings(), "chatmem.db", lock=self.lock))

    def open_controller(self) -> Controller:
        self.stores.append(Store.open(self.path, secret=self.held[0]))
        return Controller(lambda: self.stores[-1], Gated(lambda: self.stores[-1]), Settings())

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Window]:
        async with self.app.run_test(size=(100, 30)) as pilot:
            window = Window(self.app, pilot, Store.__new__(Store), Gated(lambda: self.stores[-1]))
            await self.ready(window)
            yield window
        self.app.bridge.close()
        assert self.app.controller is not None and self.app.controller.close()

    async def ready(self, window: Window) -> None:
        await window.until(lambda: self.app.user is not None)
        await window.still()

    async def at(self, minutes: float) -> None:
        self.minutes = minutes
        await self.app.show.locking.look()

    async def locks(self, window: Window) -> None:
        await window.until(lambda: self.held == [None] and not is_open(self.path))
        await window.until(lambda: isinstance(self.app.screen, Locked) and self.app.controller is None)

    async def tries(self, window: Window, typed: str, *, opens: bool) -> None:
        self.app.screen.query_one(Input).value = typed
        await window.pilot.press("enter")
        await self.app.workers.wait_for_complete()
        await window.until(lambda: isinstance(self.app.screen, Locked) is not opens)


def test_an_idle_window_hides_the_talk_drops_key_and_connection_and_opens_with_the_passphrase(path: Path) -> None:
    async def story() -> None:
        idle = Idle(path)
        async with idle.open() as window:
            await window.say("My cat is called Zimbarella")
            await window.sees("Zimbarella")
            await idle.at(14.9)
            assert not idle.lock.locked
            await window.pilot.press("x")  # somebody is there
            await idle.at(29)
            assert not idle.lock.locked
            await idle.at(30)
            await idle.locks(window)
            await window.loses("Zimbarella")
            assert "Zimbarella" not in str(idle.app.stage.typed.__dict__)
            for wrong in ("", "wrong words"):
                await idle.tries(window, wrong, opens=False)
                assert idle.lock.locked and not is_open(path)
            await idle.tries(window, WORDS, opens=True)
            await idle.ready(window)
            await window.sees("Zimbarella")

    run(story())


def test_nothing_locks_with_zero_minutes_or_while_a_reply_is_written(path: Path) -> None:
    lock = Lock(path, 0, lambda secret: None, lambda: 1e9)
    assert not lock.is_due()
