"""The keyboard of the terminal chat: keys arrive as they are typed, also while a line is shown above the prompt."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any


def make_input() -> Any:
    """prompt_toolkit's input, which stays raw while something is printed above the prompt.

    prompt_toolkit makes the terminal cooked for each such print: Enter pressed in that moment is echoed and arrives as
    Ctrl+J, which here begins a new line and doesn't send. Only an editor needs a cooked terminal.
    """
    from prompt_toolkit.input import create_input

    if sys.platform == "win32":
        return create_input()
    from prompt_toolkit.input.vt100 import Vt100Input

    class Keyboard(Vt100Input):
        editing = False

        def cooked_mode(self) -> AbstractContextManager[None]:
            return super().cooked_mode() if self.editing else nullcontext()

    return Keyboard(sys.stdin) if sys.stdin.isatty() else create_input()


def add_editor_key(keys: Any) -> None:
    """Ctrl+X Ctrl+E opens the line in $EDITOR and sends what is saved there."""

    def edit(event: Any) -> None:
        keyboard = event.app.input
        keyboard.editing = True
        task = event.current_buffer.open_in_editor(validate_and_handle=True)
        task.add_done_callback(lambda _: setattr(keyboard, "editing", False))

    keys.add("c-x", "c-e")(edit)
