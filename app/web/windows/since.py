"""What happened since a window was shown: the state at which all was read, and chips with what became of a memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ....memory.store.store import Store
from ....memory.values import ASSISTANT, Session
from ...config.safe_text import one_line
from ...shown.chips import Chip, TurnChips
from .transcript import TalkItem

NOW = "now: "
LOOK = 20
"""Turns of a session that are looked at for what another window said."""


@dataclass(frozen=True, slots=True)
class Seen:
    """At which state of the file, of this user's journal and of the session (last turn, its length) all was read."""

    version: int
    writes: tuple[int, int]
    said: tuple[int, int, str] | None


def seen(store: Store, user_id: int, session: Session | None) -> Seen:
    """The state at which all is read now."""
    return Seen(store.journal.version(), store.journal.writes(user_id), last_said(store, session))


def last_said(store: Store, session: Session | None) -> tuple[int, int, str] | None:
    """The last turn of a session: its number, its length, and whether it is whole."""
    last = store.turns.of(session.id, limit=1) if session is not None else ()
    return (last[0].id, len(last[0].text), last[0].status) if last else None


def taken_in(before: Seen | None, now: Seen, store: Store, session: Session | None, said: Sequence[TalkItem]) -> Seen:
    """`now`, or what was said `before` where a line since then isn't shown in `said`: another window may say something
    while this one does, and that is still to be read."""
    if session is None or before is None or before.said is None:
        return now
    shown = {one.turn_id for one in said}
    since = (turn for turn in store.turns.of(session.id, limit=LOOK) if turn.id > before.said[0])
    missed = any(turn.speaker != ASSISTANT and turn.id not in shown for turn in since)
    return replace(now, version=before.version, said=before.said) if missed else now


def dated(store: Store, chips: Sequence[Chip]) -> list[Chip]:
    """The same chips; what has become of a memory is told with its date, as what it was is."""
    changed = sorted({one.row for one in chips if one.row is not None and one.later.startswith(NOW)})
    dates = {key: row for key, row in store.facts.by_id(changed).items() if row.happened_on} if changed else {}
    return [
        replace(one, later=f"{NOW}{one_line(row.fact, 300)} ({row.happened_on})  #{row.id}")
        if one.later.startswith(NOW) and (row := dates.get(one.row or 0))
        else one
        for one in chips
    ]


def dated_turns(store: Store, turns: Mapping[int, TurnChips]) -> dict[int, TurnChips]:
    """`dated`, for the chips of each line."""
    every = iter(dated(store, [chip for turn in turns.values() for chip in turn.chips]))
    return {key: replace(turn, chips=tuple(next(every) for _ in turn.chips)) for key, turn in turns.items()}
