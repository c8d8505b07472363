"""Ctrl+R at the prompt, as in bash: each key narrows the search, Ctrl+R again goes further back, Enter takes the line
that was found and sends it, Ctrl+C or Ctrl+G leaves the search with the line as it was before.

prompt_toolkit brings the search; where it differs from bash, the keys here do as bash does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.key_binding import KeyBindings

EDITS = {"home": 0, "c-a": 0, "end": None, "c-e": None, "left": -1, "c-b": -1, "right": 1, "c-f": 1}
"""Keys that take the line that was found, to be changed first, and where each puts the cursor: at the beginning, at the
end (None), or a letter on."""


@dataclass(slots=True)
class _Before:
    """Where the prompt was when the search began."""

    place: int = 0
    cursor: int = 0


def add_keys(keys: KeyBindings) -> None:
    """The keys of a search, and the one that begins it."""
    from prompt_toolkit import search
    from prompt_toolkit.filters import control_is_searchable, is_searching

    before = _Before()

    @keys.add("c-r", filter=control_is_searchable & ~is_searching)
    def _(event: Any) -> None:
        line: Buffer = event.current_buffer
        before.place, before.cursor = line.working_index, line.cursor_position
        search.start_search(direction=search.SearchDirection.BACKWARD)

    @keys.add("c-c", filter=is_searching)
    @keys.add("c-g", filter=is_searching)
    def _(event: Any) -> None:
        search.stop_search()
        line: Buffer = event.app.current_buffer
        line.go_to_history(before.place)
        line.cursor_position = min(before.cursor, len(line.text))

    @keys.add("enter", filter=is_searching)
    def _(event: Any) -> None:
        if _taken(event):
            event.app.current_buffer.validate_and_handle()

    for key in EDITS:
        keys.add(key, filter=is_searching)(partial(_edited, key=key))


def _edited(event: Any, key: str) -> None:
    _taken(event)
    line: Buffer = event.app.current_buffer
    step = EDITS[key]
    place = len(line.text) if step is None else line.cursor_position + step if step else 0
    line.cursor_position = min(max(place, 0), len(line.text))


def _taken(event: Any) -> bool:
    """Ends the search at the line that was found; False, with the line as before, when none was."""
    from prompt_toolkit import search

    wanted: str = event.current_buffer.text
    if not wanted:
        search.stop_search()
        return False
    search.accept_search()
    return wanted in event.app.current_buffer.text
