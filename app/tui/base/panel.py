"""What the panels over the talk have in common, and the two smallest: a question, and a line to be put right."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Static, TextArea

from ....memory.errors import InputError
from ...config.safe_text import shown
from ...shown.events import Event
from .keys import YES

Result = TypeVar("Result")
UNSENT_TOLD = "What you type waits in the prompt, unsent: “{}”"
SHOWN = 24
"""Letters of what waits there that are shown, the last ones."""
YES_TOLD = f"No letter says yes: it takes {YES.upper()}, or Tab and Enter."


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


class Question(ModalScreen[Result], Generic[Result]):
    """A dialog that may open while somebody types on.

    What they type is not for it until they have paused: it goes on into the prompt (see `typed_ahead`), which is told
    them. The Enter at the end of that is no answer, however late it comes.
    """

    settle_seconds: ClassVar[float] = 0.6
    """How long nothing may be typed before a key is an answer."""

    def __init__(self) -> None:
        super().__init__()
        self._typed_at = math.inf
        self._line, self._begun = "", False

    def on_mount(self, event: events.Mount) -> None:
        self._typed_at = event.time

    def wants(self, text: str) -> bool:
        """Whether these letters mean something here."""
        return True

    def still_typing(self, at: float, *, for_prompt: bool = False) -> bool:
        """Whether the key pressed at that time came too soon to be an answer, or is none; the pause begins anew then.

        Keys from before the dialog was there are too soon as well, however late they are handed on.
        """
        typing = for_prompt or at - self._typed_at < self.settle_seconds
        self._typed_at = max(at, self._typed_at) if typing else self._typed_at
        return typing

    def typed_on(self, text: str) -> None:
        """What goes on into the prompt."""
        self._line += text
        self._begun = self._begun or bool(text.strip())

    def ends_line(self) -> bool:
        """Whether an Enter pressed now ends what was typed on; the next one doesn't."""
        begun, self._begun = self._begun, False
        return begun


