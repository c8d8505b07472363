"""The sessions: full-text search, resume, rename, delete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.timer import Timer
from textual.widgets import Input, Static

from ....memory.errors import ChatmemError
from ....memory.values import Session, Turn
from ...config.safe_text import one_line, shown
from ...config.zone import day
from ...shown.hints import lines
from ..base.panel import Confirm, Panel, Reword
from ..widgets.row_list import ListRow, RowList

if TYPE_CHECKING:
    from ....memory.store.store import Store

PAUSE = 0.12
"""Seconds without a key before a search begins."""
PREVIEW = 200
"""Lines of a session, from its end, among which the preview picks."""


@dataclass(frozen=True, slots=True)
class Picked:
    """What the panel was left with: the session to go on in."""

    session_id: int


class SessionsPanel(Panel[Picked]):
    """Typing searches titles and lines; the arrows move in the list meanwhile."""

    TITLE = "Sessions"
    KEYS = "Enter go on · F2 rename · Del delete · Esc closes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", priority=True, show=False),
        Binding("up", "move(-1)", priority=True, show=False),
        Binding("f2", "rename", "Rename", show=False),
        Binding("delete,ctrl+d", "delete", "Delete", priority=True, show=False),
    ]

    def __init__(self, store: Store, user_id: int, words: str = "") -> None:
        super().__init__()
        self._store, self._user_id, self._words = store, user_id, words
        self._sessions: dict[int, Session] = {}
        self._pause: Timer | None = None

    def body(self) -> ComposeResult:
        yield Input(
            value=self._words, placeholder="search in titles and in all that was said", compact=True, id="words"
        )
        yield RowList(id="session-rows", empty="…", lit=True)
        with Vertical(id="preview-box"):
            yield Static("", id="preview", markup=False)

    def on_mount(self) -> None:
        self.query_one("#words").focus()
        self._search(self._words)

    def on_input_changed(self, event: Input.Changed) -> None:
        if self._pause is not None:
            self._pause.stop()
        words = event.value
        self._pause = self.set_timer(PAUSE, lambda: self._search(words))

    @work(thread=True, exclusive=True, group="sessions")
    def _search(self, words: str) -> None:
        try:
            found = self._store.sessions.all(self._user_id, search=words or None)
        except ChatmemError as error:
            self.app.call_from_thread(self._failed, str(error))
        else:
            self.app.call_from_thread(self._found, words, found)

    def _failed(self, text: str) -> None:
        if self.is_attached:
            self.query_one(RowList).fill([], empty=text)

    def _found(self, words: str, sessions: list[Session]) -> None:
        if not self.is_attached:
            return
        self._words = words
        self._sessions = {session.id: session for session in sessions}
        rows = [
            ListRow(
                s.id,
                s.title or "(no title)",
                aside=f"{day(s.started_at)} · {lines(s.turns)}",
            )
            for s in sessions
        ]
        self.query_one(RowList).fill(rows, empty="No sessions found." if words else "No sessions yet.")
        self.retitle(f"Sessions · {len(rows)}")

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        self.query_one("#preview", Static).update("")
        if event.key is not None:
            self._preview(event.key, self._words)

    @work(thread=True, exclusive=True, group="preview")
    def _preview(self, session_id: int, words: str) -> None:
        try:
            turns = self._store.turns.of(session_id, limit=PREVIEW)
        except ChatmemError:
            return  # the list says what is wrong
        self.app.call_from_thread(self._previewed, session_id, preview(turns, words))

    def _previewed(self, session_id: int, text: Text) -> None:
        if self.is_attached and self.query_one(RowList).key == session_id:
            self.query_one("#preview", Static).update(text)

    def action_move(self, by: int) -> None:
        self.query_one(RowList).action_move(by)

    def on_input_submitted(self) -> None:
        self._go_on()

    def on_row_list_chosen(self) -> None:
        self._go_on()

    def _go_on(self) -> None:
        key = self.query_one(RowList).key
        if key is not None:
            self.dismiss(Picked(key))

    def action_rename(self) -> None:
        session = self._sessions.get(self.query_one(RowList).key or 0)
        if session is not None:
            self.app.push_screen(Reword("New title", session.title), lambda title: self._renamed(session, title))

    def _renamed(self, session: Session, title: str | None) -> None:
        if title:
            self._do(lambda: self._store.sessions.rename(session.id, title))

    def action_delete(self) -> None:
        session = self._sessions.get(self.query_one(RowList).key or 0)
        if session is not None:
            question = f"Delete “{session.title}” with its {lines(session.turns)}? Memories from it stay."
            self.app.push_screen(Confirm(question), lambda yes: self._deleted(session, bool(yes)))

    def _deleted(self, session: Session, yes: bool | None) -> None:
        if yes:
            self._do(lambda: self._store.forget.session(session.id, user_id=self._user_id))

    @work(thread=True, group="change")
    def _do(self, change: object) -> None:
        try:
            change()  # type: ignore[operator]
        except ChatmemError as error:
            self.app.call_from_thread(self.app.notify, str(error), severity="error", markup=False)
        self.app.call_from_thread(self._search, self._words)


def preview(turns: list[Turn], words: str) -> Text:
    """The lines that hold the words, else the first ones."""
    wanted = words.strip().lower()
    hits = [turn for turn in turns if wanted and wanted in turn.text.lower()] or turns
    text = Text()
    for turn in hits[:6]:
        line = Text(f"{day(turn.said_at)} {one_line(shown(turn.speaker))}: ", style="dim")
        line.append(one_line(shown(turn.text), 300), style="default")
        if wanted:
            line.highlight_words([words.strip()], "bold reverse", case_sensitive=False)
        text.append_text(line).append("\n")
    return text
