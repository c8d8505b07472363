"""What the controller told, handed to the part of the window that shows it."""

from __future__ import annotations

from ..shown.render import lines
from ..shown.status import after
from .base.controller_thread import JobEvent
from .base.panel import Hears
from .lifecycle import Life
from .locking import Locking
from .open_panels import Desktop
from .replies import Replies
from .whose import Places
from .widgets.conversation import Exchange
from .widgets.shared import Handlers, Stage
from .writes import Writes


class Show:
    """Takes events in the window's thread. What no part knows is told as a line."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.life, self.replies, self.writes = Life(stage), Replies(stage), Writes(stage)
        self.locking = Locking(stage, self.life)
        self.places, self.desktop = Places(stage), Desktop(stage)
        parts = (self.life, self.replies, self.writes, self.places, self.desktop)
        self._takes: Handlers = {kind: act for part in parts for kind, act in part.takes.items()}

    async def take(self, told: JobEvent) -> None:
        """One event, on the screen."""
        stage, event = self._stage, told.event
        exchange = told.tag if isinstance(told.tag, Exchange) and told.tag.is_attached else None
        if event is None:
            await self._over(told.tag, exchange)
            return
        stage.change(standing=after(stage.state.standing, event))
        if isinstance(told.tag, Hears) and told.tag.is_attached:
            told.tag.hear(event)
        act = self._takes.get(type(event))
        if act is not None:
            await act(event, exchange)
        else:
            await stage.notes(lines(event), exchange)

    async def _over(self, tag: object, exchange: Exchange | None) -> None:
        """A job is done."""
        await self.replies.over(exchange)
        if tag == "start" and self._stage.user is None:
            self.life.begin_again()
        if tag == "model":
            self._stage.change(loading=False)
        if tag == "new":
            await self._stage.talk.clear()
