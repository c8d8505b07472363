"""Whose memory, which session, incognito or not: what the window shows when that changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...memory.values import ASSISTANT, Turn
from ..shown import events as e
from ..shown.render import lines
from .widgets.conversation import KEPT, Exchange
from .widgets.shared import Handlers, Stage

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ..shown.chips import TurnChips


class Places:
    """User, session, incognito."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.takes: Handlers = {
            e.UserChanged: self._user_changed, e.IncognitoChanged: self._incognito_changed,
            e.SessionStarted: self._session_started,
        }  # fmt: skip

    async def _user_changed(self, event: e.UserChanged, exchange: Exchange | None) -> None:
        if not event.told:
            await self._stage.talk.clear()
        await self._stage.notes(lines(event), exchange)
        self._stage.set_user(event.user)
        if event.told and exchange is not None:
            self._stage.count_writes([exchange])

    async def _incognito_changed(self, event: e.IncognitoChanged, exchange: Exchange | None) -> None:
        stage = self._stage
        await stage.talk.clear()
        await stage.notes(lines(event))
        stage.app.screen_stack[0].set_class(event.on, "-incognito")
        stage.user = None
        stage.reread_user()

    async def _session_started(self, event: e.SessionStarted, exchange: Exchange | None) -> None:
        stage = self._stage
        if stage.user is None:
            stage.set_user(event.user)
        found = stage.memory()
        if event.resumed and found is not None:
            await stage.talk.clear()
            store, user = found
            session = event.session.id
            stage.in_thread(lambda: self._read_session(store, user.id, session), "resume")
        await stage.notes(lines(event))

    def _read_session(self, store: Store, user_id: int, session_id: int) -> None:
        from ..shown.chips import chips_of_session

        turns = store.turns.of(session_id, limit=KEPT)
        chips = chips_of_session(store, user_id, session_id)
        self._stage.app.call_later(self._show_session, turns, chips)

    async def _show_session(self, turns: Sequence[Turn], chips: dict[int, TurnChips]) -> None:
        exchange: Exchange | None = None
        for turn in turns:
            if turn.speaker == ASSISTANT and exchange is not None:
                await exchange.show_reply(turn)
                continue
            exchange = Exchange(turn.text)
            exchange.turn_id = turn.id
            await self._stage.talk.add(exchange)
            if turn.id in chips:
                await exchange.add_chips(chips[turn.id].chips)
                await exchange.offer_undo(chips[turn.id].undo)
                await exchange.add_quoted(chips[turn.id].quoted)
        self._stage.talk.anchor()
