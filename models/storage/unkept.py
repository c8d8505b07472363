"""A line that wishes something forgotten names what is to go, so it is kept nowhere, and what forgets it is told."""

from __future__ import annotations

import warnings

from ...memory.forget.asking import points_back, wish_of
from ...memory.forget.orders.beside import brings_news
from ...memory.language.detect import language_of
from ...memory.store.store import Store
from ...memory.values import Turn, User
from .outcome import Said

WISH = (
    "That line wishes something forgotten: it isn't kept, and nothing was erased. `memory.to_forget(words=...)` (or "
    "ids, or about=...) shows what would go, and `memory.forget(plan)` erases it."
)
WHOLE = (
    "That line wishes everything forgotten: it isn't kept, and nothing was erased. "
    "`memory.store.forget.user(memory.user.id)` erases all of this user for good."
)
REST = " Say what else the line tells in a line of its own."


def unkept(store: Store, user: User, text: str, session: int | None) -> Said | None:
    """What came of a line that wishes something forgotten; None for talk. `session`: that of the line. Warns
    (UserWarning), for who doesn't look at it would take the wish for carried out.

    What is no sure wish ("delete my salary"), or stands beside something else ("Forget Berlin, we're going to Lisbon"),
    is one where the memory holds it, and "forget that" where something was written of the line before.
    """
    told = _told(store, user, text, session)
    if not told:
        return None
    warnings.warn(told, stacklevel=4)
    return Said(Turn(0, 0, user.id, user.subject, text, store.now()), unkept=told)


def _told(store: Store, user: User, text: str, session: int | None) -> str:
    """Why a line isn't kept, with the call that forgets; empty for talk."""
    language = language_of(text, thorough=False)
    wish = wish_of(text, language)
    if wish is None:
        before = store.turns.of(session, limit=1) if session is not None and points_back(text, language) else []
        return WISH if any(store.journal.turn_writes(one.id, user_id=user.id) for one in before) else ""
    if wish.kind == "whole":
        return WHOLE + REST * (not wish.alone)
    alone = wish.alone and not (wish.kind in ("matter", "about") and brings_news(text))
    if not (wish.sure and (alone or wish.told)) and store.forget.wished(user.id, wish).empty:
        return ""
    return WISH + REST * (not alone)
