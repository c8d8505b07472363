"""The window: lays out the talk, the memory and the status line, and turns keys into jobs for the controller."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import App, ComposeResult, ScreenStackError, SystemCommand
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Markdown

from ...memory.values import Memory, User
from ..config.safe_text import typed
from ..shown.dated import changed, with_date
from . import locking
from .base.controller_thread import Bridge, JobEvent
from .base.keys import ACTIONS, NAMES, bindings, parse
from .base.panel import Hears, Reword
from .base.setup import Setup
from .base.words import bare_word
from .dispatch import Show
from .typed_ahead import TypedAhead
from .widgets.chips import ChipLine, QuotedWords, WholeTurn
from .widgets.conversation import Exchange
from .widgets.memory_pane import MemoryPane
from .widgets.prompt import Prompt
from .widgets.shared import Stage
from .widgets.status_line import WindowState
from .writes import LOOK_SECONDS

if TYPE_CHECKING:
    from textual.command import Provider

    from ..controller import Controller


DATED = "A date in brackets at the end, as (2026-05-08), is the fact's date."
WAITS = "waits for the reply before it …"


def _palette() -> type[Provider]:
    """Imported when it is opened."""
    from .base.palette import Everything

    return Everything


class Happened(Message):
    """Something told by the bridge's thread."""

    def __init__(self, told: JobEvent) -> None:
        self.told = told
        super().__init__()


