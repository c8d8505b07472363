"""What the panels over the talk have in common, and the two smallest: a question, and a line to be put right."""

from __future__ import annotations

import time
from typing import Any, ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from ...config.safe_text import shown
from ...shown.events import Event

Result = TypeVar("Result")


class Panel(ModalScreen[Result], Generic[Result]):
    """A panel with a title and a line of keys. Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", show=False)]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares its type
    TITLE = ""
    KEYS = "Esc closes"

    def compose(self) -> ComposeResult:
        with Vertical(classes="panel"):
            yield Static(Content(self.TITLE), classes="panel-title", markup=False)
            yield from self.body()
            yield Static(Content(self.KEYS), classes="panel-keys", markup=False)

    def body(self) -> ComposeResult:
        yield from ()

    def action_close(self) -> None:
        self.dismiss(None)

    def retitle(self, text: str) -> None:
        self.query_one(".panel-title", Static).update(Content(shown(text)))


class Hears(Panel[Result], Generic[Result]):
    """A panel that gives the controller lines, and hears what comes of them."""

    class Line(Message):
        """A line for the controller."""

        def __init__(self, panel: Hears[Any], line: str) -> None:
            self.panel, self.line = panel, line
            super().__init__()

    def hear(self, event: Event) -> None:
        """Something came of a line of this panel; it is shown in the talk as well."""


class ScrollPage(Panel[None]):
    """A panel of text that scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll(1)", "Down", show=False),
        Binding("up,k", "scroll(-1)", "Up", show=False),
    ]
    KEYS = "↑↓ scroll · Esc closes"

    def body(self) -> ComposeResult:
        with VerticalScroll(classes="panel-body"):
            yield from self.text()

    def text(self) -> list[Widget]:
        return []

    def action_scroll(self, by: int) -> None:
        self.query_one(".panel-body").scroll_relative(y=by, animate=False)


class Confirm(ModalScreen[bool]):
    """A question before something is erased; No is where the cursor is.

    It may open while somebody types on. What they type is no answer until they have paused: it goes on into the prompt.
    """

    settle_seconds: ClassVar[float] = 0.6
    """How long nothing may be typed before a key is an answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", show=False),
        Binding("n,escape", "answer(False)", "No", show=False),
        Binding("left,right", "app.focus_next", show=False),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question
        self._typed_at = time.monotonic()

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(shown(self._question)), markup=False)
            yield Button("No (n)", id="no", compact=True)
            yield Button("Yes (y)", id="yes", compact=True, variant="error")

    def on_mount(self) -> None:
        self._typed_at = time.monotonic()

    def still_typing(self) -> bool:
        """Whether the key at hand came too soon to be an answer; if so, the pause begins anew."""
        now = time.monotonic()
        soon = now - self._typed_at < self.settle_seconds
        self._typed_at = now if soon else self._typed_at
        return soon

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)


class Reword(ModalScreen[str | None]):
    """One line to be put right; None when it was left as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", show=False)]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(shown(self._title)), markup=False)
            yield Input(value=self._text, compact=True, select_on_focus=False)  # the first letter must not erase it
            yield Static("Enter keeps it · Esc leaves it as it was", classes="panel-keys", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        self.dismiss(text if text and text != self._text else None)

    def action_close(self) -> None:
        self.dismiss(None)
