"""What of the memory a window lists: in which order, about whom, on which topic, which page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from ....memory.errors import InputError
from ....memory.language.words import query_words, stem, tokens
from ....memory.store.memories import Order
from ....memory.store.store import Store
from ....memory.values import Memory, User

PAGE = 25
"""Rows of one page."""
FOUND = 100
"""The most that a search lists."""
BEFORE, AROUND = 24, 80
"""Characters of a found line that are shown, and those of them before the first word that was searched for."""
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
    """One page of the memory: its rows, how many there are on all pages, and the view that it is of.

    `near`: from which of these rows on nothing holds the words that were searched for (None: no row is of that kind).
    """

    rows: Sequence[Memory]
    total: int
    view: View
    near: int | None = None


@dataclass
class RowsShown:
    """The rows of memory that a window was shown last, and those that flash now: id to mark and when."""

    rows: dict[int, Memory] | None = None
    fresh: dict[int, tuple[str, float]] = field(default_factory=dict)
    view: View = field(default_factory=View)
    total: int = 0
    newest: int = 0
    """The highest id that was shown: a row that moves into sight because another went is not new."""


def listed(store: Store, user: User, view: View) -> Listed:
    """The page that a view asks for; the last one where there are fewer."""
    if view.words:
        found = [one for one in store.search(user.id, view.words, limit=FOUND, use_turns=False).memories
                 if view.subject in (None, one.subject) and view.topic in (None, one.topic)]  # fmt: skip
        held, near = by_words(found, view.words)
        view = _within(view, len(found))
        first = view.page * PAGE
        rows = [*held, *near][first : first + PAGE]
        at = max(0, len(held) - first)
        return Listed(rows, len(found), view, at if at < len(rows) else None)
    total = store.facts.count(user.id, subject=view.subject, topic=view.topic)
    view = _within(view, total)
    rows = store.facts.all(
        user.id, subject=view.subject, topic=view.topic, order=view.order, limit=PAGE, offset=view.page * PAGE
    )
    return Listed(rows, total, view)


def by_words(found: Sequence[Memory], words: str) -> tuple[list[Memory], list[Memory]]:
    """What was found, in its order: what holds the words that were searched for (where nothing holds all, any), and
    the rest, which is near in meaning. The last word may be half typed."""
    wanted = query_words(words) or tokens(words)
    held = {one.id: _held(one, wanted) for one in found}
    most = min(len(wanted), max(held.values(), default=0))
    least = most if most == len(wanted) else 1
    return [one for one in found if held[one.id] >= least], [one for one in found if held[one.id] < least]


def around(text: str, words: Sequence[str]) -> str:
    """Of a text the line that holds most of the words, as much of it as stands around the first of them."""
    lines = [" ".join(one.split()) for one in text.splitlines()] or [""]
    sought = [word.casefold() for word in words]
    best = max(lines, key=lambda line: sum(word in line.casefold() for word in sought))
    at = min((place for word in sought if (place := best.casefold().find(word)) >= 0), default=0)
    begin = best.rfind(" ", 0, max(0, at - BEFORE)) + 1 if at > BEFORE else 0
    return best[begin : begin + AROUND].strip()


def _held(memory: Memory, wanted: Sequence[str]) -> int:
    """How many of these words a memory holds."""
    there = tokens(f"{memory.subject} {memory.topic} {memory.fact}")
    stems = {stem(word) for word in there}
    return sum(
        stem(word) in stems or (at == len(wanted) and any(each.startswith(word) for each in there))
        for at, word in enumerate(wanted, 1)
    )


def _within(view: View, total: int) -> View:
    return replace(view, page=max(0, min(view.page, (total - 1) // PAGE)))
