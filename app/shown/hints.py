"""What to do next, in words: after SQL that was refused or wrote something, and what a long list of writes comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...memory.errors import Refused
from ...memory.values import JournalEntry
from .journal_state import sign

WRITES = ("insert", "update", "delete")
NESTED = "begin with SELECT, and put a query that WITH would name into its WHERE: ... WHERE id IN (SELECT ...)"
MOST = 20
"""Writes that are told one by one; more of them are told by their number."""
SECTIONS = (("memories", "memory", "memories"), ("turns", "line", "lines"), ("sessions", "session", "sessions"))


@contextmanager
def refused_read(sql: str, how: str) -> Iterator[None]:
    """While inside, a refused statement that would write, or names a query before it reads, says how it may be run."""
    try:
        yield
    except Refused as refusal:
        first = "".join(sql.split()[:1]).lower()
        if first in (*WRITES, "with"):
            raise Refused(f"{refusal.reason}; {NESTED if first == 'with' else how}.") from None
        raise


def written(count: int, undo: str) -> str:
    """What a statement wrote, and what takes it back."""
    if not count:
        return "No row fits, so nothing was changed."
    return f"{rows(count)} written; {undo} takes {'it' if count == 1 else 'them'} back."


def counted(count: int, one: str, many: str = "") -> str:
    """`1 write`, `2 writes`, `3 memories`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def rows(count: int) -> str:
    return counted(count, "row")


def lines(count: int) -> str:
    return counted(count, "line")


def summed_up(entries: Sequence[JournalEntry]) -> list[str]:
    """So many writes of one sort as a line each, as `- undo 300 rows`; no lines when they can be told one by one."""
    if len(entries) <= MOST:
        return []
    kinds = Counter((sign(one), one.kind if one.kind in ("undo", "redo") else "") for one in entries)
    return [" ".join(part for part in (mark, kind, rows(count)) if part) for (mark, kind), count in kinds.items()]


def whole_import(entry: JournalEntry) -> str:
    """What came with a file, or went with the undo of it; empty for any other write."""
    spans = entry.after if entry.kind == "import" else entry.before if entry.kind == "undo" else None
    if not spans or "fact" in spans:
        return ""
    told = ", ".join(counted(spans[name][1] - spans[name][0] + 1, one, many)
                     for name, one, many in SECTIONS if spans.get(name))  # fmt: skip
    return f"the import of {told}" if told else ""
