"""What of the memory a window lists: in which order, about whom, on which topic, which page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import get_args

from ....memory.errors import InputError
from ....memory.language.about_others import people
from ....memory.language.facts.areas import area as area_of
from ....memory.language.facts.areas import areas as every_area
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


def tells_of(memory: Memory, name: str, user: User) -> bool:
    """Whether a memory is about somebody: it is theirs, or it names them. Those of the user are the user's own."""
    return memory.subject == name or (name != user.subject and bool(_named(name).search(memory.fact)))


def people_told_of(store: Store, user: User, seen: RowsShown) -> list[str]:
    """Whom the current memories are about: their subjects, and who is told of in them by name."""
    now = store.journal.writes(user.id)
    if seen.people_at != now:
        subjects = store.facts.subjects(user.id)
        told = people((one.subject, one.fact) for one in store.facts.all(user.id))
        own = {user.subject, *user.subject.split()}
        seen.people_at, seen.people = now, [*subjects, *sorted(told - {*subjects} - own)]
    return seen.people


def topics_told(store: Store, user: User, name: str | None) -> list[str]:
    """The areas and topics of what is remembered about somebody (None: of all)."""
    if name is None or name == user.subject:
        areas, topics = store.facts.areas(user.id, name), store.facts.topics(user.id, name)
    else:
        rows = _all_of(store, user, View(subject=name))
        found = {area_of(one.topic, one.fact) for one in rows}
        areas, topics = [one for one in every_area() if one in found], sorted({one.topic for one in rows if one.topic})
    return [*areas, *(one for one in topics if one not in areas)]


def _all_of(store: Store, user: User, view: View) -> list[Memory]:
    """All rows of a view that is about somebody by name."""
    rows = store.facts.all(user.id, topic=view.topic, order=view.order)
    return [one for one in rows if tells_of(one, view.subject or "", user)]


def _is_of(memory: Memory, view: View, user: User) -> bool:
    """Whether a memory passes the filters of a view."""
    about = view.subject is None or tells_of(memory, view.subject, user)
    return about and view.topic in (None, memory.topic, area_of(memory.topic, memory.fact))


@lru_cache(maxsize=64)
def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(name)}\b")


@dataclass
class RowsShown:
    """The rows of memory that a window was shown last, and those that flash now: id to mark and when."""

    rows: dict[int, Memory] | None = None
    fresh: dict[int, tuple[str, float]] = field(default_factory=dict)
    view: View = field(default_factory=View)
    total: int = 0
    newest: int = 0
    """The highest id that was shown: a row that moves into sight because another went is not new."""
    people: list[str] = field(default_factory=list)
    """Whom the memories are about, as of the writes `people_at`."""
    people_at: tuple[int, int] | None = None


def listed(store: Store, user: User, view: View) -> Listed:
    """The page that a view asks for; the last one where there are fewer."""
    if view.words:
        found = store.search(user.id, view.words, limit=FOUND, use_turns=False).memories
        found = [one for one in found if _is_of(one, view, user)]
        held, near = by_words(found, view.words)
        view = _within(view, len(found))
        first = view.page * PAGE
        rows = [*held, *near][first : first + PAGE]
        at = max(0, len(held) - first)
        return Listed(rows, len(found), view, at if at < len(rows) else None)
    if view.subject not in (None, user.subject):
        every = _all_of(store, user, view)
        view = _within(view, len(every))
        return Listed(every[view.page * PAGE :][:PAGE], len(every), view)
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
    sought = [re.compile(re.escape(word), re.IGNORECASE) for word in words]
    held = [(len(found), min(found), line) for line in lines
            if (found := [hit.start() for word in sought if (hit := word.search(line))])]  # fmt: skip
    _, at, best = max(held, key=lambda one: one[0], default=(0, 0, lines[0]))
    begin = best.rfind(" ", max(0, at - 2 * BEFORE), max(0, at - BEFORE)) + 1 or max(0, at - BEFORE)
    return best[begin if at > BEFORE else 0 :][:AROUND].strip()


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
