"""What the parts of the window share: its widgets, the bridge to the controller, and who talks.

Imports point one way: `app` knows `dispatch`, `dispatch` knows the files that show events (`lifecycle`, `replies`,
`writes`, `whose`, `open_panels`), each of these knows the stage, and the stage knows the widgets. None knows another.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from ....memory.errors import NotFound
from ...config.safe_text import short_path
from ...shown import choices
from ...shown import events as e
from ...shown.render import Styled
from ...shown.status import Standing
from ..base import keys
from ..base.controller_thread import Bridge
from ..base.panel import ByWord, Confirm
from ..base.setup import Setup
from .conversation import Exchange, TalkView, note
from .input_history import Typed
from .memory_pane import MemoryPane
from .prompt import Prompt
from .status_line import StatusLine, WindowState

if TYPE_CHECKING:
    from ....memory.store.store import Store
    from ....memory.values import Memory, User
    from ...controller import Controller

Handlers = Mapping[type[e.Event], Callable[[Any, Exchange | None], Awaitable[None]]]
"""What a part does with an event of each kind; the exchange is the one that it is about, when there is one."""
UNSENT = " What you typed meanwhile stands in the prompt, and was not sent."
CLOSED = "The memory is closed: incognito is on, or it is not open yet."


@dataclass(frozen=True, slots=True)
class Read:
    """Of whom, at which state of the file, and after which writes (the last one, how many) the pane is."""

    user_id: int
    version: int
    writes: tuple[int, int]


class Stage:
    """The widgets and the state of one window, and what more than one part does with them."""

    def __init__(self, app: App[int], setup: Setup, bridge: Bridge) -> None:
        self.app, self.setup, self.bridge = app, setup, bridge
        self.controller: Controller | None = None
        self.user: User | None = None
        self.state = WindowState(
            Standing(incognito=setup.incognito), user=setup.settings.user, store=short_path(setup.database)
        )
        self.typed = Typed(None)
        self.read: Read | None = None
        self._asked: e.Asked | None = None
        self._broken_off: tuple[str, int] | None = None
        """Whose session was open, and which, when incognito began."""
        self.talk, self.pane, self.status = TalkView(id="talk"), MemoryPane(id="pane"), StatusLine(id="status")
        self._pane_key = keys.told(setup.settings.keymap, "pane")
        self.pane.keys = (self._pane_key, keys.told(setup.settings.keymap, "memory"))
        self.prompt = Prompt(id="prompt", placeholder="Say something, or /help")

    # Threads

    def in_thread(self, work: Callable[[], object], group: str, *, exclusive: bool = False) -> None:
        """Does slow work beside the window; `exclusive` work ends what the same group was at."""
        self.app.run_worker(work, thread=True, group=group, exclusive=exclusive)

    def back(self, act: Callable[..., Any], *args: Any) -> None:
        """From a thread: does something in the window's own, and waits for it."""
        self.app.call_from_thread(act, *args)

    # What is told

    async def note(self, text: str, style: str = "dim", exchange: Exchange | None = None) -> None:
        """A line of the program itself, under the exchange that it is about."""
        if exchange is not None:
            await exchange.add_note(text, style)
        else:
            await self.talk.add(note(text, style))

    async def notes(self, told: Iterable[Styled], exchange: Exchange | None = None) -> None:
        for text, style in told:
            await self.note(text.strip(), style, exchange)

    def change(self, **news: Any) -> None:
        """Changes what the status line tells."""
        self.state = replace(self.state, **news)

    def refresh_status(self) -> None:
        waiting = self.controller.worker.waiting if self.controller is not None else 0
        reading = self.controller.worker.reading if self.controller is not None else None
        self.change(
            waiting=waiting, reading=str(reading or ""), busy=self.bridge.waiting > 0 and self.controller is not None,
            pane_key="" if self.pane_is_shown() else self._pane_key,
        )  # fmt: skip
        self.status.show(self.state)

    def pane_is_shown(self) -> bool:
        """Whether there is room for the memory beside the talk, or it was asked for."""
        if not self.app.screen_stack:  # the window is closing
            return True
        window = self.app.screen_stack[0]
        return not window.has_class("-no-pane") and (window.has_class("-pane") or not window.has_class("-narrow"))

    # What is asked of the controller

    def run_line(self, line: str, tag: object = None) -> None:
        """Hands a line to the controller."""
        c = self.controller
        if c is None:
            self.app.notify("The memory is not open yet; one moment.", severity="warning")
            return
        self.bridge.run(lambda: self.submit(c, line), tag)
        self.refresh_status()

    def submit(self, c: Controller, line: str) -> Iterator[e.Event]:
        """What the controller makes of a line, in the bridge's thread. The session that incognito broke off goes on
        after it."""
        session, user, before = c.session, c.name, c.incognito
        yield from c.submit(line)
        if c.incognito and not before:
            self._broken_off = (user, session.id) if session is not None else None
        elif before and not c.incognito and self._broken_off is not None:
            (name, session_id), self._broken_off = self._broken_off, None
            if name == c.name and c.session is None:
                with suppress(NotFound):  # it was deleted meanwhile
                    yield from c.resume(session_id)

    def ask(self, event: e.Asked) -> None:
        """A question of the controller, before something is erased; one that stands already isn't asked twice."""
        if event == self._asked:
            return
        self._asked, offered = event, choices.offers(event)
        buttons = {flag: label for flag, label in choices.OFFERED.items() if flag in offered}

        async def answered(answer: str | None) -> None:
            self._asked = None
            if answer:
                self.run_line(f"{event.command} {answer}" if answer in buttons else event.command)
                return
            if self.controller is not None:
                self.controller.declined()
            await self.note(f"{choices.declined(event)}{UNSENT if self.prompt.text.strip() else ''}")

        by_word = ByWord(choices.question(event), partial(choices.agreed, event), partial(choices.once_more, event))
        self.app.push_screen(by_word if event.word else Confirm(choices.question(event), buttons), answered)

    def ask_controller(self, question: Callable[[], Any], show: Callable[[Any], Any], nothing: str = "") -> None:
        """Asks in the bridge's thread, shows here; `nothing` is told when the answer is None."""

        def answered(found: Any) -> None:
            if found is None:
                self.back(self.app.notify, nothing)
            else:
                self.back(show, found)

        self.bridge.ask(question, answered)

    def memory(self) -> tuple[Store, User] | None:
        """The store and whose memory is shown; None where nothing may be read."""
        c = self.controller
        return (c.store, self.user) if c is not None and self.user is not None and not c.incognito else None

    def open_memory(self) -> tuple[Store, User] | None:
        """As `memory`, and says so when it is closed."""
        found = self.memory()
        if found is None:
            self.app.notify(CLOSED, severity="warning")
        return found

    def count_writes(self, exchanges: Iterable[Exchange]) -> None:
        """Looks up how many writes of these lines one click takes back, and offers it under them."""
        found, asked = self.memory(), [exchange for exchange in exchanges if exchange.turn_id is not None]
        if asked and found is not None:
            store, user = found
            self.in_thread(lambda: self._read_counts(store, user, asked), "counts")

    def _read_counts(self, store: Store, user: User, exchanges: Sequence[Exchange]) -> None:
        from ...shown.chips import chips_of_turn

        for exchange in exchanges:
            self.back(self._offer, exchange, chips_of_turn(store, user.id, exchange.turn_id or 0).undo)

    async def _offer(self, exchange: Exchange, count: int) -> None:
        if exchange.is_attached:
            await exchange.offer_undo(count)

    # Whose memory it is

    def set_user(self, user: User) -> None:
        """Another user, or another name of this one: the memory is read anew."""
        changed = self.user is None or self.user.name != user.name
        self.user, self.pane.speaker = user, user.subject
        other_name = user.called and user.called.casefold() != user.name.casefold()
        self.change(user=f"{user.name} ({user.called})" if other_name else user.name)
        c = self.controller
        if changed and c is not None:
            self.typed = Typed(None if c.incognito else self.setup.history(user.name))
        self.reload_memory()

    def reread_user(self) -> None:
        """The user, with the name that is kept of them (a forget may have taken it), and their memory."""
        if (c := self.controller) is not None:
            self.bridge.ask(lambda: c.user, lambda user: self.back(self.set_user, user))

    def reload_memory(self) -> None:
        found = self.memory()
        if found is None:
            self.pane.close_up("Incognito: the memory is closed." if self.controller else "Memory")
            return
        store, user = found
        self.in_thread(lambda: self._read_memory(store, user), "memory", exclusive=True)

    def _read_memory(self, store: Store, user: User) -> None:
        read = Read(user.id, store.journal.version(), store.journal.writes(user.id))
        memories: Sequence[Memory] = store.facts.all(user.id)
        self.back(self._show_memory, read, memories)

    def _show_memory(self, read: Read, memories: Sequence[Memory]) -> None:
        self.read = read
        self.pane.show(memories)
        self.setup.settle()
