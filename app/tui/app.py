"""The window: lays out the talk, the memory and the status line, and turns keys into jobs for the controller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Markdown

from ...memory.values import Memory, User
from .. import events as e
from ..standing import Standing
from .bridge import Bridge, Told
from .chips import ChipLine
from .keys import ACTIONS, NAMES, bindings, parse
from .pane import MemoryPane
from .panel import Confirm, Reword
from .prompt import Prompt
from .setup import FIRST_RUN, WELCOME, Setup
from .show import Show
from .status import State, StatusLine
from .talk import Exchange, Talk, note
from .typed import Typed

if TYPE_CHECKING:
    from ..controller import Controller


class Happened(Message):
    """Something told by the bridge's thread."""

    def __init__(self, told: Told) -> None:
        self.told = told
        super().__init__()


class MemoryOpen(Message):
    """The memory is open. `first`: nothing was ever said here."""

    def __init__(self, user: User, first: bool) -> None:
        self.user, self.first = user, first
        super().__init__()


class ChatApp(App[int]):
    """The chat. All that it knows comes as events; what it does goes through the bridge."""

    TITLE = "chatmem"
    CSS_PATH = "chatmem.tcss"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings())
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares its type
    COMMAND_PALETTE_BINDING = "ctrl+shift+f12"  # ours can be given another key

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self.setup = setup
        self.bridge = Bridge(self._told)
        self.controller: Controller | None = None
        self.user: User | None = None
        self.state = State(Standing(incognito=setup.incognito), user=setup.settings.user)
        self.view = Show(self)
        self.keymap = parse(setup.settings.keymap)
        self.typed = Typed(None)
        self.talk, self.pane, self.status = Talk(id="talk"), MemoryPane(id="pane"), StatusLine(id="status")
        self.prompt = Prompt(id="prompt", placeholder="Say something, or /help")
        self.crash: Exception | None = None
        self._leaving = self._hurry = False

    # What is on the screen

    def compose(self) -> ComposeResult:
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield self.talk
                yield self.prompt
            yield self.pane
        yield self.status

    def on_mount(self) -> None:
        settings = self.setup.settings
        self.theme = settings.theme
        self.set_keymap(self.keymap)
        self.screen.set_class(settings.compact, "-compact")
        self.prompt.focus()
        self.set_interval(0.5, self.refresh_status)
        self.refresh_status()
        self.call_after_refresh(self.begin)

    def begin(self) -> None:
        self.bridge.run(self._open, "start")

    def refresh_status(self) -> None:
        waiting = self.controller.worker.waiting if self.controller is not None else 0
        busy = self.bridge.waiting > 0 and self.controller is not None
        self.state = replace(self.state, waiting=waiting, busy=busy)
        self.status.show(self.state)

    # The bridge's thread

    def _told(self, told: Told) -> None:
        self.post_message(Happened(told))

    def _open(self) -> Iterator[e.Event]:
        """Makes the controller and opens the memory; raises StoreError, after which it is tried again."""
        if self.controller is None:
            controller = self.setup.make()
            controller.subscribe(self.bridge.background)
            self.controller = controller
            self.call_from_thread(self.view.controller_is_there)
        c = self.controller
        first = not c.incognito and not c.store.sessions(c.user.id, limit=1)
        self.post_message(MemoryOpen(c.user, first))
        yield from c.start(self.setup.resume)

    def bye(self) -> Iterator[e.Event]:
        """As `Controller.bye`, with a way to leave at once."""
        if self.controller is None:
            yield e.SessionEnded(None)
            return
        while not self.controller.wait(0.2) and not self._hurry:
            yield e.Waiting(self.controller.worker.waiting)
        yield from self.controller.leave()

    # What comes back

    async def on_happened(self, message: Happened) -> None:
        await self.view.take(message.told)
        self.refresh_status()

    async def on_memory_open(self, message: MemoryOpen) -> None:
        self.set_user(message.user)
        if message.first:
            await self.talk.add(*(note(line.format(database=self.setup.database)) for line in FIRST_RUN))
        elif not self.setup.incognito and self.setup.resume is None:
            await self.talk.add(note(WELCOME.format(name=message.user.called or message.user.name)))

    def set_user(self, user: User) -> None:
        """Another user, or another name of this one: the memory is read anew."""
        changed = self.user is None or self.user.name != user.name
        self.user = user
        other_name = user.called and user.called.casefold() != user.name.casefold()
        told = f"{user.name} ({user.called})" if other_name else user.name
        self.state = replace(self.state, user=told)
        c = self.controller
        if changed and c is not None:
            self.typed = Typed(None if c.incognito else self.setup.history(user.name))
        self.reload_memory()

    def reload_memory(self) -> None:
        if self.controller is None or self.controller.incognito or self.user is None:
            self.pane.close_up("Incognito: the memory is closed." if self.controller else "Memory")
        else:
            self._read_memory(self.controller, self.user)

    @work(thread=True, exclusive=True, group="memory")
    def _read_memory(self, c: Controller, user: User) -> None:
        memories = c.store.memories(user.id)
        self.call_from_thread(self.pane.show, memories)

    # What the user does

    def run_line(self, line: str, tag: object = None) -> None:
        """Hands a line to the controller."""
        if self.controller is None:
            self.notify("The memory is not open yet; one moment.", severity="warning")
            return
        c = self.controller
        self.bridge.run(lambda: c.submit(line), tag)
        self.refresh_status()

    async def on_prompt_sent(self, message: Prompt.Sent) -> None:
        line = message.text.strip()
        if self._leaving:
            return
        self.prompt.put("")
        self.typed.add(line)
        word = line.split()[0].lower()
        if word.startswith("/") and not word.startswith("//"):
            await self._command(word[1:], line)
        elif line.casefold() in ("bye", "reset"):
            self.run_line(line)
        else:
            exchange = Exchange(line.removeprefix("/"), waiting=True)
            await self.talk.add(exchange)
            self.talk.anchor()
            if self.controller is None:  # still opening: the line waits its turn
                self.bridge.run(lambda: self._late(line), exchange)
            else:
                self.run_line(line, exchange)

    def _late(self, line: str) -> Iterable[e.Event]:
        if self.controller is None:
            return [e.Failed("The memory is not open yet; send the line again in a moment.")]
        return self.controller.submit(line)

    async def _command(self, word: str, line: str) -> None:
        rest = line.partition(" ")[2].strip()
        panels: dict[str, Callable[[], None]] = {
            "help": self.action_help, "?": self.action_help, "why": self.action_why, "context": self.action_context,
        }  # fmt: skip
        if word == "sessions":
            self.view.sessions(rest)
        elif word == "history" and rest:
            self.view.timeline(rest)
        elif word in ("sql", "model") and not rest:
            (self.action_sql if word == "sql" else self.action_models)()
        elif word in panels and not rest:
            panels[word]()
        elif word in ("edit", "regenerate", "regen"):
            self.run_line(line, self.talk.last)
        else:
            self.run_line(line)

    def on_prompt_earlier(self, message: Prompt.Earlier) -> None:
        found = self.typed.step(message.step, self.prompt.text)
        if found is not None:
            self.prompt.put(found)

    def on_chip_line_undo(self, message: ChipLine.Undo) -> None:
        self.run_line(f"/undo {message.entry_id}")

    def on_chip_line_edited(self, message: ChipLine.Edited) -> None:
        self.run_line(f"/correct {message.memory_id} {message.fact}")

    def on_chip_line_timeline(self, message: ChipLine.Timeline) -> None:
        self.view.timeline(str(message.memory_id))

    def on_memory_pane_act(self, message: MemoryPane.Act) -> None:
        memory = message.memory
        if message.act == "edit":
            self.push_screen(
                Reword(f"Put memory {memory.id} right", memory.fact), lambda text: self._edit(memory, text)
            )
        elif message.act == "timeline":
            self.view.timeline(str(memory.id))
        elif message.act == "pin":
            self.run_line(f"/{'unpin' if memory.pinned else 'pin'} {memory.id}")
        else:
            self.run_line(f"/forget {memory.id}")

    def _edit(self, memory: Memory, text: str | None) -> None:
        if text:
            self.run_line(f"/correct {memory.id} {text}")

    def on_sql_panel_write(self, message: Message) -> None:
        self.run_line(f"/sql --write {getattr(message, 'sql', '')}")

    def on_markdown_link_clicked(self, event: Markdown.LinkClicked) -> None:
        """A model wrote this address: it is shown and copied, never opened."""
        self.copy_to_clipboard(event.href)
        self.notify(f"Copied, not opened: {event.href}", markup=False)

    # Actions (see keys.py)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Over the talk lies a panel: its own keys come first."""
        return len(self.screen_stack) < 2 or action not in NAMES or action in ("copy_or_stop", "quit")

    def action_help(self) -> None:
        self.view.help()

    def action_stop(self) -> None:
        if self.controller is None or not self.controller.stop():
            self.prompt.focus()

    def action_copy_or_stop(self) -> None:
        if self.controller is not None and self.controller.stop():
            return
        copied = getattr(self.focused, "selected_text", "") or self.screen.get_selected_text()
        if copied:
            self.copy_to_clipboard(copied)
        else:
            self.notify("Ctrl+Q leaves, and so does bye.")

    def action_palette(self) -> None:
        self.action_command_palette()

    def action_new(self) -> None:
        self.run_line("/new", "new")

    def action_sessions(self) -> None:
        self.view.sessions("")

    def action_pane(self) -> None:
        shown = self.pane.display and self.pane.region.width > 0
        self.screen_stack[0].set_class(not shown, "-pane")
        self.screen_stack[0].set_class(shown, "-no-pane")

    def action_memory(self) -> None:
        if self.pane.has_focus_within:
            self.prompt.focus()
        else:
            self.screen_stack[0].set_class(True, "-pane").set_class(False, "-no-pane")
            self.pane.query_one("#pane-rows").focus()

    def action_why(self) -> None:
        self.view.why()

    def action_context(self) -> None:
        self.view.context()

    def action_sql(self) -> None:
        self.view.sql()

    def action_models(self) -> None:
        self.view.models()

    def action_undo(self) -> None:
        self.run_line("/undo")

    def action_incognito(self) -> None:
        self.run_line("/incognito")

    def action_compact(self) -> None:
        self.screen_stack[0].toggle_class("-compact")

    def action_editor(self) -> None:
        from .editor import edited

        self.prompt.put(edited(self, self.prompt.text))

    async def action_quit(self) -> None:
        if self._leaving:
            self._hurry = True
            self.exit(0)
            return
        self.leave()

    def leave(self) -> None:
        """Waits until all is remembered; a second time leaves at once."""
        self._leaving = True
        if self.controller is not None:
            self.controller.stop()
        self.bridge.run(self.bye, "bye")

    def ask(self, event: e.Asked) -> None:
        """A question of the controller, before something is erased."""
        self.push_screen(Confirm(event.question), lambda yes: self.run_line(event.command) if yes else None)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        keep = {"Theme", "Screenshot", "Maximize", "Minimize"}
        yield from (command for command in super().get_system_commands(screen) if command.title in keep)
        for name, key, help in ACTIONS:
            if name not in ("palette", "copy_or_stop"):
                title, _, more = help.partition(": ")
                shown = self.keymap.get(name, key)
                yield SystemCommand(title, f"{more or title} ({shown})", lambda name=name: self.run_named(name))

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