class ChatApp(App[int]):
    """The chat. All that it knows comes as events; what it does goes through the bridge."""

    TITLE = "chatmem"
    CSS_PATH = "chatmem.tcss"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings())
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares its type
    COMMANDS: ClassVar = {_palette}
    COMMAND_PALETTE_BINDING = "ctrl+shift+f12"  # ours can be given another key

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self.bridge = Bridge(self._told)
        self.stage = stage = Stage(self, setup, self.bridge)
        self.talk, self.pane, self.prompt, self.status = stage.talk, stage.pane, stage.prompt, stage.status
        self.show = Show(stage)
        self.typed_ahead = TypedAhead(self, self.prompt)
        self.keymap = parse(setup.settings.keymap)
        self.crash: Exception | None = None

    @property
    def controller(self) -> Controller | None:
        """The chat; None until it is made, after the first paint."""
        return self.stage.controller

    @property
    def user(self) -> User | None:
        """Whose memory is shown; None until it is open."""
        return self.stage.user

    @property
    def state(self) -> WindowState:
        """What the status line tells."""
        return self.stage.state

    # What is on the screen

    def compose(self) -> ComposeResult:
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield self.talk
                yield self.prompt
            yield self.pane
        yield self.status

    def on_mount(self) -> None:
        settings = self.stage.setup.settings
        self.theme = settings.theme
        self.set_keymap(self.keymap)
        self.screen.set_class(settings.compact, "-compact")
        self.prompt.focus()
        self.set_interval(0.5, self.refresh_status)
        self.set_interval(LOOK_SECONDS, self.show.writes.look)
        if self.stage.setup.lock is not None:
            self.set_interval(locking.LOOK_SECONDS, self.show.locking.look)
        self.refresh_status()
        self.call_after_refresh(self.show.life.begin)

    def refresh_status(self) -> None:
        self.stage.refresh_status()

    def _told(self, told: JobEvent) -> None:
        """From the bridge's thread."""
        self.post_message(Happened(told))

    async def on_happened(self, message: Happened) -> None:
        if self.return_code is None:  # a window that is closing shows nothing any more
            await self.show.take(message.told)
            self.refresh_status()

    # What the user does

    def run_line(self, line: str, tag: object = None) -> None:
        self.stage.run_line(line, tag)

    async def on_prompt_sent(self, message: Prompt.Sent) -> None:
        line = typed(message.text).strip()
        if self.show.life.leaving or not line:
            return
        self.prompt.put("")
        self.stage.typed.add(line)
        word = line.split()[0].lower()
        if word.startswith("/") and not word.startswith("//"):
            await self._command(word[1:], line)
        elif bare := bare_word(line):
            self.run_line(bare)
        else:
            exchange = Exchange(line.removeprefix("/"), waiting=True)
            await self.talk.add(exchange)
            if self.bridge.waiting:
                exchange.set_foot(WAITS)
            self.talk.anchor()
            if self.controller is None:  # still opening: the line waits its turn
                self.bridge.run(lambda: self.show.life.late(line), exchange)
            else:
                self.run_line(line, exchange)

    async def _command(self, word: str, line: str) -> None:
        from ..chat.slash.registry import ALIASES

        rest, word = line.partition(" ")[2].strip(), ALIASES.get(word, word)
        panels: dict[str, Callable[[], None]] = {
            "": self.show.desktop.commands, "help": self.action_help, "why": self.action_why,
            "context": self.action_context, "settings": self.show.desktop.settings,
        }  # fmt: skip
        if word == "sessions":
            self.show.desktop.sessions(rest)
        elif word == "history" and rest:
            self.show.desktop.timeline(rest)
        elif word in ("sql", "model") and not rest:
            (self.action_sql if word == "sql" else self.action_models)()
        elif word in panels and not rest:
            panels[word]()
        elif word in ("edit", "regenerate"):
            self.run_line(line, self.talk.last)
        else:
            self.run_line(line)

    async def on_event(self, event: events.Event) -> None:
        """Keys come here first, so that what belongs to a sentence is for the prompt."""
        if isinstance(event, events.Key | events.MouseEvent | events.Paste):
            self.show.locking.used()
        if not await self.typed_ahead.takes(event):
            with suppress(ScreenStackError):  # the window closes meanwhile, and nothing is left that a key could do
                await super().on_event(event)

    def on_prompt_commands(self) -> None:
        self.show.desktop.commands()

    def on_prompt_earlier(self, message: Prompt.Earlier) -> None:
        found = self.stage.typed.step(message.step, self.prompt.text)
        if found is not None:
            self.prompt.put(found)

    def on_chip_line_undo(self, message: ChipLine.Undo) -> None:
        self.run_line(f"/{'redo' if message.again else 'undo'} {message.entry_id}")

    def on_whole_turn_undo(self, message: WholeTurn.Undo) -> None:
        self.run_line(f"/undo --turn {message.turn_id}")

    def on_quoted_words_mine(self, message: QuotedWords.Mine) -> None:
        self.run_line(f"/mine {message.turn_id}")

    def on_chip_line_edited(self, message: ChipLine.Edited) -> None:
        self.run_line(f"/correct {message.memory_id} {message.fact}")

    def on_chip_line_timeline(self, message: ChipLine.Timeline) -> None:
        self.show.desktop.timeline(str(message.memory_id))

    def on_memory_pane_act(self, message: MemoryPane.Act) -> None:
        memory = message.memory
        if message.act == "edit":
            self._reword(memory)
        elif message.act == "timeline":
            self.show.desktop.timeline(str(memory.id))
        elif message.act == "pin":
            self.run_line(f"/{'unpin' if memory.pinned else 'pin'} {memory.id}")
        else:
            self.run_line(f"/forget {memory.id}")

    def _reword(self, memory: Memory) -> None:
        fact, date = memory.fact, memory.happened_on
        self.push_screen(
            Reword(f"Put memory {memory.id} right", with_date(fact, date), DATED, lambda t: changed(t, fact, date)),
            lambda text: self.run_line(f"/correct {memory.id} {text}") if text else None,
        )

    def on_hears_line(self, message: Hears.Line) -> None:
        self.run_line(message.line, message.panel)

    def on_markdown_link_clicked(self, event: Markdown.LinkClicked) -> None:
        """A model wrote this address: it is shown and copied, never opened."""
        self.copy_to_clipboard(event.href)
        self.notify(f"Copied, not opened: {event.href}", markup=False)

    # Actions (see keys.py)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Over the talk lies a panel: its own keys come first."""
        return len(self.screen_stack) < 2 or action not in NAMES or action in ("copy_or_stop", "quit")

    def action_help(self) -> None:
        self.show.desktop.help()

    def action_stop(self) -> None:
        if self.controller is None or not self.controller.stop():
            self.prompt.focus()

    def action_copy_or_stop(self) -> None:
        if self.controller is not None and self.controller.stop():
            return
        copied = getattr(self.focused, "selected_text", "") or self.screen.get_selected_text()
        if copied:
            self.copy_to_clipboard(copied)
        elif self.prompt.text and len(self.screen_stack) < 2:
            self.prompt.clear()
            self.notify("Cleared; Ctrl+Z brings it back. Ctrl+Q leaves, and so does bye.")
        else:
            self.notify("Ctrl+Q leaves, and so does bye.")

    def action_palette(self) -> None:
        self.action_command_palette()

    def action_new(self) -> None:
        self.prompt.focus()
        self.run_line("/new", "new")

    def action_sessions(self) -> None:
        self.show.desktop.sessions("")

    def action_pane(self) -> None:
        shown = self.stage.pane_is_shown()
        if self.pane.has_focus_within:
            self.prompt.focus()
        self.screen_stack[0].set_class(not shown, "-pane")
        self.screen_stack[0].set_class(shown, "-no-pane")
        self.refresh_status()

    def action_memory(self) -> None:
        if self.pane.has_focus_within:
            self.prompt.focus()
        else:
            self.screen_stack[0].set_class(True, "-pane").set_class(False, "-no-pane")
            self.refresh_status()
            self.screen.set_focus(self.pane.query_one("#pane-rows"))  # at once, before the next key

    def action_why(self) -> None:
        self.show.desktop.why()

    def action_context(self) -> None:
        self.show.desktop.context()

    def action_sql(self) -> None:
        self.show.desktop.sql()

    def action_models(self) -> None:
        self.show.desktop.models()

    def action_undo(self) -> None:
        self.run_line("/undo")

    def action_incognito(self) -> None:
        self.run_line("/incognito")

    def action_compact(self) -> None:
        self.screen_stack[0].toggle_class("-compact")

    def action_editor(self) -> None:
        from .widgets.editor import edited

        self.prompt.put(edited(self, self.prompt.text, sealed=self.stage.setup.lock is not None))

    async def action_quit(self) -> None:
        self.show.life.leave()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        keep = {"Theme", "Screenshot", "Maximize", "Minimize"}
        yield from (command for command in super().get_system_commands(screen) if command.title in keep)
        for name, key, help in ACTIONS:
            if name not in ("palette", "copy_or_stop"):
                yield SystemCommand(help, self.keymap.get(name, key), lambda name=name: self.run_named(name))
        yield SystemCommand("Settings", "what is set", self.show.desktop.settings)
        for usage, help in self.show.desktop.usages():
            yield SystemCommand(usage, help, lambda usage=usage: self._begin(usage))

    def _begin(self, usage: str) -> None:
        """Puts a command into the prompt, to be finished and sent."""
        name, _, arguments = usage.partition(" ")
        self.prompt.put(f"{name} " if arguments else name)
        self.prompt.focus()

    def run_named(self, name: str) -> None:
        self.call_later(self.run_action, name)

    def _handle_exception(self, error: Exception) -> None:
        """Something unforeseen: the window closes; who opened it tells in a sentence, not in a traceback."""
        self.crash = error
        if self.is_headless:  # nobody looks: whoever drives the window gets the error as it is
            super()._handle_exception(error)
        else:
            self.exit(return_code=1)

    def on_resize(self) -> None:
        self.refresh_status()
