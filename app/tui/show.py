"""What the controller told, put on the screen: replies, chips, the memory pane, the panels."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...memory.errors import ChatmemError
from ...memory.values import JournalEntry, Memory, Turn
from .. import events as e
from ..render import lines
from ..standing import after
from .bridge import Told
from .chips import ChipLine
from .talk import KEPT, Exchange, note

if TYPE_CHECKING:
    from ..panels import Chip, Why
    from .app import ChatApp

RETRY_SECONDS = 3.0
"""How long to wait before a database that could not be opened is tried again."""


class Show:
    """Takes events in the window's thread."""

    def __init__(self, app: ChatApp) -> None:
        self._app = app
        self._told_waiting = False
        self._replying_since = 0.0

    def controller_is_there(self) -> None:
        """Models load in a thread of their own while the memory opens."""
        from .. import slash

        self._app.prompt.commands = tuple(slash.commands())
        threading.Thread(target=self._load_models, name="chatmem-load", daemon=True).start()

    def _load_models(self) -> None:
        app = self._app
        try:
            specs = app.controller.agents.get().specs if app.controller else ()
        except ChatmemError as error:
            app.bridge.background(e.Failed(str(error)))
            specs = ()
        app.call_later(self._models_loaded, specs)

    def _models_loaded(self, specs: tuple[tuple[str, str], ...]) -> None:
        self._app.state = replace(self._app.state, loading=False, models=specs)
        self._app.refresh_status()

    async def take(self, told: Told) -> None:
        """One event, on the screen."""
        app, event = self._app, told.event
        exchange = told.tag if isinstance(told.tag, Exchange) and told.tag.is_mounted else None
        if event is None:
            await self._over(told.tag, exchange)
            return
        app.state = replace(app.state, standing=after(app.state.standing, event))
        name = "_" + e.name_of(event)
        handle = getattr(self, name, None)
        if handle is not None:
            await handle(event, exchange)
            return
        for text, style in lines(event):
            await self._note(text.strip(), style, exchange)

    async def _note(self, text: str, style: str, exchange: Exchange | None) -> None:
        if exchange is not None:
            await exchange.add_note(text, style)
        else:
            await self._app.talk.add(note(text, style))

    async def _over(self, tag: object, exchange: Exchange | None) -> None:
        if exchange is not None:
            exchange.remove_class("waiting")
            if exchange.foot.endswith("…"):
                await exchange.end()
        if tag == "start" and self._app.user is None:
            self._app.set_timer(RETRY_SECONDS, self._app.begin)
        if tag == "model":
            self._app.state = replace(self._app.state, loading=False)
        if tag == "new":
            await self._app.talk.clear()

    # A reply

    async def _turn_saved(self, event: e.TurnSaved, exchange: Exchange | None) -> None:
        exchange = exchange or self._app.talk.exchange_of(event.turn.id)
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

    async def _reply_started(self, event: e.ReplyStarted, exchange: Exchange | None) -> None:
        self._replying_since = time.perf_counter()
        if exchange is not None:
            if exchange.reply:  # in incognito, a line answered again
                await exchange.anew(exchange.line)
            exchange.set_foot("replying…")

    async def _reply_chunk(self, event: e.ReplyChunk, exchange: Exchange | None) -> None:
        if exchange is not None:
            await exchange.say(event.text)

    async def _reply_finished(self, event: e.ReplyFinished, exchange: Exchange | None) -> None:
        writing = time.perf_counter() - self._replying_since  # without loading and looking up
        speed = event.completion_tokens / writing if writing > 0 else 0.0
        self._app.state = replace(self._app.state, standing=replace(self._app.state.standing, speed=speed))
        if exchange is not None:
            found = f"{exchange.recalled} recalled · " if exchange.recalled else ""
            cut = " · cut off at the limit" if event.truncated else ""
            await exchange.end(f"{found}{event.seconds:.1f} s{cut}")

    async def _reply_stopped(self, event: e.ReplyStopped, exchange: Exchange | None) -> None:
        if exchange is not None:
            await exchange.end("(stopped; what you see is kept)" if event.turn else "(stopped)")

    async def _failed(self, event: e.Failed, exchange: Exchange | None) -> None:
        app = self._app
        if exchange is not None:
            await exchange.end()
            if exchange.turn_id is None and not app.prompt.text:  # it was not kept: it is not to be typed again
                app.prompt.put(exchange.line)
        if app.user is None:
            app.state = replace(app.state, standing=replace(app.state.standing, blocked=event.text))
        await self._note(event.text, "bad", exchange)

    # The memory

    async def _memory_written(self, event: e.MemoryWritten, exchange: Exchange | None) -> None:
        from ..panels import chip_of

        await self._refresh_chips(event.entries)
        fresh = [chip_of(entry) for entry in event.entries if not self._has_chip(entry)]
        where = self._app.talk.exchange_of(event.turn_id)
        if where is not None:
            await where.add_chips(fresh)
        else:
            await self._app.talk.add(*(ChipLine(chip) for chip in fresh))
        self._flash(event.entries)

    def _has_chip(self, entry: JournalEntry) -> bool:
        """An undo shows on the chip of the write that it takes back."""
        return entry.undoes is not None and any(c.chip.entry_id == entry.undoes for c in self._app.talk.query(ChipLine))

    async def _refresh_chips(self, entries: Sequence[JournalEntry]) -> None:
        touched = {_id(entry.before) for entry in entries} | {_id(entry.after) for entry in entries}
        undone = {entry.undoes for entry in entries}
        stale = [c for c in self._app.talk.query(ChipLine) if c.chip.entry_id in undone or c.chip.memory_id in touched]
        if stale:
            self._app.run_worker(lambda: self._read_chips(stale), thread=True, group="chips")

    def _read_chips(self, stale: Sequence[ChipLine]) -> None:
        """The chips as the journal has them now; a row that was replaced since can't be edited there any more."""
        from ..panels import chips_again

        c, user = self._app.controller, self._app.user
        if c is None or user is None:
            return
        now = {chip.entry_id: chip for chip in chips_again(c.store, user.id, [line.chip.entry_id for line in stale])}
        rows = c.store.memories_by_id([chip.memory_id for chip in now.values() if chip.memory_id is not None])
        for line in stale:
            chip = now.get(line.chip.entry_id)
            if chip is not None and chip.memory_id is not None:
                row = rows.get(chip.memory_id)
                chip = chip if row is not None and row.valid_to is None else replace(chip, memory_id=None)
            self._app.call_from_thread(self._set_chip, line, chip)

    def _set_chip(self, line: ChipLine, chip: Chip | None) -> None:
        if not line.is_mounted:
            return
        if chip is None:
            line.remove()
        else:
            line.update(chip)

    def _flash(self, entries: Sequence[JournalEntry]) -> None:
        self._app.run_worker(lambda: self._read_rows(entries), thread=True, group="flash")

    def _read_rows(self, entries: Sequence[JournalEntry]) -> None:
        c = self._app.controller
        if c is None:
            return
        ids = {_id(entry.before) for entry in entries} | {_id(entry.after) for entry in entries}
        rows = c.store.memories_by_id([row for row in ids if row is not None])
        self._app.call_from_thread(self._merge, entries, rows)

    def _merge(self, entries: Sequence[JournalEntry], rows: dict[int, Memory]) -> None:
        from ..panels import merged

        self._app.pane.flash(entries, merged(self._app.pane.memories, entries, rows))

    async def _forgotten(self, event: e.Forgotten, exchange: Exchange | None) -> None:
        app = self._app
        if event.everything:
            app.typed.forget()
            await app.talk.clear()
        for chip in list(app.talk.query(ChipLine)):
            await self._refresh_chip_after_forget(chip)
        for text, style in lines(event):
            await app.talk.add(note(text.strip(), style))
        app.reload_memory()

    async def _refresh_chip_after_forget(self, line: ChipLine) -> None:
        self._app.run_worker(lambda: self._read_chips([line]), thread=True, group="chips")

    # Who and where

    async def _user_changed(self, event: e.UserChanged, exchange: Exchange | None) -> None:
        if not event.told:
            await self._app.talk.clear()
        for text, style in lines(event):
            await self._note(text.strip(), style, exchange)
        self._app.set_user(event.user)

    async def _incognito_changed(self, event: e.IncognitoChanged, exchange: Exchange | None) -> None:
        app = self._app
        await app.talk.clear()
        for text, style in lines(event):
            await app.talk.add(note(text, style))
        app.screen_stack[0].set_class(event.on, "-incognito")
        if app.controller is not None:
            app.user = None
            c = app.controller
            app.bridge.ask(lambda: c.user, lambda user: app.call_from_thread(app.set_user, user))

    async def _session_started(self, event: e.SessionStarted, exchange: Exchange | None) -> None:
        app = self._app
        if app.user is None:
            app.set_user(event.user)
        if event.resumed and app.controller is not None:
            await app.talk.clear()
            c, user, session = app.controller, event.user, event.session
            app.run_worker(lambda: self._read_session(c, user.id, session.id), thread=True, group="resume")
        for text, style in lines(event):
            await app.talk.add(note(text, style))

    def _read_session(self, c: Any, user_id: int, session_id: int) -> None:
        from ..panels import chips_of_session

        turns = c.store.turns(session_id, limit=KEPT)
        chips = chips_of_session(c.store, user_id, session_id)
        self._app.call_later(self._show_session, turns, chips)

    async def _show_session(self, turns: Sequence[Turn], chips: dict[int, list[Chip]]) -> None:
        from ...memory.values import ASSISTANT

        exchange: Exchange | None = None
        for turn in turns:
            if turn.speaker == ASSISTANT and exchange is not None:
                await exchange.show_reply(turn)
                continue
            exchange = Exchange(turn.text)
            exchange.turn_id = turn.id
            await self._app.talk.add(exchange)
            await exchange.add_chips(chips.get(turn.id, []))
        self._app.talk.anchor()

    async def _session_ended(self, event: e.SessionEnded, exchange: Exchange | None) -> None:
        self._app.exit(0)

    async def _waiting(self, event: e.Waiting, exchange: Exchange | None) -> None:
        if not self._told_waiting:
            self._told_waiting = True
            for text, style in lines(event):
                await self._app.talk.add(
                    note(f"{text} Ctrl+Q leaves at once; they are kept for the next start.", style)
                )

    async def _left(self, event: e.Left, exchange: Exchange | None) -> None:
        self._app.leave()

    async def _asked(self, event: e.Asked, exchange: Exchange | None) -> None:
        self._app.ask(event)

    # Lists and panels

    async def _listed(self, event: e.Listed, exchange: Exchange | None) -> None:
        if event.title == "Models":
            self._models_loaded(tuple((str(role), str(spec)) for role, spec in event.rows))
        await self._app.talk.table(event)

    async def _memories_listed(self, event: e.MemoriesListed, exchange: Exchange | None) -> None:
        rows = tuple((f"#{m.id}", m.subject, m.topic, m.fact, m.happened_on) for m in event.memories)
        await self._app.talk.table(e.Listed(event.title, ("", "about", "topic", "fact", "when"), rows, event.empty))

    async def _explained(self, event: e.Explained, exchange: Exchange | None) -> None:
        self.why()

    def why(self) -> None:
        from .why import WhyPage

        self._ask_controller(self._why, lambda why: self._app.push_screen(WhyPage(why)),
                             "Nothing was looked up yet in this session; say something first.")  # fmt: skip

    def _why(self) -> Why | None:
        from .. import panels

        c = self._app.controller
        if c is None or c.last_recall is None:
            return None
        lines = {} if c.incognito else c.store.evidence([memory.id for memory in c.last_recall.memories])
        return panels.why(c.last_recall, panels.last_prompt(c) or None, lines)

    def context(self) -> None:
        from .why import ContextPage

        self._ask_controller(self._parts, lambda parts: self._app.push_screen(ContextPage(parts)))

    def _parts(self) -> Any:
        from .. import panels

        c = self._app.controller
        return panels.parts(panels.last_prompt(c), c.agents.get().count_tokens) if c is not None else []

    def _ask_controller(self, question: Any, show: Any, nothing: str = "") -> None:
        """Asks in the bridge's thread, shows here; `nothing` is told when the answer is None."""
        app = self._app

        def answered(found: Any) -> None:
            if found is None:
                app.call_from_thread(app.notify, nothing)
            else:
                app.call_from_thread(show, found)

        app.bridge.ask(question, answered)

    def timeline(self, key: str) -> None:
        from .. import panels
        from ..slash import number
        from .why import TimelinePage

        c, user = self._app.controller, self._app.user
        if c is not None and user is not None and not c.incognito:
            self._ask_controller(lambda: panels.timeline(c.store, user, number(key, "memory")),
                                 lambda steps: self._app.push_screen(TimelinePage(steps)))  # fmt: skip
        else:
            self._closed()

    def _closed(self) -> None:
        self._app.notify("The memory is closed: incognito is on, or it is not open yet.", severity="warning")

    def sessions(self, words: str) -> None:
        from .sessions import Picked, SessionsPanel

        def picked(found: Picked | None) -> None:
            if found is not None:
                self._app.run_line(f"/resume {found.session_id}")

        c, user = self._app.controller, self._app.user
        if c is not None and user is not None and not c.incognito:
            self._app.push_screen(SessionsPanel(c.store, user.id, words), picked)
        else:
            self._closed()

    def sql(self) -> None:
        from .console import SqlPanel

        c, user = self._app.controller, self._app.user
        if c is not None and user is not None and not c.incognito:
            self._app.push_screen(SqlPanel(c.store, user.id, "SELECT * FROM memory ORDER BY id DESC LIMIT 20;"))
        else:
            self._closed()

    def models(self) -> None:
        from .models import ModelsPanel, Switch

        def switched(found: Switch | None) -> None:
            if found is not None:
                self._app.state = replace(self._app.state, loading=True)
                self._app.run_line(f"/model {found.role} {found.spec}", "model")

        self._app.push_screen(ModelsPanel(self._app.state.models), switched)

    def help(self) -> None:
        from .. import slash
        from .why import HelpPage

        told = [(command.usage, command.help) for command in slash.commands().values()]
        self._app.push_screen(HelpPage(self._app.keymap, told))


def _id(image: Any) -> int | None:
    return int(image["id"]) if image and "id" in image else None
