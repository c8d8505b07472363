"""What a yes has just confirmed: "yes, he said so, and Porto it is now, since the rent in Bristol went up" asks for the
home in Porto, whatever a reader of ends makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ....memory.language.facts.corrections import signals
from ....memory.language.points import letters as re
from ....memory.values import HUMAN, Memory, Turn

if TYPE_CHECKING:
    from ....memory.store.store import Store

ASKED_ABOUT = 2
"""Lines before a yes, one of which brought the question: it may come when the next line is typed already."""
AT_ONCE = timedelta(seconds=2)
"""Between what a yes closes and the line that it begins: both come of one line."""


def confirmed(store: Store, turn: Turn, earlier: Sequence[Turn], rows: Sequence[Memory]) -> frozenset[int]:
    """The ids of the rows of the line for which another row was closed by the yes that a line begins with. `earlier`:
    the speaker's lines before it, the nearest last."""
    said_at = datetime.fromisoformat(turn.said_at)
    for line in reversed(earlier[-ASKED_ABOUT:]):
        entries = store.journal.entries(turn.user_id, turn_id=line.id, kind="delete")
        closed = (datetime.fromisoformat(one.at) for one in entries if one.author == HUMAN and not one.undone)
        if any(abs(said_at - at) <= AT_ONCE for at in closed):
            return frozenset(row.id for row in rows if row.said_at == line.said_at)
    return frozenset()


def said_again(row: Memory, line: str) -> bool:
    """Whether a line says once more that what a row names is so: "Porto it is now", "it's Tom", and of nothing that it
    is over."""
    names = {*_NAMED.findall(row.fact)[1:]}
    return not signals(line).ends and any(
        re.search(rf"\b(?:it is|it['’]s|in|at) {name}\b|\b{name}\b(?: it is|,? now|,? since|\s*[.,!;]|\s*$)", line)
        for name in map(re.escape, names)
    )


_NAMED = re.compile(r"\b[A-Z][\w-]*\w|\d+")
