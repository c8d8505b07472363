"""What is said of a long message that is read for facts in parts: before it is read, and after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...memory.values import WriteResult
from ...models.storage.parts import Parts
from ..config.safe_text import one_line
from ..shown.events import Event, Notice

_QUOTED = 40
UNDONE = "The rest of your long message is not read for facts, since you took back what came of it."


@dataclass(frozen=True, slots=True)
class Reading:
    """How far a long message is read: `at` is the part that comes next, of `parts`; what came of those before."""

    at: int
    parts: int
    brought: tuple[tuple[str, int], ...] = ()
    result: WriteResult = field(default_factory=lambda: WriteResult(()))

    def __str__(self) -> str:
        """For a status line: "part 3 of 12"."""
        return f"part {self.at + 1} of {self.parts}"


def announced(text: str, parts: Parts) -> str:
    """What will be done with a long message, for the one who sent it."""
    lines = sum(bool(line.strip()) for line in text.splitlines())
    size = f"{len(text):,} characters in {lines:,} lines" if lines > 1 else f"{len(text):,} characters"
    told = f"That message has {size}; it is kept whole, and read for facts in {_count(len(parts.read))}."
    if parts.unread:
        told += (
            f" Not read for facts is what comes from {quoted(parts.unread)} on, {len(parts.unread):,} characters: "
            "it is kept and can be found; send it in smaller messages to have facts made of it."
        )
    return told


def summary(brought: Sequence[tuple[str, int]]) -> str:
    """What came of the parts, each with the number of facts that it brought."""
    none = [part for part, count in brought if not count]
    facts = sum(count for _, count in brought)
    told = f"Read your long message in {_count(len(brought))}: {facts} changes to the memory"
    if not none:
        return f"{told}, from every part."
    begins = ", ".join(quoted(part) for part in none[:3]) + (" and others" if len(none) > 3 else "")
    return f"{told}; {_count(len(none))} brought none ({begins}). What was said there is kept and can be found."


def quoted(text: str) -> str:
    """How a text begins."""
    return f"“{one_line(text, _QUOTED)}”"


def _count(number: int) -> str:
    return f"{number} part{'' if number == 1 else 's'}"


def of_a_cut_line(text: str, read: str) -> Iterator[Event]:
    """Says so where a model was given only `read` of a line."""
    if read != text:
        half = f"{len(read) // 2:,}"
        yield Notice(
            f"For the reply, a model reads only its first {half} and its last {half} of {len(text):,} characters, and "
            "nothing between them.", "warning",
        )  # fmt: skip
