"""The SQL console: read-only unless told otherwise, and then through guard and journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import DataTable, Static, TextArea
from textual.widgets.text_area import TextAreaTheme

from ....memory.errors import ChatmemError
from ....memory.guard.view import COLUMNS
from ....memory.values import Rows
from ...config.safe_text import one_line, shown
from ...shown import events as e
from ...shown.hints import counted
from ..base.panel import Hears
from ..widgets.sql_colours import STYLES, completion, spans

if TYPE_CHECKING:
    from ....memory.store.store import Store

THEME = TextAreaTheme(name="chatmem-sql", syntax_styles=STYLES)
BADGES = {False: " READ-ONLY ", True: " WRITES, UNDOABLE "}
MOST_ROWS = 200


class SqlArea(TextArea):
    """A text area in SQL's colours; Tab takes the completion that stands in dim letters."""

    class Run(Message):
        """The statement is complete."""

    def on_key(self, event: events.Key) -> None:
        """Enter after a semicolon runs; Tab completes."""
        complete = self.text.rstrip().endswith(";") and self.cursor_at_end_of_text
        if event.key == "tab" or (event.key == "enter" and complete):
            event.stop()
            event.prevent_default()
            if event.key == "tab":
                self.action_complete()
            else:
                self.post_message(self.Run())

    def _build_highlight_map(self) -> None:
        """Instead of a parser of several megabytes: patterns, line by line (no statement here has long strings)."""
        self._line_cache.clear()
        self._highlights.clear()
        for number, line in enumerate(self.document.lines):
            for start, end, kind in spans(line):
                # Textual counts these in bytes, as its parsers do
                first, last = len(line[:start].encode()), len(line[:end].encode())
                self._highlights[number].append((first, last, kind))

    def update_suggestion(self) -> None:
        row, column = self.cursor_location
        line = self.document.get_line(row)
        self.suggestion = completion(line[:column]) if column == len(line) else ""

    def action_complete(self) -> None:
        if self.suggestion:
            self.insert(self.suggestion)
        else:
            self.screen.focus_next()


class SqlPanel(Hears[None]):
    """Enter after a `;` (or F5) runs; Ctrl+W lets writes through, which then are in the journal and can be undone."""

    TITLE = "SQL on memory(" + ", ".join(COLUMNS) + ")"
    KEYS = "Enter after ; or F5 runs · Tab completes · Ctrl+W allows writes · Esc closes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f5", "run", "Run", priority=True, show=False),
        Binding("ctrl+w", "writes", "Allow writes", priority=True, show=False),
    ]

    def __init__(self, store: Store, user_id: int, sql: str) -> None:
        super().__init__()
        self._store, self._user_id, self._sql, self._writes = store, user_id, sql, False

    def body(self) -> ComposeResult:
        yield Static(BADGES[False], id="badge", markup=False)
        area = SqlArea(self._sql, soft_wrap=True, show_line_numbers=False, id="sql-area")
        area.register_theme(THEME)
        area.theme = THEME.name
        yield area
        yield Static("", id="sql-told", markup=False)
        yield DataTable(id="sql-rows", zebra_stripes=True, cursor_type="row")

    def on_mount(self) -> None:
        area = self.query_one(SqlArea)
        area.move_cursor(area.document.end)
        area.focus()

    def action_writes(self) -> None:
        self._writes = not self._writes
        badge = self.query_one("#badge", Static)
        badge.update(BADGES[self._writes])
        badge.set_class(self._writes, "writes")

    def on_sql_area_run(self) -> None:
        self.action_run()

    def action_run(self) -> None:
        sql = self.query_one(SqlArea).text.strip()
        if not sql:
            return
        self.tell("…")
        if self._writes and not sql.lower().startswith("select"):
            self.post_message(self.Line(self, f"/sql --write {sql}"))
        else:
            self._read(sql)

    @work(thread=True, exclusive=True, group="sql")
    def _read(self, sql: str) -> None:
        try:
            rows = self._store.facts.read(self._user_id, sql, limit=MOST_ROWS)
        except ChatmemError as error:
            more = "" if sql.lower().startswith("select") else " (Ctrl+W allows writes)"
            self.app.call_from_thread(self.tell, f"{error}{more}", True)
        else:
            self.app.call_from_thread(self._show, rows)

    def hear(self, event: e.Event) -> None:
        """Of a write; it goes through the controller, so that it has its chip in the talk."""
        if isinstance(event, e.MemoryWritten):
            rows = len(event.entries)
            self.tell(f"{rows} row{'' if rows == 1 else 's'} written; the chips in the talk undo it.")
        elif isinstance(event, e.MemoryRefused):
            self.tell(f"refused: {event.reason}", True)
        elif isinstance(event, e.Failed):
            self.tell(event.text, True)

    def _show(self, rows: Rows) -> None:
        if not self.is_attached:
            return
        table = self.query_one("#sql-rows", DataTable)
        table.clear(columns=True)
        names = [Text(shown(name)) for name in rows.columns]
        cells = [[Text(one_line(shown("" if cell is None else str(cell)), 200)) for cell in row] for row in rows.rows]
        for name, column in zip(names, zip(*cells, strict=True) if cells else [()] * len(names), strict=True):
            # Widths of its own making, the table may show a moment too late.
            table.add_column(name, width=max(one.cell_len for one in (name, *column)))
        for row in cells:
            table.add_row(*row)
        more = " (there are more; add a LIMIT to choose)" if rows.truncated else ""
        self.tell(f"{counted(len(rows.rows), 'row')}{more}")

    def tell(self, text: str, bad: bool = False) -> None:
        """A line between statement and rows."""
        if self.is_attached:
            told = self.query_one("#sql-told", Static)
            told.update(Content(shown(text)))
            told.set_class(bad, "bad")
