"""What came of a line that was said, and where a fact comes from: what `chatmem.Memory` answers with."""

from __future__ import annotations

from dataclasses import dataclass

from ...memory.values import Doubt, JournalEntry, Memory, Turn


@dataclass(frozen=True, slots=True)
class Said:
    """What came of a line: the turn as it is kept now, what was written because of it, and what was refused, with why.
    `unkept`: why the line is kept nowhere, with the call that does what it wishes (its turn then has no number).
    `unread`: of a very long text what was read for no fact; it is kept and found. `doubts`: facts that may be over by
    what was said, as the chat would ask; `Memory.end` closes one, all else leaves it."""

    turn: Turn
    written: tuple[JournalEntry, ...] = ()
    refused: tuple[JournalEntry, ...] = ()
    unread: str = ""
    doubts: tuple[Doubt, ...] = ()
    unkept: str = ""

    @property
    def facts(self) -> list[str]:
        """What the memory now says because of the line."""
        return [str(entry.after["fact"]) for entry in self.written if entry.after and "fact" in entry.after]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a fact comes from: the lines in which it was said, oldest first, and all that was written of it."""

    row: Memory
    lines: tuple[Turn, ...]
    history: tuple[JournalEntry, ...]
