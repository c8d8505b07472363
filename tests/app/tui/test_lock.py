"""A window over an encrypted memory locks when nobody is there, and opens again with the passphrase alone."""

from __future__ import annotations

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


def test_an_idle_window_hides_the_talk_drops_key_and_connection_and_opens_with_the_passphrase(path: Path) -> None:
    async def story() -> None:
        held: list[Secret | None] = [Secret(WORDS)]
        stores: list[Store] = []
        time = [0.0]

        def open_controller() -> Controller:
            stores.append(Store.open(path, secret=held[0]))
            return Controller(lambda: stores[-1], Gated(lambda: stores[-1]), Settings())

        lock = Lock(path, 15, lambda secret: held.__setitem__(0, secret), lambda: time[0])
        app = ChatApp(Setup(open_controller, Settings(), "chatmem.db", lock=lock))
        async with app.run_test(size=(100, 30)) as pilot:
            window = Window(app, pilot, Store.__new__(Store), Gated(lambda: stores[-1]))
            await window.until(lambda: app.user is not None)
            await window.still()
            await window.say("My cat is called Zimbarella")
            await window.sees("Zimbarella")
            time[0] = 14.9 * 60
            await app.show.locking.look()
            assert not lock.locked
            await pilot.press("x")  # somebody is there
            time[0] = 29 * 60
            await app.show.locking.look()
            assert not lock.locked
            time[0] = 30 * 60
            await app.show.locking.look()
            await window.until(lambda: held == [None] and not is_open(path))
            await window.until(lambda: isinstance(app.screen, Locked) and app.controller is None)
            await window.loses("Zimbarella")
            assert "Zimbarella" not in str(app.stage.typed.__dict__)
            for typed, opens in (("", False), ("wrong words", False), (WORDS, True)):
                app.screen.query_one(Input).value = typed
                await pilot.press("enter")
                await app.workers.wait_for_complete()
                await window.until(lambda opens=opens: isinstance(app.screen, Locked) is not opens)
                if not opens:
                    assert lock.locked and not is_open(path)
            await window.until(lambda: app.user is not None)
            await window.still()
            await window.sees("Zimbarella")
        app.bridge.close()
        assert app.controller is not None and app.controller.close()

    run(story())


def test_nothing_locks_with_zero_minutes_or_while_a_reply_is_written(path: Path) -> None:
    lock = Lock(path, 0, lambda secret: None, lambda: 1e9)
    assert not lock.is_due()
