"""The conversation: each line with its reply, and under the reply a chip for each write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Markdown, Static
from textual.widgets.markdown import MarkdownStream

from ....memory.values import Turn
from ...config.safe_text import one_line, shown
from ...shown.events import Listed
from .chips import ChipLine, QuotedWords, WholeTurn

if TYPE_CHECKING:
    from ...shown.chips import Chip

LINES_SHOWN = 14
"""A longer line of the user is shown up to here; all of it is kept."""
KEPT = 60
"""Exchanges that stay in the window; older ones are in the session."""
CLASSES = {"": "", "dim": "dim", "warn": "warn", "bad": "bad", "+": "plus", "~": "tilde", "-": "minus"}


def note(text: str, style: str = "dim") -> Static:
    """A line of the program itself."""
    return Static(Content(shown(text)), classes=f"note {CLASSES[style]}".strip(), markup=False)


class Exchange(Vertical):
    """A line of the user, the reply to it, and what was written from both."""

    def __init__(self, line: str, *, waiting: bool = False) -> None:
        super().__init__(classes="exchange")
        self.line = line
        self.turn_id: int | None = None
        self.reply = ""
        self.set_class(waiting, "waiting")
        self._markdown: Markdown | None = None
        self._stream: MarkdownStream | None = None
        self._foot = Static("", classes="foot", markup=False)
        self.foot = ""
        self.recalled = 0

    def compose(self) -> ComposeResult:
        yield Static(Content(_folded(self.line)), classes="said", markup=False)
        yield Vertical(classes="reply")
        yield self._foot
        yield Vertical(classes="chips")

    async def say(self, text: str) -> None:
        """Adds a piece of the reply."""
        if self._stream is None:
            self._markdown = Markdown("", open_links=False)
            await self.query_one(".reply").mount(self._markdown)
            self._stream = Markdown.get_stream(self._markdown)
        self.reply += shown(text)
        await self._stream.write(shown(text))

    async def end(self, foot: str = "") -> None:
        """The reply is over; `foot` is told under it."""
        if self._stream is not None:
            await self._stream.stop()
            self._stream = None
        self.set_foot(foot)

    def set_foot(self, text: str) -> None:
        self.foot = text
        self._foot.update(Content(text))
        self._foot.display = bool(text)

    async def anew(self, line: str) -> None:
        """The line is answered again: the old reply and its chips go."""
        await self.end()
        self.line, self.reply, self._markdown = line, "", None
        self.query_one(".said", Static).update(Content(_folded(line)))
        await self.query_one(".reply").remove_children()
        await self.query_one(".chips").remove_children()
        await self.offer_undo(0)

    async def show_reply(self, turn: Turn) -> None:
        """A reply of an earlier time, whole."""
        self.reply = shown(turn.text)
        await self.query_one(".reply").mount(Markdown(self.reply, open_links=False))
        self.set_foot("" if turn.status == "complete" else f"({turn.status})")

    async def add_chips(self, chips: Sequence[Chip]) -> None:
        await self.query_one(".chips").mount_all(ChipLine(chip) for chip in chips)

    async def add_quoted(self, told: str) -> None:
        """Says which words are taken for somebody else's ("": none)."""
        if told and self.turn_id is not None:
            await self.query_one(".chips").mount(QuotedWords(self.turn_id, told))

    async def offer_undo(self, count: int) -> None:
        """Offers to take back all `count` writes of the line at once (0: no longer)."""
        found = self.query(WholeTurn)
        if not count or self.turn_id is None:
            await found.remove()
        elif found:
            found.first().offer(count)
        else:
            await self.mount(WholeTurn(self.turn_id, count))

    async def add_note(self, text: str, style: str = "dim") -> None:
        await self.query_one(".chips").mount(note(text, style))


def _folded(line: str) -> str:
    lines = shown(line).split("\n")
    more = len(lines) - LINES_SHOWN
    return "\n".join(lines if more < 2 else [*lines[:LINES_SHOWN], f"… and {more} more lines, all kept"])


class TalkView(VerticalScroll, can_focus=True):
    """Exchanges and notes, oldest first; stays at the end until the user scrolls away."""

    BINDINGS: ClassVar = []

    def on_mount(self) -> None:
        self.anchor()

    async def add(self, *widgets: Exchange | Static | ChipLine) -> None:
        """At the end; what is too old leaves the window."""
        await self.mount_all(widgets)
        spare = len(self.children) - KEPT
        if spare > 10:
            await self.remove_children(self.children[:spare])

    async def clear(self) -> None:
        """All goes but lines that are still to be answered: they were said after what it is cleared for."""
        await self.remove_children([each for each in self.children if not each.has_class("waiting")])

    async def table(self, event: Listed) -> None:
        """A list that a command gave."""
        if not event.rows:
            await self.add(note(event.empty or f"{event.title}: nothing."))
            return
        from rich.table import Table

        table = Table(*event.columns, box=None, pad_edge=False, header_style="bold", title_justify="left")
        for row in event.rows:
            table.add_row(*(Text(one_line(shown("" if cell is None else str(cell)), 400)) for cell in row))
        widgets = [note(event.title), Static(table, classes="table")]
        await self.add(*widgets, *([note(event.note)] if event.note else []))

    def exchange_of(self, turn_id: int | None) -> Exchange | None:
        found = [each for each in self.query(Exchange) if turn_id is not None and each.turn_id == turn_id]
        return found[-1] if found else None

    @property
    def last(self) -> Exchange | None:
        found = list(self.query(Exchange))
        return found[-1] if found else None
