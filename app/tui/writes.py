"""What was written to the memory, on the screen: chips under their exchange, rows that flash in the pane.

Told by the controller for what this window wrote; what another program or window wrote is noticed by looking, once a
second, whether the file changed at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...memory.errors import ChatmemError
from ...memory.values import JournalEntry, Memory, User
from ..shown import events as e
from ..shown.render import lines
from .widgets.chips import ChipLine, QuotedWords
from .widgets.conversation import Exchange
from .widgets.shared import Handlers, Read, Stage

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ..shown.chips import Chip

LOOK_SECONDS = 1.0


class Writes:
    """Chips and the memory pane, kept true."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._looking = False
        self._flashed = 0
        """The newest entry that was flashed: a look may see it in the file before this window is told of it."""
        self.takes: Handlers = {
            e.MemoryWritten: self._written, e.Tidied: self._written, e.Forgotten: self._forgotten,
            e.Quoted: self._quoted, e.Untyped: self._untyped,
        }  # fmt: skip

    async def _written(self, event: e.MemoryWritten, exchange: Exchange | None) -> None:
        from ..shown.chips import chip_of

        self._refresh(event.entries)
        fresh = [chip_of(entry) for entry in event.entries if not self._has_chip(entry)]
        where = self._stage.talk.exchange_of(event.turn_id)
        if where is not None:
            await where.add_chips(fresh)
            self._stage.count_writes([where])
        else:
            await self._stage.talk.add(*(ChipLine(chip) for chip in fresh))
        self._flash(event.entries)

    async def _quoted(self, event: e.Quoted, exchange: Exchange | None) -> None:
        from ..shown.render import quoted_line

        told, where = quoted_line(event.words), self._stage.talk.exchange_of(event.turn_id)
        if where is not None:
            await where.add_quoted(told)
        else:
            await self._stage.talk.add(QuotedWords(event.turn_id, told))

    async def _forgotten(self, event: e.Forgotten, exchange: Exchange | None) -> None:
        stage = self._stage
        stage.typed.read_again()
        if event.everything:
            await stage.talk.clear()
        self._read_again(list(stage.talk.query(ChipLine)))
        await stage.notes(lines(event))
        stage.reread_user()

    async def _untyped(self, event: e.Untyped, exchange: Exchange | None) -> None:
        self._stage.typed.read_again()
        await self._stage.notes(lines(event), exchange)

    # Chips

    def _has_chip(self, entry: JournalEntry) -> bool:
        """An undo shows on the chip of the write that it takes back."""
        chips = self._stage.talk.query(ChipLine)
        return entry.undoes is not None and any(line.chip.entry_id == entry.undoes for line in chips)

    def _refresh(self, entries: Sequence[JournalEntry]) -> None:
        """The chips whose rows these entries touched say what became of them."""
        rows, undone = touched(entries), {entry.undoes for entry in entries}
        self._read_again([
            line for line in self._stage.talk.query(ChipLine)
            if line.chip.entry_id in undone or {line.chip.memory_id, line.chip.row} & rows
        ])  # fmt: skip

    def _read_again(self, stale: Sequence[ChipLine]) -> None:
        found = self._stage.memory()
        if stale and found is not None:
            store, user = found
            self._stage.in_thread(lambda: self._read_chips(store, user, stale), "chips")

    def _read_chips(self, store: Store, user: User, stale: Sequence[ChipLine]) -> None:
        """The chips as the journal has them now."""
        from ..shown.chips import chips_again

        now = {chip.entry_id: chip for chip in chips_again(store, user.id, [line.chip.entry_id for line in stale])}
        self._stage.back(self._set_chips, [(line, now.get(line.chip.entry_id)) for line in stale])

    def _set_chips(self, found: Iterable[tuple[ChipLine, Chip | None]]) -> None:
        for line, chip in found:
            if line.is_attached and chip is None:
                line.remove()
            elif line.is_attached and chip is not None:
                line.update(chip)

        self._stage.count_writes({exchange for line, _ in found if (exchange := _exchange(line)) is not None})

    # The pane

    def _flash(self, entries: Sequence[JournalEntry]) -> None:
        found = self._stage.memory()
        entries = [entry for entry in entries if entry.id > self._flashed]
        if found is not None and entries:
            store, _ = found
            self._flashed = max(entry.id for entry in entries)
            self._stage.in_thread(lambda: self._read_rows(store, entries), "flash")

    def _read_rows(self, store: Store, entries: Sequence[JournalEntry]) -> None:
        rows = store.facts.by_id(sorted(touched(entries)))
        self._stage.back(self._merge, entries, rows)

    def _merge(self, entries: Sequence[JournalEntry], rows: dict[int, Memory]) -> None:
        from ..chat.panels import merged

        self._stage.pane.flash(entries, merged(self._stage.pane.memories, entries, rows))

    # What others write

    def look(self) -> None:
        """Once a second: did anything in the file change, and was it this user's memory? In a thread, when it did."""
        found = self._stage.memory()
        if found is not None and not self._looking:
            self._looking = True
            store, user = found
            self._stage.in_thread(lambda: self._look(store, user), "look")

    def _look(self, store: Store, user: User) -> None:
        try:
            with suppress(ChatmemError):  # the file is busy or gone: whoever needs it next says so
                self._compare(store, user)
        finally:
            self._looking = False

    def _compare(self, store: Store, user: User) -> None:
        before, version = self._stage.read, store.journal.version()
        if before is None or before.user_id != user.id or before.version == version:
            return
        now = Read(user.id, version, store.journal.writes(user.id))
        new = store.journal.entries(user.id, since_id=before.writes[0]) if now.writes != before.writes else []
        purged = now.writes[1] != before.writes[1] + len(new)
        self._stage.back(self._elsewhere, now, new, purged, store.users.by_id(user.id))

    def _elsewhere(self, now: Read, entries: Sequence[JournalEntry], purged: bool, user: User) -> None:
        """Shows writes that may have been made elsewhere; those of this window are shown already, and stay as they are.

        `purged`: something was forgotten, which leaves no entry behind.
        """
        stage = self._stage
        if stage.user is None or stage.user.id != user.id:
            return
        stage.read = now
        if user != stage.user:
            if stage.controller is not None:
                stage.controller.set_user(user)
            stage.set_user(user)
        if purged:
            self._read_again(list(stage.talk.query(ChipLine)))
            stage.reload_memory()
            return
        known = {line.chip.entry_id for line in stage.talk.query(ChipLine)}
        strange = [entry for entry in entries if entry.id not in known and entry.undoes not in known]
        self._refresh(entries)
        if strange:
            self._flash([entry for entry in strange if entry.kind != "refused"])


def touched(entries: Iterable[JournalEntry]) -> set[int]:
    """The rows that these entries changed."""
    found: set[int] = set()
    for entry in entries:
        found |= {int(image["id"]) for image in _images(entry) if "id" in image}
    return found


def _images(entry: JournalEntry) -> list[Any]:
    return [image for image in (entry.before, entry.after) if image]


def _exchange(line: ChipLine) -> Exchange | None:
    """The exchange under which a chip stands."""
    return next((node for node in line.ancestors if isinstance(node, Exchange)), None)
