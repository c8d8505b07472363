"""Where the user types: Enter sends, Shift+Enter or Ctrl+J makes a new line, the arrows bring earlier lines back."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from .sql_colours import completion

NEW_LINE = ("shift+enter", "ctrl+j", "alt+enter")


class Prompt(TextArea):
    """A text area that grows with its text, up to what the styles allow."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "up_or_earlier", "Earlier line", show=False),
        Binding("down", "down_or_later", "Later line", show=False),
    ]

    class Sent(Message):
        """The user sent a line."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class Commands(Message):
        """The user asks which slash commands there are."""

    class Earlier(Message):
        """The user asks for the line typed before (`step` -1) or after (1) the one in sight."""

        def __init__(self, step: int) -> None:
            self.step = step
            super().__init__()

    def __init__(self, *, placeholder: str, id: str) -> None:
        super().__init__(id=id, soft_wrap=True, show_line_numbers=False, compact=True, placeholder=placeholder)
        self.highlight_cursor_line = False
        self.commands: tuple[str, ...] = ()

    def on_key(self, event: events.Key) -> None:
        """Not bindings with priority: those would overtake letters that came just before them, as in a paste."""
        acts = {"enter": self.action_send, "tab": self.action_complete} | dict.fromkeys(NEW_LINE, self.action_newline)
        if event.key in acts:
            event.stop()
            event.prevent_default()
            acts[event.key]()

    def update_suggestion(self) -> None:
        """The rest of a slash command, in dim letters; Tab or the right arrow takes it."""
        text = self.text
        self.suggestion = ""
        if text.startswith("/") and " " not in text and len(text) > 1 and self.cursor_at_end_of_text:
            name = next((each for each in self.commands if each.startswith(text[1:]) and each != text[1:]), "")
            self.suggestion = name[len(text) - 1 :]
        elif text.startswith("/sql ") and self.cursor_at_end_of_text:
            self.suggestion = completion(text)

    def action_send(self) -> None:
        if self.text.strip():
            self.post_message(self.Sent(self.text))

    def action_newline(self) -> None:
        start, end = self.selection
        self._replace_via_keyboard("\n", start, end)

    def action_up_or_earlier(self) -> None:
        if self.cursor_at_first_line:
            self.post_message(self.Earlier(-1))
        else:
            self.action_cursor_up()

    def action_down_or_later(self) -> None:
        if self.cursor_at_last_line:
            self.post_message(self.Earlier(1))
        else:
            self.action_cursor_down()

    def action_complete(self) -> None:
        if self.suggestion:
            self.insert(self.suggestion)
        elif self.text.strip() == "/":
            self.post_message(self.Commands())
        elif not _is_command_name(self.text):
            self.screen.focus_next()

    def take(self, event: events.Key | events.Paste) -> None:
        """Something typed while another widget has the focus; it comes behind what was typed before."""
        self._forward_event(event)

    def put(self, text: str) -> None:
        """Replaces what is typed."""
        self.text = text
        self.move_cursor(self.document.end)


def _is_command_name(text: str) -> bool:
    """Whether a slash command is being typed, and not yet what comes after its name."""
    return text.startswith("/") and not any(letter.isspace() for letter in text)
