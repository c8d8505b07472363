"""A chip: one committed write, with its Undo and its Edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from ....memory.errors import InputError
from ...config.safe_text import shown
from ...shown.dated import changed, with_date

if TYPE_CHECKING:
    from ...shown.chips import Chip

SIGNS = {"+": "plus", "~": "tilde", "-": "minus"}


class Label(Static):
    """The chip's text; its links do what the keys do."""

    def action_undo(self) -> None:
        self._chip.action_undo()

    async def action_edit(self) -> None:
        await self._chip.action_edit()

    def action_redo(self) -> None:
        self._chip.action_undo()

    def action_timeline(self) -> None:
        self._chip.action_timeline()

    @property
    def _chip(self) -> ChipLine:
        return next(node for node in self.ancestors if isinstance(node, ChipLine))


class ChipLine(Vertical, can_focus=True):
    """The write in one line. `u` undoes it or does it again, `e` edits the row as it is now, `t` shows its timeline."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo", "Undo", show=False),
        Binding("e,enter", "edit", "Edit", show=False),
        Binding("t", "timeline", "Timeline", show=False),
    ]

    class Undo(Message):
        """The write is to be taken back; `again`: it is to be done again."""

        def __init__(self, entry_id: int, again: bool = False) -> None:
            self.entry_id, self.again = entry_id, again
            super().__init__()

    class Edited(Message):
        """The user gave the memory other words."""

        def __init__(self, memory_id: int, fact: str) -> None:
            self.memory_id, self.fact = memory_id, fact
            super().__init__()

    class Timeline(Message):
        def __init__(self, memory_id: int) -> None:
            self.memory_id = memory_id
            super().__init__()

    def __init__(self, chip: Chip) -> None:
        super().__init__(classes="chip")
        self.chip = chip
        self._label = Label(classes="label")

    def compose(self) -> ComposeResult:
        yield self._label

    def on_mount(self) -> None:
        self.update(self.chip)

    def update(self, chip: Chip) -> None:
        """Shows the write as it stands now."""
        self.chip = chip
        for sign, name in SIGNS.items():
            self.set_class(chip.sign == sign and not chip.undone, name)
        self.set_class(chip.undone, "undone")
        undo = "  [@click=undo()]Undo[/]" if chip.can_undo else "  [@click=redo()]Redo[/]" if chip.undone else ""
        edit = "  [@click=edit()]Edit[/]" if chip.can_edit else ""
        gone = chip.later and not chip.can_edit and chip.memory_id is not None
        timeline = "  [@click=timeline()]Timeline[/]" if gone else ""
        self._label.update(Content.from_markup(f"$text{undo}{edit}{timeline}", text=shown(chip.told)))

    def action_undo(self) -> None:
        if self.chip.can_undo or self.chip.undone:
            self.post_message(self.Undo(self.chip.entry_id, self.chip.undone))

    def action_timeline(self) -> None:
        if self.chip.memory_id is not None:
            self.post_message(self.Timeline(self.chip.memory_id))

    async def action_edit(self) -> None:
        if self.chip.can_edit and not self.query(Input):
            text = with_date(self.chip.now, self.chip.when)
            field = Input(value=text, compact=True, classes="edit", select_on_focus=False)
            await self.mount(field)
            field.focus()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text, chip = event.value.strip(), self.chip
        try:
            fact = changed(text, chip.now, chip.when) if text != with_date(chip.now, chip.when) else ""
        except InputError as wrong:  # the field stays as it is
            self.app.notify(str(wrong), severity="warning", markup=False)
            return
        await self._close()
        if fact and text and chip.row is not None:
            self.post_message(self.Edited(chip.row, fact))

    async def key_escape(self) -> None:
        if self.query(Input):
            await self._close()
        else:
            self.screen.query_one("#prompt").focus()

    async def _close(self) -> None:
        await self.query(Input).remove()
        self.focus()


class WholeTurn(Static, can_focus=True):
    """Under the chips of a line that led to several writes: takes them all back, by a click, `u` or Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("u,enter", "undo", "Undo all", show=False)]

    class Undo(Message):
        """All that was written from a line is to be taken back."""

        def __init__(self, turn_id: int) -> None:
            self.turn_id = turn_id
            super().__init__()

    def __init__(self, turn_id: int, count: int) -> None:
        super().__init__(classes="whole", markup=False)
        self.turn_id = turn_id
        self.offer(count)

    def offer(self, count: int) -> None:
        self.update(Content.from_markup(f"[@click=undo()]Undo all {count}[/] that this line led to"))

    def action_undo(self) -> None:
        self.post_message(self.Undo(self.turn_id))

    def key_escape(self) -> None:
        self.screen.query_one("#prompt").focus()


class QuotedWords(Static, can_focus=True):
    """Under a line that holds somebody else's words: a click, `m` or Enter says that they are one's own."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("m,enter", "mine", "My words", show=False)]

    class Mine(Message):
        """What a line quotes is to be taken for the user's own."""

        def __init__(self, turn_id: int) -> None:
            self.turn_id = turn_id
            super().__init__()

    def __init__(self, turn_id: int, told: str) -> None:
        super().__init__(classes="whole", markup=False)
        self.turn_id = turn_id
        self.update(Content.from_markup("$text  [@click=mine()]They are my words[/]", text=shown(told)))

    def action_mine(self) -> None:
        self.post_message(self.Mine(self.turn_id))
        self.remove()

    def key_escape(self) -> None:
        self.screen.query_one("#prompt").focus()
