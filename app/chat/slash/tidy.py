"""`/tidy`, and the tidying at the end of a chat: the editor's run as events."""

from __future__ import annotations

from collections.abc import Iterator

from ....eval.arguments import whole
from ....memory.errors import InputError
from ...shown.events import Event, MemoryWritten, Notice, Tidied
from ...shown.hints import counted
from ..state import ChatState
from ..tidying import TidyPlan, change_of, editing, undo_last
from .command import Command

SECONDS = 120.0
"""Longest that `/tidy` takes; at the end of a chat half of it."""


def tidied(c: ChatState, plan: TidyPlan) -> Iterator[Event]:
    """One run, an event for each change. Nothing else writes meanwhile. Raises ModelError, StoreError."""
    with c.worker.still(), c.agents.get().turn() as mine:  # in this order: a line being stored waits for a turn, too
        if not mine:
            return
        with editing(c.store, c.user, c.settings, plan, c.hurried.is_set) as (_, steps):
            for step in steps:
                change = change_of(step)
                if change is not None and step.call is not None:
                    yield Tidied(None, step.call.wrote, change.reason)


def tidied_at_bye(c: ChatState) -> Iterator[Event]:
    """The small run at the end of a chat, as large as the settings let it be. Raises ModelError, StoreError."""
    yield Notice(f"Tidying the memory, at most {c.settings.tidy_at_bye} changes ...")
    yield from tidied(c, TidyPlan(c.settings.tidy_at_bye, SECONDS / 2))


def _tidy(c: ChatState, rest: str) -> Iterator[Event]:
    if rest == "undo":
        _, entries = undo_last(c.store, c.user)
        yield MemoryWritten(None, tuple(entries))
        return
    if rest and (not rest.isdecimal() or not int(rest)):
        raise InputError("Write /tidy, /tidy 10 for at most ten changes, or /tidy undo.")
    changes = 0
    for event in tidied(c, TidyPlan(whole(rest, 1) if rest else 30, SECONDS)):
        changes += 1
        yield event
    back = f"{counted(changes, 'change')}; /tidy undo takes {'it' if changes == 1 else 'them'} back."
    yield Notice(back if changes else "Nothing to tidy.")


COMMANDS = (Command("tidy", "[N | undo]", "merge what is said twice, close what is overtaken, drop junk", _tidy),)
