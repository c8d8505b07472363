"""The lines that were said last, today, or in one talk: "forget everything I said today"."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from sqlalchemy import ColumnElement, Connection, select

from ...database import tables as t
from ...database.moments import moment_of
from ...values import ASSISTANT, FORGOTTEN, Moment


def lines(
    db: Connection, user_id: int, kind: str, last: int | None, now: Moment, zone: tzinfo | None
) -> tuple[int, ...]:  # fmt: skip
    """The lines of a wish of this kind; `last`: what was said last."""
    if kind == "last":
        return () if last is None else (last,)
    return today(db, user_id, now, zone) if kind == "today" else in_talk(db, user_id, last)


def today(db: Connection, user_id: int, now: Moment, zone: tzinfo | None) -> tuple[int, ...]:
    """The user's lines since midnight where they are."""
    here = datetime.fromisoformat(now).astimezone(zone or UTC)
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)
    return _lines(db, user_id, t.turns.c.said_at >= moment_of(midnight))


def in_talk(db: Connection, user_id: int, line: int | None) -> tuple[int, ...]:
    """The user's lines of the session that a line belongs to."""
    session = select(t.turns.c.session_id).where(t.turns.c.id == (line or 0)).scalar_subquery()
    return _lines(db, user_id, t.turns.c.session_id == session)


def _lines(db: Connection, user_id: int, which: ColumnElement[bool]) -> tuple[int, ...]:
    told = (t.turns.c.user_id == user_id, t.turns.c.speaker != ASSISTANT, t.turns.c.text != FORGOTTEN)
    return tuple(db.scalars(select(t.turns.c.id).where(*told, which).order_by(t.turns.c.id)))
