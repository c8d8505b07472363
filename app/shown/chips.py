"""Chips: one committed write each, as it stands now. Made of journal entries, never of what a model said.

So a chip and a committed row are the same thing, and a chip offers only what still works: a write whose row was changed
later can't be undone any more, but the row as it is now can be edited, and its history seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...memory.database.rows import IMAGE_FIELDS
from ...memory.errors import NotFound
from ...memory.language.quoted.whose import others_words
from ...memory.store.undo import REVERSIBLE
from ...memory.values import JournalEntry, Memory
from ..config.safe_text import one_line
from .journal_state import sign
from .render import chip as chip_text
from .render import quoted_line

if TYPE_CHECKING:
    from ...memory.store.store import Store


@dataclass(frozen=True, slots=True)
class Chip:
    """One write. `memory_id`: the row it is about, which has a history (None: it is about none).

    `later` says what became of the row since ("": nothing). `row` can be edited and says `now`; `row` None: nothing is
    left to edit. `when` is its date ("": none).
    """

    entry_id: int
    sign: str
    text: str
    before: str
    after: str
    memory_id: int | None
    turn_id: int | None
    undone: bool
    can_undo: bool
    row: int | None = None
    now: str = ""
    later: str = ""
    when: str = ""

    @property
    def can_edit(self) -> bool:
        return self.row is not None and not self.undone

    @property
    def told(self) -> str:
        """The chip in words, with what became of it."""
        since = "undone" if self.undone else self.later
        return f"{self.text} ({since})" if since else self.text


def chip_of(entry: JournalEntry) -> Chip:
    """The chip of an entry that was just committed."""
    row = _row(entry)
    return Chip(
        entry.id, sign(entry), chip_text(entry), _fact(entry.before), _fact(entry.after), row or entry.memory_id,
        entry.turn_id, entry.undone, entry.kind in REVERSIBLE and not entry.undone, row, _fact(entry.after),
        when=_date(entry.after),
    )  # fmt: skip


def chips_now(store: Store, entries: Sequence[JournalEntry]) -> list[Chip]:
    """The chips of these entries as they stand now, in the same order."""
    written = [row for entry in entries if (row := _row(entry)) is not None]
    rows = store.facts.by_id(sorted(set(written)))
    return [_now(store, entry, rows) for entry in entries]


def _now(store: Store, entry: JournalEntry, rows: dict[int, Memory]) -> Chip:
    chip, key = chip_of(entry), _row(entry)
    if key is None or chip.undone:
        return chip
    row = rows.get(key)
    if row is None or row.valid_to is not None:
        row = _became(store, key)
        if row is None:
            return replace(chip, row=None, now="", when="", later="gone since", can_undo=False)
        later = f"now: {one_line(row.fact, 300)}  #{row.id}"
        return replace(chip, row=row.id, now=row.fact, when=row.happened_on or "", later=later, can_undo=False)
    if entry.kind in REVERSIBLE and any(getattr(row, name) != (entry.after or {})[name] for name in IMAGE_FIELDS):
        later = "pinned since" if row.pinned else "changed since"
        return replace(chip, now=row.fact, when=row.happened_on or "", later=later, can_undo=False)
    return chip


def _became(store: Store, key: int) -> Memory | None:
    """The current row that a row was changed into, by any number of steps."""
    with suppress(NotFound):
        keys = {row for entry in store.journal.history(key) if (row := _row(entry)) is not None}
        living = [row for row in store.facts.by_id(sorted(keys)).values() if row.valid_to is None]
        return living[-1] if living else None
    return None


def current_of(store: Store, user_id: int, ids: Iterable[int]) -> dict[int, Memory]:
    """The current row that each of these rows is, or was changed into; one of which nothing is left is left out."""
    wanted = sorted(set(ids))
    rows = store.facts.by_id(wanted)
    found = {key: row if (row := rows.get(key)) and row.valid_to is None else _became(store, key) for key in wanted}
    return {key: row for key, row in found.items() if row is not None and row.user_id == user_id}


def _row(entry: JournalEntry) -> int | None:
    """The row of the memory that a write left behind."""
    return int(entry.after["id"]) if entry.after and "fact" in entry.after else None


def _fact(image: object) -> str:
    return str(dict(image).get("fact", "")) if image else ""  # type: ignore[call-overload]


def _date(image: object) -> str:
    return str(dict(image).get("happened_on") or "") if image else ""  # type: ignore[call-overload]


@dataclass(frozen=True, slots=True)
class TurnChips:
    """What was written from one line. `standing`: how many of its writes stand, with what a told name renamed;
    `quoted`: that words in it are taken for somebody else's, and which ("": none are)."""

    turn_id: int
    chips: tuple[Chip, ...]
    standing: int
    quoted: str = ""

    @property
    def undo(self) -> int:
        """How many writes one click takes back (0: there is nothing that a single chip would not do as well)."""
        alone = self.standing == len(self.chips) == 1
        return 0 if alone or not (not self.chips or any(chip.can_undo for chip in self.chips)) else self.standing

    @property
    def undo_told(self) -> str:
        """What that click says, counted as it is shown: a told name, with what it renamed, has no chip."""
        shown = sum(not chip.undone for chip in self.chips)
        if self.undo <= shown:
            return f"Undo all {self.undo}"
        return f"Undo all {shown}, and the name" if shown else "Undo the name"


def chips_of_session(store: Store, user_id: int, session_id: int) -> dict[int, TurnChips]:
    """The chips of a session's turns, by turn: read from the journal, so they outlive the process that showed them."""
    found = _by_turn(store, user_id, store.journal.entries(user_id, session_id=session_id))
    return found | {
        turn.id: replace(found.get(turn.id, TurnChips(turn.id, (), 0)), quoted=quoted_line(words))
        for turn in store.turns.of(session_id)
        if turn.storage == "quoted" and (words := others_words(turn))
    }


def chips_of_turn(store: Store, user_id: int, turn_id: int) -> TurnChips:
    """The chips of one turn as they stand now."""
    found = _by_turn(store, user_id, store.journal.entries(user_id, turn_id=turn_id))
    return found.get(turn_id, TurnChips(turn_id, (), 0))


def _by_turn(store: Store, user_id: int, entries: Iterable[JournalEntry]) -> dict[int, TurnChips]:
    """A told name has no chip: it is told as a name, and goes back with all of its line."""
    entries = [entry for entry in entries if entry.turn_id is not None and entry.kind in REVERSIBLE]
    named = {entry.turn_id for entry in entries if entry.kind == "call"}
    chips: dict[int, list[Chip]] = {entry.turn_id or 0: [] for entry in entries}
    for chip in chips_now(store, [entry for entry in entries if entry.kind != "call"]):
        chips[chip.turn_id or 0].append(chip)
    return {turn: _turn_chips(store, user_id, turn, of, turn in named) for turn, of in chips.items()}


def _turn_chips(store: Store, user_id: int, turn_id: int, chips: Sequence[Chip], named: bool) -> TurnChips:
    standing = (
        len(store.journal.turn_writes(turn_id, user_id=user_id)) if named else sum(not chip.undone for chip in chips)
    )
    return TurnChips(turn_id, tuple(chips), standing)


def chips_again(store: Store, user_id: int, entry_ids: Iterable[int]) -> list[Chip]:
    """The chips of these entries as they stand now; those whose memory was forgotten are gone."""
    found = []
    for entry_id in entry_ids:
        with suppress(NotFound):
            found.append(store.journal.get(entry_id, user_id=user_id))
    return chips_now(store, found)
