"""How the window begins and ends: it opens the memory, loads the models, and leaves when all is remembered."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...memory.errors import ChatmemError
from ...memory.values import User
from ..shown import events as e
from ..shown.render import lines
from .base.setup import FIRST_RUN, WELCOME
from .widgets import input_history
from .widgets.conversation import Exchange, note
from .widgets.shared import Handlers, Stage

RETRY_SECONDS = 3.0
"""How long to wait before a database that could not be opened is tried again."""


class Life:
    """Opening and leaving."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._told_waiting = False
        self.leaving = False
        self.takes: Handlers = {e.SessionEnded: self._session_ended, e.Waiting: self._waiting, e.Left: self._left}

    # It begins

    def begin(self) -> None:
        self._stage.setup.settle()
        self._stage.bridge.run(self._open, "start")

    def begin_again(self) -> None:
        """The memory could not be opened; a little later it is tried again."""
        self._stage.app.set_timer(RETRY_SECONDS, self.begin)

    def _open(self) -> Iterator[e.Event]:
        """Makes the controller and opens the memory, in the bridge's thread; raises StoreError."""
        stage = self._stage
        if stage.controller is None:
            controller = stage.setup.make()
            controller.subscribe(stage.bridge.background)
            stage.controller = controller
            stage.back(self._controller_is_there)
        c = stage.controller
        first = not c.incognito and not c.store.sessions.all(c.user.id, limit=1)
        stage.app.call_later(self._opened, c.user, first)
        yield from c.start(stage.setup.resume)

    async def _opened(self, user: User, first: bool) -> None:
        """`first`: nothing was ever said here."""
        stage = self._stage
        stage.set_user(user)
        stage.change(standing=replace(stage.state.standing, blocked=""))
        setup = stage.setup
        if first:
            await stage.talk.add(*(note(line.format(database=setup.database)) for line in FIRST_RUN))
        elif not setup.incognito and setup.resume is None:
            await stage.talk.add(note(WELCOME.format(name=user.called or user.name)))

    def _controller_is_there(self) -> None:
        """Models load in a thread of their own while the memory opens."""
        from ..chat.slash import registry

        self._stage.prompt.commands = tuple(registry.commands())
        threading.Thread(target=self._load_models, name="chatmem-load", daemon=True).start()

    def _load_models(self) -> None:
        c = self._stage.controller
        input_history.load()
        try:
            specs = c.agents.get().specs if c is not None else ()
        except ChatmemError as error:
            self._stage.bridge.background(e.Failed(str(error)))
            specs = ()
        self._stage.app.call_later(self._models_loaded, specs)

    def _models_loaded(self, specs: tuple[tuple[str, str], ...]) -> None:
        self._stage.setup.settle()
        self._stage.change(loading=False, models=specs)
        self._stage.refresh_status()

    def late(self, line: str) -> Iterable[e.Event]:
        """A line that was sent while the memory was being opened."""
        c = self._stage.controller
        if c is None:
            return [e.Failed("The memory is not open yet; send the line again in a moment.")]
        return self._stage.submit(c, line)

    # It ends

    def leave(self) -> None:
        """Waits until all is remembered; a second time leaves at once."""
        if self.leaving:
            if self._stage.controller is not None:
                self._stage.controller.hurry()
            self._stage.app.exit(0)
            return
        self.leaving = True
        if self._stage.controller is not None:
            self._stage.controller.stop()
        self._stage.bridge.run(self._bye, "bye")

    def _bye(self) -> Iterable[e.Event]:
        c = self._stage.controller
        return c.bye() if c is not None else [e.SessionEnded(None)]

    async def _session_ended(self, event: e.SessionEnded, exchange: Exchange | None) -> None:
        self._stage.app.exit(0)

    async def _waiting(self, event: e.Waiting, exchange: Exchange | None) -> None:
        if not self._told_waiting:
            self._told_waiting = True
            for text, style in lines(event):
                await self._stage.note(f"{text} Ctrl+Q leaves at once; they are kept for the next start.", style)

    async def _left(self, event: e.Left, exchange: Exchange | None) -> None:
        if not self.leaving:
            self.leave()
