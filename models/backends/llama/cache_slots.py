"""Which sequence of a shared key/value cache serves which prompt: longest common prefix first, then least recent.

A prompt that would cost a remembered one more than half of its tokens takes another sequence and shares the cells of
what is alike. Without an adapter one model plays all roles: so the talk, the storage agent's instructions and what else
comes again each turn are read once. An adapter keeps two, a line's and that of a part of it, since a line is often
drawn anew after a part of it was read by itself; what is kept is looked through at each step, so more would cost more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

OF_ADAPTER = 2
"""Sequences that keep prompts of one adapter."""


@dataclass(slots=True)
class Slot:
    """One sequence of the cache: the tokens whose cells it holds, and the adapter they were computed with."""

    sequence: int
    adapter: Path | None = None
    tokens: list[int] = field(default_factory=list)
    reserved: int = 0
    """Cells promised to the running generation; 0 when nobody uses the slot."""
    used_at: int = 0
    thread: int = 0

    @property
    def busy(self) -> bool:
        return self.reserved > 0

    @property
    def cells(self) -> int:
        """Cells this slot may occupy."""
        return max(self.reserved, len(self.tokens))


def common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    """Number of equal tokens at the start."""
    count = min(len(left), len(right))
    return next((at for at in range(count) if left[at] != right[at]), count)


def _no_copy(source: int, target: int, count: int) -> None:
    """Where nothing is shared."""


class Slots:
    """All slots of one context of `cells` cells. `forget(sequence, start)` drops cells in the cache itself,
    `copy(source, target, count)` lets a sequence share the first cells of another."""

    def __init__(
        self, sequences: int, cells: int, forget: Callable[[int, int], None],
        copy: Callable[[int, int, int], None] = _no_copy,
    ) -> None:  # fmt: skip
        self.all = [Slot(sequence) for sequence in range(sequences)]
        self._cells = cells
        self._forget, self._copy = forget, copy
        self._clock = 0

    def take(self, adapter: Path | None, prompt: Sequence[int], room: int, thread: int) -> Slot | None:
        """A slot with as much of the prompt as is cached and `room` cells in all, or None when busy slots hold them.

        At least the prompt's last token is left to compute, since its logits are needed.
        """
        idle = [slot for slot in self.all if not slot.busy]
        if not idle or room > self._cells - sum(slot.cells for slot in self.all if slot.busy):
            return None
        slot, kept = self._best(idle, adapter, prompt)
        spare = self._spare(idle, slot, kept)
        if spare is not None:
            shared = slot.tokens[:kept]
            self._cut(spare, 0)
            self._copy(slot.sequence, spare.sequence, kept)
            slot, spare.tokens[:] = spare, shared
        self._cut(slot, kept)
        slot.adapter, slot.reserved, slot.thread = adapter, room, thread
        self._clock += 1
        slot.used_at = self._clock
        self._make_room(slot)
        return slot

    def release(self, slot: Slot) -> None:
        """The generation is over; the cells stay as cache."""
        self._cut(slot, len(slot.tokens))
        slot.reserved = 0

    def keep(self, slot: Slot, count: int) -> None:
        """Drop what a slot holds beyond its first `count` tokens."""
        if count < len(slot.tokens):
            self._cut(slot, count)

    def start_anew(self) -> None:
        """As at first, where nobody is busy; the caller empties the cache itself."""
        self._clock = 0
        for slot in self.all:
            slot.tokens.clear()
            slot.adapter, slot.used_at = None, 0

    def drop(self, slot: Slot) -> None:
        """Empty a slot."""
        self._cut(slot, 0)

    def _best(self, idle: list[Slot], adapter: Path | None, prompt: Sequence[int]) -> tuple[Slot, int]:
        known = {
            slot.sequence: min(common_prefix(slot.tokens, prompt), len(prompt) - 1)
            for slot in idle
            if slot.adapter == adapter and slot.tokens
        }
        best = max(known, key=lambda sequence: known[sequence], default=None)
        if best is not None and (known[best] > 0 or len(known) == len(idle)):
            return self.all[best], known[best]
        slot = min(idle, key=lambda slot: (bool(slot.tokens), slot.used_at))
        return slot, 0

    def _spare(self, idle: list[Slot], slot: Slot, kept: int) -> Slot | None:
        """A slot to begin with the first `kept` tokens of that one, which would lose too much by it; None: use that."""
        if not kept or 2 * kept >= len(slot.tokens):
            return None
        others = [other for other in idle if other is not slot]
        if slot.adapter is not None:
            own = [other for other in others if other.adapter == slot.adapter and other.tokens]
            if len(own) + 1 >= OF_ADAPTER:
                others = [other for other in own if other.used_at < slot.used_at]
        return min(others, key=lambda other: (bool(other.tokens), other.used_at), default=None)

    def _make_room(self, slot: Slot) -> None:
        others = [other for other in self.all if other is not slot and other.tokens and not other.busy]
        for other in sorted(others, key=lambda other: other.used_at):
            if sum(each.cells for each in self.all) <= self._cells:
                return
            self._cut(other, 0)

    def _cut(self, slot: Slot, kept: int) -> None:
        # Cells past the known tokens may exist after a broken-off decode, so cutting always reaches the cache.
        self._forget(slot.sequence, kept)
        del slot.tokens[kept:]