class Confirm(Question[str]):
    """A question before something is erased; No is where the cursor is, and no letter says yes. The answer is empty for
    no, `yes`, or the name of a choice.

    What is asked may be longer than the window: what it is about scrolls, and the question above and the answers under
    it stay in sight.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(YES, "answer('yes')", "Yes", show=False),
        Binding("n,N,escape", "answer('')", "No", show=False),
        Binding("y,Y,ctrl+y", f"tell('{YES_TOLD}')", show=False),
        Binding("left,right", "app.focus_next", show=False),
        Binding("down", "scroll(1)", show=False),
        Binding("up", "scroll(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]
    AROUND = 10
    """Lines of the dialog that are not the question."""

    def __init__(self, question: str, choices: Mapping[str, str] | None = None) -> None:
        """`choices`: other ways to say yes, by name, as buttons say them."""
        super().__init__()
        self._question, self._choices = question, choices or {}

    def compose(self) -> ComposeResult:
        asks, _, of = self._question.partition("\n")
        with Vertical(classes="dialog"):
            yield Static(Content(shown(asks)), id="asks", markup=False)
            with VerticalScroll(id="asked", can_focus=False):
                yield Static(Content(shown(of)), markup=False)
            yield Button("No (n)", id="no", compact=True)
            for name, label in self._choices.items():
                yield Button(label, name=name, compact=True, variant="warning")
            yield Button(f"Yes ({YES.upper()})", name="yes", compact=True, variant="error")
            yield Static("", classes="panel-keys", markup=False)

    def on_resize(self) -> None:
        self._fit()
        self.call_after_refresh(self._fit)  # what is asked has its height only then

    def _fit(self) -> None:
        asked, asks = self.query_one("#asked"), self.query_one("#asks")
        asked.display = "\n" in self._question
        room = self.size.height - self.AROUND - len(self._choices) - max(1, asks.size.height)
        asked.styles.max_height = max(1, room)
        for name in ("scroll_y", "virtual_size", "show_vertical_scrollbar"):  # once, however often it is said
            self.watch(asked, name, self._tell_more, init=False)
        self.call_after_refresh(self._tell_more)

    def _tell_more(self) -> None:
        asked = self.query_one("#asked")
        below = round(asked.max_scroll_y - asked.scroll_y)
        more = f" ({below} below)" if below else ""
        self.action_tell(f"↑ ↓ PageUp PageDown show all of it{more}" if asked.max_scroll_y > 0 else "")

    def action_tell(self, text: str) -> None:
        told = self.query_one(".panel-keys", Static)
        told.update(Content(text))
        told.display = bool(text)

    def wants(self, text: str) -> bool:
        return text in ("n", "N", "y", "Y")

    def typed_on(self, text: str) -> None:
        super().typed_on(text)
        end = " ".join(self._line.split())
        self.action_tell(UNSENT_TOLD.format(shown(end if len(end) <= SHOWN else f"…{end[-SHOWN:]}")))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.name or "")

    def action_answer(self, answer: str) -> None:
        self.dismiss(answer)

    def action_scroll(self, by: int) -> None:
        self.query_one("#asked").scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        asked = self.query_one("#asked")
        asked.scroll_relative(y=by * max(1, asked.size.height - 1), animate=False)


class Field(TextArea):
    """A line that breaks where it is too long for its place. Enter is the end of it."""

    class Entered(Message):
        """The line is as it should be."""

        def __init__(self, text: str) -> None:
            self.text = " ".join(text.splitlines()).strip()
            super().__init__()

    def __init__(self, text: str) -> None:
        super().__init__(text, soft_wrap=True, show_line_numbers=False, compact=True)
        self.highlight_cursor_line = False
        self.move_cursor(self.document.end)

    def on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Entered(self.text))


class Reword(Question[str | None]):
    """One line to be put right; None when it was left as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", show=False)]
    KEYS = "Enter keeps it · Esc leaves it as it was"

    def __init__(self, title: str, text: str, hint: str = "", taken: Callable[[str], str] = str) -> None:
        """`taken`: what is made of the line; raises InputError for one that can't be taken, and then it stays."""
        super().__init__()
        self._title, self._text, self._hint, self._taken = title, text, hint, taken

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(shown(self._title)), markup=False)
            yield Field(self._text)
            yield Static("", classes="wrong", markup=False)
            yield Static("\n".join(filter(None, (self._hint, self.KEYS))), classes="panel-keys", markup=False)

    def on_field_entered(self, event: Field.Entered) -> None:
        if not event.text or event.text == self._text:
            self.dismiss(None)
            return
        try:
            self.dismiss(self._taken(event.text))
        except InputError as wrong:
            told = self.query_one(".wrong", Static)
            told.update(Content(str(wrong)))
            told.display = True

    def action_close(self) -> None:
        self.dismiss(None)


class ByWord(Question[str]):
    """A question that no yes agrees to: a word is typed, or all stays. The answer is `yes`, or empty for no."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", show=False)]
    KEYS = "Enter ends the word · Esc keeps it all"

    def __init__(self, question: str, agreed: Callable[[str], bool | None], once_more: Callable[[str], str]) -> None:
        """`agreed`: whether what was typed agrees; `once_more`: what is told where it says yes and doesn't."""
        super().__init__()
        self._question, self._agreed, self._once_more = question, agreed, once_more

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(shown(self._question)), id="asks", markup=False)
            yield Field("")
            yield Static("", classes="wrong", markup=False)
            yield Static(self.KEYS, classes="panel-keys", markup=False)

    def on_field_entered(self, event: Field.Entered) -> None:
        told = self._once_more(event.text)
        if not told:
            self.dismiss("yes" if self._agreed(event.text) else "")
            return
        self.query_one(Field).text = ""
        wrong = self.query_one(".wrong", Static)
        wrong.update(Content(told))
        wrong.display = True

    def action_close(self) -> None:
        self.dismiss("")
