"""A list that draws only the rows in sight, so that it is as quick with a hundred thousand rows as with ten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...config.safe_text import one_line, shown


@dataclass(frozen=True, slots=True)
class ListRow:
    """One line: `mark`, `text`, and `aside` in dim letters. `key` names it to the one who fills the list."""

    key: int
    text: str
    mark: str = " "
    aside: str = ""
    style: str = ""


class RowList(ScrollView, can_focus=True):
    """Rows with a cursor. Tells `Moved` when the cursor moves and `Chosen` on Enter or a second click."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,g", "move(-1000000000)", "First", show=False),
        Binding("end,G", "move(1000000000)", "Last", show=False),
        Binding("enter", "choose", "Open", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--cursor", "rows--aside", "rows--flash"}
    cursor = reactive(0)

    class Moved(Message):
        """The cursor stands on another row (`key` None: there is no row)."""

        def __init__(self, rows: RowList, key: int | None) -> None:
            self.rows, self.key = rows, key
            super().__init__()

        @property
        def control(self) -> RowList:
            return self.rows

    class Chosen(Message):
        """The row was opened."""

        def __init__(self, rows: RowList, key: int) -> None:
            self.rows, self.key = rows, key
            super().__init__()

        @property
        def control(self) -> RowList:
            return self.rows

    def __init__(self, *, empty: str = "", id: str | None = None, lit: bool = False) -> None:
        """`lit`: the cursor shows without the focus too, because another widget moves it."""
        super().__init__(id=id)
        self._lit = lit
        self._rows: list[ListRow] = []
        self._empty = empty

    @property
    def key(self) -> int | None:
        """The key of the row under the cursor."""
        return self._rows[self.cursor].key if self._rows else None

    @property
    def keys(self) -> list[int]:
        return [row.key for row in self._rows]

    def fill(
        self, rows: Sequence[ListRow], *, empty: str | None = None, stay: bool = True, at: int | None = None
    ) -> None:
        """Shows these rows; the cursor stays on its row (`at`: on that one, which took its place) when it is still
        there (and `stay`), else it goes up."""
        before = self.key
        wanted = before if at is None else at
        self._rows = list(rows)
        self._empty = self._empty if empty is None else empty
        self.virtual_size = Size(0, len(self._rows))
        place = next((n for n, row in enumerate(self._rows) if row.key == wanted), self.cursor) if stay else 0
        self.cursor = max(0, min(place, len(self._rows) - 1))
        self.refresh()
        if self.key != before:
            self.post_message(self.Moved(self, self.key))

    def show(self, key: int) -> None:
        """Puts the cursor on a row and brings it into sight."""
        at = next((n for n, row in enumerate(self._rows) if row.key == key), None)
        if at is not None:
            self.cursor = at

    def action_move(self, by: int) -> None:
        self.cursor = max(0, min(self.cursor + by, len(self._rows) - 1))

    def action_page(self, by: int) -> None:
        self.action_move(by * max(1, self.size.height - 1))

    def action_choose(self) -> None:
        if self.key is not None:
            self.post_message(self.Chosen(self, self.key))

    def watch_cursor(self) -> None:
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)
        self.refresh()
        self.post_message(self.Moved(self, self.key))

    def on_resize(self) -> None:
        """What opens beside the list takes of its room: the cursor stays in sight."""
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        at = event.y + int(self.scroll_y)
        if at < len(self._rows):
            again = at == self.cursor
            self.cursor = at
            if again:
                self.action_choose()

    def render_line(self, y: int) -> Strip:
        at, width = y + int(self.scroll_y), self.scrollable_content_region.width  # beside the scroll bar
        if at >= len(self._rows):
            text = Text(self._empty if y == 0 and not self._rows else "")
            text.stylize("dim")
            return self._strip(text, width, "")
        row = self._rows[at]
        text = Text(f"{row.mark} {one_line(shown(row.text), 1_000)}")
        if row.style:
            text.stylize(row.style)  # as a span: a text's own style is not rendered without one
        if row.aside:
            aside = Text(f"  {row.aside}")
            aside.stylize("dim")
            aside.truncate(width // 2, overflow="ellipsis")
            text.truncate(width - aside.cell_len, overflow="ellipsis", pad=True)
            text.append_text(aside)
        chosen = at == self.cursor and (self.has_focus or self._lit)
        return self._strip(text, width, "rows--cursor" if chosen else "rows--flash" if row.mark in "+~-" else "")

    def _strip(self, text: Text, width: int, component: str) -> Strip:
        text.truncate(width, overflow="ellipsis", pad=True)
        strip = Strip(text.render(self.app.console), width)
        base = self.get_component_rich_style(component) if component else self.rich_style
        return strip.apply_style(base)
