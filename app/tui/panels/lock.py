"""The window while it is locked: nothing of the talk is in sight, and a passphrase is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from ....memory.errors import ChatmemError

TITLE = "Locked, since nobody was here for a while."
KEYS = "Enter opens it (with a key in the keychain: just Enter) · Ctrl+Q leaves"


class Locked(Screen[None]):
    """Hides the window until `unlock`, which raises ChatmemError, takes what was typed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "app.quit", show=False)]

    def __init__(self, unlock: Callable[[str], None]) -> None:
        super().__init__()
        self._unlock = unlock

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(TITLE), markup=False)
            yield Input(password=True, placeholder="passphrase", compact=True)
            yield Static(Content(KEYS), classes="panel-keys", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        typed = event.value
        event.input.value = ""
        self.run_worker(lambda: self._try(typed), thread=True, exclusive=True)

    def _try(self, typed: str) -> None:
        """In a thread: making the key of a passphrase takes a moment."""
        try:
            self._unlock(typed)
        except ChatmemError as error:
            self.app.call_from_thread(self._tell, str(error))
            return
        self.app.call_from_thread(self.dismiss, None)

    def _tell(self, problem: str) -> None:
        self.query_one(".panel-keys", Static).update(Content(problem))
