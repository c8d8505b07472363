"""Which writes stand and which are undone, from the journal."""

from __future__ import annotations

from collections.abc import Iterable

from ...memory.store.undo import REVERSIBLE
from ...memory.values import JournalEntry


def live_writes(entries: Iterable[JournalEntry]) -> list[JournalEntry]:
    """Writes that stand and can be taken back, oldest first."""
    return [entry for entry in entries if entry.kind in REVERSIBLE and not entry.undone]


def undone_writes(entries: Iterable[JournalEntry]) -> list[JournalEntry]:
    """Writes that are undone, in the order in which they were: the last one is the first to do again.

    A write after the undo ends that chain, as in any editor: what stands now would be in its way.
    """
    undone: dict[int, JournalEntry] = {}
    known: dict[int, JournalEntry] = {}
    for entry in entries:
        known[entry.id] = entry
        if entry.kind in REVERSIBLE:
            undone.clear()
        elif entry.kind == "undo" and entry.undoes in known:
            undone[entry.undoes] = known[entry.undoes]
        elif entry.kind == "redo" and entry.undoes is not None:
            undone.pop(entry.undoes, None)
    return list(undone.values())


def undone_before(entries: Iterable[JournalEntry]) -> list[JournalEntry]:
    """Writes that are undone, oldest first, whatever was written since: each can be done again by its number."""
    return [entry for entry in entries if entry.kind in REVERSIBLE and entry.undone]


def sign(entry: JournalEntry) -> str:
    """`+` a memory came, `-` one went, `~` one changed."""
    if entry.before is None:
        return "+"
    return "-" if entry.after is None else "~"
