"""What a bare yes or no does after a question about a memory that may be over, or a fact that may be the user's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ...memory.errors import InputError, NotFound
from ...memory.store.writing import new_batch
from ...memory.values import HUMAN, JournalEntry
from ..shown.events import Asked as Erase
from ..shown.events import ChangeAsked, Event, FactAsked, MemoryRefused, MemoryWritten, Notice, TurnSaved
from ..shown.journal_state import live_writes
from .asking.questions import Asked
from .worker import Job

if TYPE_CHECKING:
    from .state import ChatState

UNASKED = "What I asked about it isn't asked any more."


def asked_next(c: ChatState) -> Iterator[Event]:
    """What waited for the answer to another question, if it is still to be asked. Right behind "Erase it?" a yes would
    erase, whatever was asked last."""
    if c.offered is not None or c.incognito:
        return
    if (question := c.questions.next(lambda one: _stands(c, one))) is not None:
        yield question


def _stands(c: ChatState, question: Asked) -> bool:
    """Whether the row that it is about holds, and the line that it comes from is there, with what came of it."""
    entries = c.store.journal.entries(c.user.id, turn_id=question.turn_id)
    if any(one.undone for one in entries) and not live_writes(entries):
        return False
    if isinstance(question, ChangeAsked):
        row = c.store.facts.by_id([question.memory_id]).get(question.memory_id)
        return row is not None and row.user_id == c.user.id and row.valid_to is None
    return bool(_living(c, question.turn_id))


def settle(c: ChatState, asked: ChangeAsked, agreed: bool) -> Iterator[Event]:
    """Closes the memory after a yes; after a no it stays, and the next that could be meant is asked about."""
    if not agreed:
        if asked.others:
            yield from _ask(c, replace(asked.others[0], others=asked.others[1:]))
        else:
            yield Notice("Then it stays as it is.")
        return
    try:
        entry = c.store.facts.retire(
            asked.memory_id, turn_ids=_living(c, asked.turn_id), batch=new_batch(), user_id=c.user.id
        )
    except (InputError, NotFound) as gone:
        yield Notice(f"Nothing was changed: {gone}", "warning")
        return
    yield MemoryWritten(asked.turn_id, (entry,))


def settle_fact(c: ChatState, asked: FactAsked, agreed: bool) -> Iterator[Event]:
    """Writes the fact after a yes; what is asked next is asked whatever the answer."""
    if not agreed:
        yield Notice("Then it isn't remembered; the line is kept.")
    elif turn_ids := _living(c, asked.turn_id):
        line = c.store.turns.get(turn_ids[0], user_id=c.user.id)
        result = c.store.facts.write(
            c.user.id, asked.sql, author=HUMAN, turn_ids=turn_ids, session_id=line.session_id,
            subjects=asked.subjects, said_at=line.said_at,
        )  # fmt: skip
        if result.refused:
            yield MemoryRefused(asked.turn_id, result.refused, asked.sql)
        elif result.entries:
            yield MemoryWritten(asked.turn_id, result.entries)
    else:
        yield Notice("Nothing was remembered: the line was forgotten meanwhile.", "warning")
    if asked.others:
        first = asked.others[0]
        yield from _ask(c, replace(first, others=asked.others[1:]) if isinstance(first, FactAsked) else first)


def _ask(c: ChatState, question: Asked) -> Iterator[Event]:
    if c.questions.ask(question):
        yield question


def told_after_all(c: ChatState, asked: Erase | None) -> Iterator[Event]:
    """Keeps the line that was taken for a wish to forget and had no yes, and has it read for facts; without a reply."""
    if asked is None or not asked.line or c.incognito:
        return
    yield from c.ensure_session(asked.line)
    turn = c.keep(c.user.subject, asked.line, storage="pending")
    c.remember_recent(turn)
    yield TurnSaved(turn)
    c.worker.put(Job(c.user, (turn,)))


def unask(c: ChatState, undone: Iterable[JournalEntry]) -> Asked | None:
    """After these undos: asks no more what came of a line of which all is taken back; what that was (None: nothing).

    Else a "yes" that is said to something else would act on what is no longer there.
    """
    asked, taken = c.questions.open, {one.undoes for one in undone if one.kind == "undo"}
    if asked is None or c.incognito or not taken:
        return None
    entries = c.store.journal.entries(c.user.id, turn_id=asked.turn_id)
    if live_writes(entries) or not taken & {one.id for one in entries}:
        return None
    c.questions.take()
    return asked


def _living(c: ChatState, turn_id: int) -> list[int]:
    """The line that it comes from, unless it was erased meanwhile."""
    with suppress(NotFound):
        return [c.store.turns.get(turn_id, user_id=c.user.id).id]
    return []
