"""The keys of the window, each with a name under which the setting `keymap` gives it another key."""

from __future__ import annotations

from textual.binding import Binding

from ....memory.errors import SettingsError
from ...config.settings import nearest

# name, key, what it does; the action has the same name
ACTIONS: tuple[tuple[str, str, str], ...] = (
    ("help", "f1", "Help: keys and commands"),
    ("stop", "escape", "Stop the reply; leave a panel"),
    ("copy_or_stop", "ctrl+c", "Stop the reply, or copy what is selected"),
    ("palette", "ctrl+p", "Palette: everything by name"),
    ("new", "ctrl+n", "New session"),
    ("sessions", "ctrl+r", "Sessions: search, resume, rename, delete"),
    ("pane", "ctrl+b", "Memory pane on, off"),
    ("memory", "ctrl+o", "Go to the memory pane and back"),
    ("why", "ctrl+y", "Why: what the last reply was built on"),
    ("context", "ctrl+t", "Context: the exact prompt of the last reply"),
    ("sql", "f4", "SQL console"),
    ("models", "f3", "Models: which are at work, switch"),
    ("undo", "f8", "Undo the last write"),
    ("incognito", "f9", "Incognito on, off"),
    ("compact", "f10", "Compact lines on, off"),
    ("editor", "ctrl+g", "Write the line in $EDITOR"),
    ("quit", "ctrl+q", "Leave (twice: at once)"),
)
YES = "f12"
"""Says yes before something is erased, and does nothing else anywhere: a slip erases nothing."""
NAMES = tuple(name for name, _, _ in ACTIONS)


def bindings() -> list[Binding]:
    """For the app; they work wherever the focus is."""
    return [
        Binding(key, name, help, id=name, show=False, priority=name not in ("stop",)) for name, key, help in ACTIONS
    ]


def told(keymap: str, name: str) -> str:
    """The key of an action as people read it: `Ctrl+B`."""
    given = {action: key for action, key, _ in ACTIONS} | parse(keymap)
    return given[name].title()


def parse(text: str) -> dict[str, str]:
    """`new=ctrl+e, why=f7` as a keymap. Raises SettingsError for a name that is not known or a key given twice."""
    keymap: dict[str, str] = {}
    for part in text.split(","):
        name, separator, key = (piece.strip() for piece in part.partition("="))
        if not part.strip():
            continue
        if name not in NAMES:
            raise SettingsError(
                f"keymap names no action {name!r}{nearest(name, list(NAMES))}; F1 in `chatmem tui` lists them."
            )
        if not separator or not key:
            raise SettingsError(f"keymap gives no key to {name!r}; write it as {name}=ctrl+e.")
        if key.lower() == YES:
            raise SettingsError(f"keymap gives {key} to {name!r}, but that key says yes to an erasure; take another.")
        keymap[name] = key
    keys = {name: keymap.get(name, key) for name, key, _ in ACTIONS}
    for name in keymap:
        other = next((each for each in NAMES if each != name and keys[each] == keys[name]), None)
        if other:
            raise SettingsError(f"keymap gives {keys[name]} to both {name!r} and {other!r}; give one of them another.")
    return keymap
