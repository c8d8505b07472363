"""The memory beside the talk: its rows flash after each commit, marked + ~ -."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from ....memory.values import JournalEntry, Memory
from ...config.safe_text import one_line, shown
from .row_list import ListRow, RowList

FLASH_SECONDS = 3.0
PINNED = "pinned"
STYLES = {"+": "bold green", "~": "bold cyan", "-": "bold magenta strike"}


@dataclass(frozen=True, slots=True)
class Flash:
    """A row that was just written; `memory` is kept for one that went."""

    sign: str
    memory: Memory
    number: int


class MemoryPane(Vertical):
    """All current memories, newest first, with a filter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", show=False),
        Binding("e", "act('edit')", "Edit", show=False),
        Binding("p", "act('pin')", "Pin", show=False),
        Binding("f,delete", "act('forget')", "Forget", show=False),
        Binding("t", "act('timeline')", "Timeline", show=False),
        Binding("escape", "show_all", "All rows", show=False),
    ]

    class Act(Message):
        """Something to be done with a memory: edit, pin, forget, timeline."""

        def __init__(self, act: str, memory: Memory) -> None:
            self.act, self.memory = act, memory
            super().__init__()

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.memories: list[Memory] = []
        self.closed = ""
        self.speaker = ""
        """Under which name facts about the user stand."""
        self.keys = ("", "")
        """The keys that hide the pane, and that go there and back, as people read them."""
        self.flash_seconds = FLASH_SECONDS
        self._flashing: dict[int, Flash] = {}
        self._number = 0
        self._words = ""
        self._found = 0

    def compose(self) -> ComposeResult:
        yield Static("Memory", id="pane-title", markup=False)
        yield Input(placeholder="filter", compact=True, id="pane-filter")
        yield RowList(id="pane-rows", empty="Nothing is remembered yet.")
        yield Static("", id="pane-detail", markup=False)

    def on_mount(self) -> None:
        self.query_one("#pane-filter").display = False
        self.query_one("#pane-detail").display = False

    def show(self, memories: Sequence[Memory]) -> None:
        self.memories, self.closed = list(memories), ""
        self._fill()

    def close_up(self, why: str) -> None:
        """Shows nothing of the memory, and says why."""
        self.memories, self.closed = [], why
        self._flashing.clear()
        self._fill()

    def flash(self, entries: Sequence[JournalEntry], memories: Sequence[Memory]) -> None:
        """Shows the memory after these committed entries, the rows they touched marked for a while."""
        if not self.is_attached:  # the window is closing
            return
        self._number += 1
        number, chosen = self._number, self.query_one("#pane-rows", RowList).key
        before = {memory.id: memory for memory in self.memories}
        self.memories = list(memories)
        now = {memory.id: memory for memory in memories}
        for entry in entries:
            old, new = _row(entry.before), _row(entry.after)
            if old is not None and old == chosen:  # what is done next is meant for the same fact
                chosen = new
            if new in now:
                self._flashing[new] = Flash("~" if old is not None else "+", now[new], number)
                if old is not None and old != new:
                    self._flashing.pop(old, None)
            elif old is not None and old in before:
                self._flashing[old] = Flash("-", before[old], number)
        self._fill(chosen)
        self.set_timer(self.flash_seconds, lambda: self._calm(number))

    def _calm(self, number: int) -> None:
        self._flashing = {key: flash for key, flash in self._flashing.items() if flash.number != number}
        self._fill()

    def memory(self, memory_id: int | None) -> Memory | None:
        return next((each for each in self.memories if each.id == memory_id), None)

    def _fill(self, at: int | None = None) -> None:
        """Draws the rows anew; `at`: the row that took the place of the chosen one."""
        if not self.is_attached:  # the window is closing
            return
        gone = [flash.memory for flash in self._flashing.values() if flash.sign == "-"]
        listed = sorted([*self.memories, *gone], key=lambda memory: -memory.id)
        found = [memory for memory in listed if self._words in f"{memory.subject} {memory.topic} {memory.fact}".lower()]
        pinned = [memory for memory in found if memory.pinned]
        rows = [self._row_of(memory) for memory in (*pinned, *(m for m in found if not m.pinned))]
        self._found = len(found)
        self._tell()
        empty = "" if self.closed else "Nothing matches." if self._words else "Nothing is remembered yet."
        listed_rows = self.query_one("#pane-rows", RowList)
        listed_rows.fill(rows, empty=empty, stay=listed_rows.has_focus, at=at)
        self._detail(listed_rows.key)

    def _tell(self) -> None:
        """The title: how many, and where there is room the keys."""
        count = f"{self._found} of {len(self.memories)}" if self._words else str(len(self.memories))
        hides, goes = self.keys
        keys = f" · {goes} {'back' if self.has_focus_within else 'goes there'} · {hides} hides"
        keys = " · Esc shows all" if self._words and self.has_focus_within else keys
        title = self.closed or f"Memory · {count}"
        room = self.size.width >= len(title) + len(keys) and hides
        self.query_one("#pane-title", Static).update(Content(title + keys if room else title))

    def on_resize(self) -> None:
        self._tell()

    def _row_of(self, memory: Memory) -> ListRow:
        flash = self._flashing.get(memory.id)
        mark = flash.sign if flash else "*" if memory.pinned else " "
        aside = memory.happened_on or (PINNED if memory.pinned else "")  # the mark says it, too
        return ListRow(memory.id, unnamed(memory, self.speaker), mark, aside, STYLES[flash.sign] if flash else "")

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._detail(event.key)

    def _detail(self, key: int | None) -> None:
        """All about the row under the cursor, and what can be done with it."""
        detail, memory = self.query_one("#pane-detail", Static), self.memory(key)
        detail.display = memory is not None and self.query_one("#pane-rows").has_focus
        if memory is not None:
            when = f" · {memory.happened_on}" if memory.happened_on else ""
            pinned = f" · {PINNED}" if memory.pinned else ""
            told = f"#{memory.id} {memory.subject} · {memory.topic or 'no topic'}{when}{pinned}"
            keys = f"e edit · p {'unpin' if memory.pinned else 'pin'} · f forget · t timeline · / filter"
            fact = one_line(shown(memory.fact), max(80, 5 * self.size.width))  # the keys under it stay in sight
            detail.update(Content(f"{fact}\n{told}\n{keys}"))

    def on_descendant_focus(self) -> None:
        self._tell()
        self._detail(self.query_one("#pane-rows", RowList).key)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        self.call_after_refresh(self._tell)
        self.query_one("#pane-detail").display = False
        if isinstance(event.widget, Input):
            event.widget.display = bool(event.widget.value.strip())

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.action_act("timeline")

    def action_act(self, act: str) -> None:
        memory = self.memory(self.query_one("#pane-rows", RowList).key)
        if memory is not None and not isinstance(self.app.focused, Input):
            self.post_message(self.Act(act, memory))

    def action_show_all(self) -> None:
        """Esc ends the filter first; without one it is for the window."""
        field = self.query_one("#pane-filter", Input)
        if not field.display:
            raise SkipAction
        field.value, field.display = "", False
        self.query_one("#pane-rows").focus()

    def action_filter(self) -> None:
        field = self.query_one("#pane-filter", Input)
        field.display = True
        self.screen.set_focus(field)  # at once: the next key is a letter to filter by

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._words = event.value.strip().lower()
        self._fill()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        event.input.display = bool(event.value.strip())
        self.query_one("#pane-rows").focus()


def unnamed(memory: Memory, speaker: str) -> str:
    """The fact without the speaker's own name at its head, with which nearly every row would begin."""
    own = memory.subject == speaker and memory.fact.startswith(speaker)
    rest = re.fullmatch(r"(?:['’]s)? (\w.*)", memory.fact[len(speaker) :], re.DOTALL) if own else None
    return rest[1] if rest else memory.fact


def _row(image: object) -> int | None:
    found = dict(image).get("id") if image else None  # type: ignore[call-overload]
    return int(found) if found is not None else None
