"""What a click asks for, done: each act is a function of a desk and of what came with the click."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ....memory.errors import InputError, NotFound
from ....memory.values import HUMAN, JournalEntry, Memory
from ...chat.panels import timeline
from ...chat.yes_no import unask
from ...config.safe_text import one_line
from ...shown.chips import chips_now, current_of
from ...shown.dated import require_clear, taken_apart
from ...shown.hints import counted
from ...shown.journal_state import live_writes
from ..html import fragments
from ..windows import address
from ..windows.since import dated
from ..windows.transcript import without_question
from ..windows.window import Desk
from .chosen import CHOSEN, File, chosen, session_file

Data = Mapping[str, Any]
NOT_INCOGNITO = "Incognito is on, and this needs the memory; the tab Settings turns it off."


UNKNOWN = "That can't be done here; load the page anew."
CHANGED = "Memory {} was changed meanwhile: it is #{} now and says “{}”. Save again to change that."
MISSING = "There is no memory {} any more: it was forgotten."
GONE = "Memory {} is not remembered any more; the tab Journal says what became of it."


class Changed(InputError):
    """A memory has another number than the page knows: `row` is what it is now."""

    def __init__(self, key: int, row: Memory) -> None:
        super().__init__(CHANGED.format(key, row.id, one_line(row.fact, 200)))
        self.row = row


@dataclass(frozen=True, slots=True)
class Done:
    """What the detail pane is to show ("": nothing new), a file for the browser to save (None: none), and a word that
    comes up over the page for a while ("": none)."""

    detail: str = ""
    file: File | None = None
    told: str = ""


def act(desk: Desk, data: Data) -> Done:
    """Does the act named in `data`. Raises ChatmemError."""
    name = str(data.get("act", ""))
    if name == "close":
        return Done(" ")
    if name == "go":
        address.go(desk, str(data.get("session", "")), _number(data.get("went")))
        return Done()
    if name not in (*ACTS, *CHOSEN, "view", "export-session"):
        raise InputError(UNKNOWN)
    if desk.chat.incognito:
        raise InputError(NOT_INCOGNITO)
    if name == "view":
        desk.view = desk.view.turned(str(data.get("what", "")), str(data.get("value", "")))
        return Done()
    if name in CHOSEN:
        return Done(file=CHOSEN[name](desk, chosen(desk, str(data.get("ids", "")))))
    key = _number(data.get("id"))
    if name == "export-session":
        return Done(file=session_file(desk, key))
    done = ACTS[name](desk, key, data) or ""
    return done if isinstance(done, Done) else Done(done)


def _number(value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise InputError(UNKNOWN) from None


def _now(desk: Desk, key: int) -> Memory:
    """The memory with this number as it is now. Raises InputError when it is gone, NotFound when it is forgotten."""
    found = current_of(desk.chat.store, desk.user.id, [key])
    if key not in found:
        try:
            desk.chat.store.facts.get(key, user_id=desk.user.id)  # nobody learns which numbers others have
        except NotFound:
            raise NotFound(MISSING.format(key)) from None
        raise InputError(GONE.format(key))
    return found[key]


def written(desk: Desk) -> None:
    """After a write by hand: chips and name are read again."""
    desk.chat.set_user(desk.chat.store.users.get(desk.chat.name))  # an undo may have given the old name back
    desk.refresh()


def _taken_back(desk: Desk, undone: Sequence[JournalEntry]) -> None:
    """After an undo: in no window of theirs stands a question any more that came of what is taken back."""
    for each in (desk, *desk.others()):
        if (asked := unask(each.chat.state, undone)) is not None:
            each.said = without_question(each.said, asked)
            each.touch()
    written(desk)


def _undo(desk: Desk, key: int, data: Data) -> None:
    _taken_back(desk, [desk.chat.store.journal.undo(key, user_id=desk.user.id)])


def _undo_row(desk: Desk, key: int, data: Data) -> None:
    """Takes back the last thing that happened to a memory."""
    writes = live_writes(desk.chat.store.journal.history(key, user_id=desk.user.id))
    if not writes:
        raise InputError("Nothing that happened to this memory can be undone any more.")
    _taken_back(desk, [desk.chat.store.journal.undo(writes[-1].id, user_id=desk.user.id)])


def _undo_turn(desk: Desk, key: int, data: Data) -> None:
    undone = desk.chat.store.journal.undo_turn(key, user_id=desk.user.id)
    desk.note(key, f"- all that this line led to is taken back: {counted(len(undone), 'write')}")
    _taken_back(desk, undone)


def _mine(desk: Desk, key: int, data: Data) -> None:
    """What a line seems to quote is the person's own: it is read again, as that."""
    desk.submit(f"/mine {key}")
    desk.finish(30.0)


