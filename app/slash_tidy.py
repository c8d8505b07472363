"""`/tidy`, and the tidying at the end of a chat: the editor's run as events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..memory.errors import InputError
from .events import Event, MemoryWritten, Notice, Tidied
from .slash import Command
from .tidying import Plan, change_of, editing, undo_last

if TYPE_CHECKING:
    from .controller import Controller

SECONDS = 120.0
"""Longest that `/tidy` takes; at the end of a chat half of it."""


def tidied(c: Controller, plan: Plan) -> Iterator[Event]:
    """One run, an event for each change. Nothing else writes meanwhile. Raises ModelError, StoreError."""
    with c.worker.still(), c.agents.get().turn() as mine:  # in this order: a line being stored waits for a turn, too
        if not mine:
            return
        with editing(c.store, c.user, c.settings, plan, lambda: False) as (_, steps):
            for step in steps:
                change = change_of(step)
                if change is not None and step.call is not None:
                    yield Tidied(None, step.call.wrote, change.reason)


def _tidy(c: Controller, rest: str) -> Iterator[Event]:
    if rest == "undo":
        _, entries = undo_last(c.store, c.user)
        yield MemoryWritten(None, tuple(entries))
        return
    if rest and not rest.isdigit():
        raise InputError("Write /tidy, /tidy 10 for at most ten changes, or /tidy undo.")
    changes = 0
    for event in tidied(c, Plan(int(rest) if rest else 30, SECONDS)):
        changes += 1
        yield event
    told = f"{changes} changes; /tidy undo takes them back." if changes else "Nothing to tidy."
    yield Notice(told)


COMMANDS = (Command("tidy", "[N | undo]", "merge what is said twice, close what is overtaken, drop junk", _tidy),)
