"""Locks the window when nobody was there for a while: the talk goes out of sight and memory, the database is closed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..shown import events as e
from .lifecycle import Life
from .panels.lock import Locked
from .widgets.input_history import Typed
from .widgets.shared import Handlers, Stage

CLOSE_SECONDS = 3.0
LOOK_SECONDS = 1.0


class Locking:
    """Looks whether anybody is there, locks, and begins anew when it was opened again."""

    def __init__(self, stage: Stage, life: Life) -> None:
        self._stage, self._life = stage, life
        self.takes: Handlers = {}

    def used(self) -> None:
        """A key or the mouse."""
        lock = self._stage.setup.lock
        if lock is not None and not lock.locked:
            lock.used()

    async def look(self) -> None:
        """Locks when it is time, and nothing is being written."""
        stage, lock = self._stage, self._stage.setup.lock
        c = stage.controller
        if lock is None or c is None or self._life.leaving or stage.bridge.waiting or c.worker.waiting:
            return
        if lock.is_due():
            await self.shut()

    async def shut(self) -> None:
        """Locks now."""
        stage, c, lock = self._stage, self._stage.controller, self._stage.setup.lock
        if c is None or lock is None:
            return
        lock.locked = True
        while len(stage.app.screen_stack) > 1:
            stage.app.pop_screen()
        stage.app.push_screen(Locked(lock.open), lambda _: self._life.begin())
        session = c.session
        stage.controller, stage.user, stage.typed, stage.read = None, None, Typed(None), None
        stage.setup = replace(stage.setup, resume=session.id if session is not None else None)
        await stage.talk.clear()
        stage.pane.close_up("Locked")
        stage.app.clear_notifications()

        def close() -> Iterable[e.Event]:
            c.close(CLOSE_SECONDS)
            lock.shut()
            return ()

        stage.bridge.run(close, "lock")
