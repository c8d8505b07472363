"""Lines that no window is at, and which one takes them up: what a crash or a failing model left, a window that was
closed, or one that is incognito now and remembers nothing meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

from ....memory.values import Turn
from ...controller import Controller
from ...shown.events import Event


def taken_up(chat: Controller, others: Iterable[Controller], taking: Lock) -> list[Event]:
    """What the chat of a window tells that begins to remember them; nothing in incognito. `others`: the chats of the
    same person's other windows; `taking`: held by one window at a time."""
    if chat.incognito:
        return []
    with taking:
        for other in others:
            other.worker.give_up_aside()
        return list(chat.start())


def is_elsewhere(turn: Turn, others: Iterable[Controller]) -> bool:
    """Whether another window remembers the line, or is still at the talk that it belongs to: it may be answered now."""
    chats = list(others)
    talks = {session.id for chat in chats if (session := chat.session) is not None}
    return turn.session_id in talks or any(chat.worker.holds(turn.id) for chat in chats)
