"""The page's address names the session that a window shows (?session=12), so that a reload or a bookmark brings it."""

from __future__ import annotations

from ....memory.errors import InputError, NotFound
from ...config.safe_text import one_line
from .transcript import TalkItem
from .window import Desk

NO_SESSION = "There is no session {} among yours: it was deleted, or the address is wrong. This is a new talk."
NOT_NOW = "Incognito is on, so session {} stays closed."


def of(desk: Desk) -> str:
    """The number of the session that a window shows ("": none yet, or none that is kept)."""
    session = desk.chat.session
    return str(session.id) if session is not None and not desk.chat.incognito else ""


def place(desk: Desk, session: str, went: int) -> None:
    """A window that is new here shows the session that its address names; any other stays as it is."""
    if desk.went is None:
        go(desk, session, went)


def go(desk: Desk, session: str, went: int) -> None:
    """Shows the session that an address names ("": a new talk). One that is not there is told, in a new talk.

    `went` counts how often the browser went back or forward. Raises InputError while a reply is being written.
    """
    desk.went = went
    if session == of(desk):
        return
    desk.be_free()
    if desk.chat.incognito:
        if session:
            raise InputError(NOT_NOW.format(one_line(session, 40)))
        return
    try:
        if session:
            desk.resume(_number(session))
        else:
            desk.new_session()
    except NotFound:
        desk.new_session()
        desk.said = [TalkItem("note", NO_SESSION.format(one_line(session, 40)), warns=True)]


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise NotFound("that is no number of a session")
    return int(text)
