"""A reply on the screen: from the line that was kept to the last word."""

from __future__ import annotations

from dataclasses import replace

from ..shown import events as e
from .widgets.conversation import Exchange
from .widgets.shared import Handlers, Stage


class Replies:
    """What the controller tells of a reply, put into its exchange."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._replied = False
        self.takes: Handlers = {
            e.TurnSaved: self._turn_saved, e.Recalled: self._recalled, e.ReplyStarted: self._started,
            e.ReplyThought: self._thinks, e.ReplyChunk: self._chunk, e.ReplyFinished: self._finished,
            e.ReplyStopped: self._stopped, e.Failed: self._failed,
        }  # fmt: skip

    async def over(self, exchange: Exchange | None) -> None:
        """The job of an exchange is done."""
        if exchange is not None:
            if not self._replied:
                self._replied = True
                self._stage.setup.settle()  # what the first reply had to import stays, too
            exchange.remove_class("waiting")
            if exchange.foot.endswith("…"):
                await exchange.end()

    async def _turn_saved(self, event: e.TurnSaved, exchange: Exchange | None) -> None:
        exchange = exchange or self._stage.talk.exchange_of(event.turn.id)
        if exchange is None:
            return
        if exchange.turn_id is not None:
            await exchange.anew(event.turn.text)
        exchange.turn_id = event.turn.id
        exchange.remove_class("waiting")
        exchange.set_foot("looking up…")

    async def _recalled(self, event: e.Recalled, exchange: Exchange | None) -> None:
        if exchange is not None:
            exchange.recalled = len(event.recall.items)
            exchange.set_foot("replying…")

    async def _started(self, event: e.ReplyStarted, exchange: Exchange | None) -> None:
        if exchange is not None:
            if exchange.reply:  # in incognito, a line answered again
                await exchange.anew(exchange.line)
            exchange.set_foot("replying…")

    async def _thinks(self, event: e.ReplyThought, exchange: Exchange | None) -> None:
        if exchange is not None:
            exchange.set_foot("thinking…")

    async def _chunk(self, event: e.ReplyChunk, exchange: Exchange | None) -> None:
        if exchange is not None:
            await exchange.say(event.text)

    async def _finished(self, event: e.ReplyFinished, exchange: Exchange | None) -> None:
        if exchange is not None:
            found = f"{exchange.recalled} recalled · " if exchange.recalled else ""
            cut = " · cut off at the limit" if event.truncated else ""
            await exchange.end(f"{found}{event.seconds:.1f} s{cut}")

    async def _stopped(self, event: e.ReplyStopped, exchange: Exchange | None) -> None:
        if exchange is not None:
            await exchange.end("(stopped; what you see is kept)" if event.turn else "(stopped)")

    async def _failed(self, event: e.Failed, exchange: Exchange | None) -> None:
        stage = self._stage
        if exchange is not None:
            await exchange.end()
            if exchange.turn_id is None and not stage.prompt.text:  # it was not kept: it is not to be typed again
                stage.prompt.put(exchange.line)
        if stage.user is None:  # the memory could not be opened: told once, and shown until it can be
            told, stage_standing = stage.state.standing.blocked, replace(stage.state.standing, blocked=event.text)
            stage.change(standing=stage_standing)
            if told == event.text and exchange is None:
                return
        await stage.note(event.text, "bad", exchange)
