"""The status line: is memory on, who talks, with which models, how fast, what waits, and what blocks memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.text import Text
from textual.widget import Widget

from ...config.safe_text import one_line, shown
from ...shown.status import Standing, models_in_short


@dataclass(frozen=True, slots=True)
class WindowState:
    """All that the line tells."""

    standing: Standing = field(default_factory=Standing)
    user: str = ""
    models: tuple[tuple[str, str], ...] = ()
    loading: bool = True
    busy: bool = False
    waiting: int = 0
    reading: str = ""
    """How far a long message is read."""
    pane_key: str = ""
    """The key that brings the memory pane ("": it is shown)."""
    store: str = ""
    """The memory's file, shortened ("": not told, as in incognito)."""


class StatusLine(Widget):
    """One line; what matters less goes first when the window is narrow."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.state = WindowState()

    def show(self, state: WindowState) -> None:
        if state != self.state:
            self.state = state
            self.refresh()

    def render(self) -> Text:
        parts = pieces(self.state)
        while len(parts) > 1 and sum(len(text) + 3 for text, *_ in parts) - 3 > self.size.width:
            parts.remove(max(parts, key=lambda part: part[2]))
        line = Text(" · ").join(Text(text, style=style) for text, style, _ in parts)
        line.truncate(max(1, self.size.width), overflow="ellipsis")
        return line


def pieces(state: WindowState) -> list[tuple[str, str, int]]:
    """Text, style and how early it goes when there is no room (0: last)."""
    standing = state.standing
    memory = {"on": ("● memory on", "green"), "off": ("○ incognito, memory off", "bold yellow"),
              "blocked": ("▲ memory blocked", "bold red")}[standing.memory]  # fmt: skip
    found = [(*memory, 0)]
    if standing.blocked and not standing.incognito:
        found.append((one_line(shown(standing.blocked), 160), "red", 1))
    found.append((shown(state.user), "bold", 3))
    if state.loading:
        found.append(("loading models…", "dim", 4))
    elif state.busy:
        found.append(("working…", "cyan", 2))
    if state.waiting:
        part = f", {state.reading}" if state.reading else ""
        found.append((f"{state.waiting} to remember{part}", "yellow", 2))
    if state.models:
        found.append((models_in_short(state.models), "dim", 6))
    if state.store and not standing.incognito:
        found.append((shown(state.store), "dim", 8))
    if standing.speed:
        found.append((f"{standing.rate} tok/s", "dim", 7))
    if state.pane_key:
        found.append((f"{state.pane_key} memory", "dim", 4))
    found.append(("F1 help", "dim", 5))
    return [piece for piece in found if piece[0]]
