"""What of the memory a window lists: in which order, about whom, on which topic, which page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from ....memory.errors import InputError
from ....memory.store.memories import Order
from ....memory.store.store import Store
from ....memory.values import Memory, User

PAGE = 25
"""Rows of one page."""
FOUND = 100
"""The most that a search lists."""
ORDERS: dict[Order, str] = {
    "newest": "Newest", "oldest": "Oldest", "happened": "By date", "subject": "By person", "topic": "By topic",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class View:
    """`subject` and `topic` None: any. `words`: what is searched for; what fits best comes first then."""

    order: Order = "newest"
    subject: str | None = None
    topic: str | None = None
    page: int = 0
    words: str = ""

    def turned(self, what: str, value: str) -> View:
        """Another order, filter or page, as it was chosen ("": any). Raises InputError for what can't be chosen."""
        if what == "order" and value in get_args(Order):
            return replace(self, order=next(one for one in ORDERS if one == value), page=0)
        if what == "subject":
            return replace(self, subject=value or None, topic=None, page=0)
        if what == "topic":
            return replace(self, topic=value or None, page=0)
        if what == "page" and value.isascii() and value.isdigit() and len(value) < 10:
            return replace(self, page=int(value))
        raise InputError("The list can't be shown like that; load the page anew.")

    def searched(self, words: str) -> View:
        """The same list for these words, from its first page if they are others."""
        words = words.strip()
        return self if words == self.words else replace(self, words=words, page=0)


@dataclass(frozen=True, slots=True)
class Listed:
    """One page of the memory: its rows, how many there are on all pages, and the view that it is of."""

    rows: Sequence[Memory]
    total: int
    view: View


def listed(store: Store, user: User, view: View) -> Listed:
    """The page that a view asks for; the last one where there are fewer."""
    if view.words:
        found = [one for one in store.search(user.id, view.words, limit=FOUND, use_turns=False).memories
                 if view.subject in (None, one.subject) and view.topic in (None, one.topic)]  # fmt: skip
        view = _within(view, len(found))
        return Listed(found[view.page * PAGE : (view.page + 1) * PAGE], len(found), view)
    total = store.facts.count(user.id, subject=view.subject, topic=view.topic)
    view = _within(view, total)
    rows = store.facts.all(
        user.id, subject=view.subject, topic=view.topic, order=view.order, limit=PAGE, offset=view.page * PAGE
    )
    return Listed(rows, total, view)


def _within(view: View, total: int) -> View:
    return replace(view, page=max(0, min(view.page, (total - 1) // PAGE)))
