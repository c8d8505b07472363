"""Lines that no window is at, and which one takes them up: what a crash or a failing model left, a window that was
closed, or one that is incognito now and remembers nothing meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....memory.values import Turn
from ...shown.events import Event

if TYPE_CHECKING:
    from .window import Desk


def taken_up(desk: Desk) -> list[Event]:
    """What a window tells that begins to remember them; nothing in incognito."""
    if desk.chat.incognito:
        return []
    with desk.taking:
        for other in desk.others():
            other.chat.worker.give_up_aside()
        return list(desk.chat.start())


def is_elsewhere(desk: Desk, turn: Turn) -> bool:
    """Whether another window remembers the line, or is still at the talk that it belongs to: it may be answered now."""
    chats = [other.chat for other in desk.others()]
    talks = {session.id for chat in chats if (session := chat.session) is not None}
    return turn.session_id in talks or any(chat.worker.holds(turn.id) for chat in chats)
