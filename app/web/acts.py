"""What a click asks for, done: each act is a function of a desk and of what came with the click."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...memory.errors import InputError
from ...memory.values import HUMAN
from ..chips import chips_now
from ..history import live_writes
from ..panels import timeline
from . import views
from .desk import Desk

Data = Mapping[str, Any]
NOT_INCOGNITO = "Incognito is on, and this needs the memory; the tab Settings turns it off."


def act(desk: Desk, data: Data) -> str:
    """Does the act named in `data`; what the detail pane is to show ("": nothing new). Raises ChatmemError."""
    name = str(data.get("act", ""))
    if name == "close":
        return " "
    if name not in ACTS:
        raise InputError("That can't be done here; load the page anew.")
    if desk.chat.incognito:
        raise InputError(NOT_INCOGNITO)
    try:
        key = int(str(data.get("id", "")))
    except ValueError:
        raise InputError("That can't be done here; load the page anew.") from None
    return ACTS[name](desk, key, data) or ""


def written(desk: Desk) -> None:
    """After a write by hand: chips and name are read again."""
    desk.chat.set_user(desk.chat.store.user(desk.chat.name))  # an undo may have given the old name back
    desk.refresh()


def _undo(desk: Desk, key: int, data: Data) -> None:
    desk.chat.store.undo(key, user_id=desk.user.id)
    written(desk)


def _undo_row(desk: Desk, key: int, data: Data) -> None:
    """Takes back the last thing that happened to a memory."""
    writes = live_writes(desk.chat.store.history(key, user_id=desk.user.id))
    if not writes:
        raise InputError("Nothing that happened to this memory can be undone any more.")
    desk.chat.store.undo(writes[-1].id, user_id=desk.user.id)
    written(desk)


def _undo_turn(desk: Desk, key: int, data: Data) -> None:
    count = len(desk.chat.store.undo_turn(key, user_id=desk.user.id))
    desk.note(key, f"- all that this line led to is taken back: {count} writes")
    written(desk)


def _redo(desk: Desk, key: int, data: Data) -> None:
    desk.chat.store.redo(key, user_id=desk.user.id)
    written(desk)


def _edit(desk: Desk, key: int, data: Data) -> None:
    told: dict[str, Any] = {
        name: str(data[name]) for name in ("fact", "subject", "topic", "happened_on") if name in data
    }
    desk.chat.store.edit(key, user_id=desk.user.id, **told)
    written(desk)


def _pin(desk: Desk, key: int, data: Data) -> None:
    desk.chat.store.pin(key, data["act"] == "pin", user_id=desk.user.id)
    written(desk)


def _history(desk: Desk, key: int, data: Data) -> str:
    return views.timeline(timeline(desk.chat.store, desk.user, key), key)


def _forget(desk: Desk, key: int, data: Data) -> None:
    desk.submit(f"/forget {key}")
    desk.finish(30.0)


def _resume(desk: Desk, key: int, data: Data) -> None:
    desk.resume(key)


def _rename(desk: Desk, key: int, data: Data) -> None:
    store = desk.chat.store
    store.rename_session(store.session(key, user_id=desk.user.id).id, str(data.get("title", "")))
    desk.touch()


def _delete(desk: Desk, key: int, data: Data) -> None:
    session = desk.chat.store.session(key, user_id=desk.user.id)
    desk.ask_to_delete(session)


def write(desk: Desk, sql: str) -> tuple[str, str]:
    """A change by hand, through guard and journal as `/sql --write`: what it did, and its batch ("": nothing)."""
    result = desk.chat.store.write(desk.user.id, sql, author=HUMAN)
    if result.refused:
        return views.refused(result.refused), ""
    written(desk)
    return views.written(result.entries), result.entries[0].batch if result.entries else ""


def journal(desk: Desk, limit: int = 50) -> str:
    """The last writes."""
    if desk.chat.incognito:
        raise InputError(NOT_INCOGNITO)
    entries = desk.chat.store.journal(desk.user.id, limit=limit)
    return views.journal(entries, chips_now(desk.chat.store, entries))


ACTS: Mapping[str, Callable[[Desk, int, Data], str | None]] = {
    "undo": _undo, "undo-row": _undo_row, "undo-turn": _undo_turn, "redo": _redo,
    "edit": _edit, "pin": _pin, "unpin": _pin, "history": _history, "forget": _forget,
    "resume": _resume, "rename": _rename, "delete": _delete,
}  # fmt: skip