def _redo(desk: Desk, key: int, data: Data) -> None:
    desk.chat.store.journal.redo(key, user_id=desk.user.id)
    written(desk)


def _edit(desk: Desk, key: int, data: Data) -> Done:
    told: dict[str, Any] = {
        name: str(data[name]) for name in ("fact", "subject", "topic", "happened_on") if name in data
    }
    row = _now(desk, key)
    if row.id != key:
        raise Changed(key, row)
    when = row.happened_on or ""
    if told.get("fact", row.fact) != row.fact and told.get("happened_on", when) == when:  # it may stand behind the fact
        told["fact"], day = taken_apart(told["fact"], row.fact, row.happened_on)
        told |= {} if day is None else {"happened_on": day}
    if told.get("happened_on") != row.happened_on:
        require_clear(told.get("happened_on", ""))
    entry = desk.chat.store.facts.edit(key, user_id=desk.user.id, **told)
    written(desk)
    return Done(told=_meant(told.get("happened_on", ""), (entry.after or {}).get("happened_on") or ""))


def _meant(words: str, day: str) -> str:
    """Which day the words of a date were taken for; empty where they say just that, or none were typed."""
    if not day or words.strip() in ("", day):
        return ""
    told = f"{(at := date.fromisoformat(day)):%A}, {at.day} {at:%B %Y}" if len(day) == len("2026-05-08") else day
    return f"“{one_line(words, 60)}” is taken as {told}."


def _pin(desk: Desk, key: int, data: Data) -> None:
    desk.chat.store.facts.pin(_now(desk, key).id, data["act"] == "pin", user_id=desk.user.id)
    written(desk)


def _history(desk: Desk, key: int, data: Data) -> str:
    now = current_of(desk.chat.store, desk.user.id, [key]).get(key)
    return fragments.timeline(timeline(desk.chat.store, desk.user, key), key, now.id if now else None)


def _forget(desk: Desk, key: int, data: Data) -> None:
    desk.submit(f"/forget {key}")
    desk.finish(30.0)


def _resume(desk: Desk, key: int, data: Data) -> None:
    desk.resume(key)


def _rename(desk: Desk, key: int, data: Data) -> None:
    store = desk.chat.store
    store.sessions.rename(store.sessions.get(key, user_id=desk.user.id).id, str(data.get("title", "")))
    desk.touch()


def _delete(desk: Desk, key: int, data: Data) -> None:
    session = desk.chat.store.sessions.get(key, user_id=desk.user.id)
    desk.ask_to_delete(session)


def write(desk: Desk, sql: str) -> tuple[str, str]:
    """A change by hand, through guard and journal as `/sql --write`: what it did, and its batch ("": nothing)."""
    result = desk.chat.store.facts.write(desk.user.id, sql, author=HUMAN)
    if result.refused:
        return fragments.refused(result.refused), ""
    written(desk)
    return fragments.written(result.entries), result.entries[0].batch if result.entries else ""


def journal(desk: Desk, limit: int = 50) -> str:
    """The last writes."""
    if desk.chat.incognito:
        raise InputError(NOT_INCOGNITO)
    entries = desk.chat.store.journal.entries(desk.user.id, limit=limit)
    return fragments.journal(entries, dated(desk.chat.store, chips_now(desk.chat.store, entries)))


ACTS: Mapping[str, Callable[[Desk, int, Data], str | Done | None]] = {
    "undo": _undo, "undo-row": _undo_row, "undo-turn": _undo_turn, "redo": _redo,
    "mine": _mine, "edit": _edit, "pin": _pin, "unpin": _pin, "history": _history, "forget": _forget,
    "resume": _resume, "rename": _rename, "delete": _delete,
}  # fmt: skip
