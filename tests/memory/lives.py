"""Lives of a memory for the laws: lists of steps, each of which does something to what the steps before it left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from sqlalchemy import select

from chatmem.memory.database import tables as t
from chatmem.memory.errors import InputError
from chatmem.memory.store.store import Store
from chatmem.memory.values import Author, Memory, Session, Turn, User
from tests.effort import times

AGENT = Author("agent:storage", "embedded", "storage")
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=25).filter(str.strip)
NAMES = st.sampled_from(["Ana", "Ben", "assistant"])
ACTIONS = (
    "remember", "remember", "say", "edit", "retire", "pin", "undo", "redo", "call", "insert", "update", "delete",
    "undo turn", "redo turn", "undo batch", "redo batch",
)  # fmt: skip
STEP = st.tuples(st.sampled_from(ACTIONS), NAMES, WORDS, st.integers(0, 99))
LIFE = st.lists(STEP, max_size=10)
LAW = settings(
    max_examples=times(20, 8), deadline=None, suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)  # fmt: skip
"""Each law's examples share one database; every example has a user of its own. A failure is not made smaller, since
each try costs a good part of a second."""

RAM = Path("/dev/shm")
"""The laws are about what is written, not about the disk, so they need not wait for one."""

Step = tuple[str, str, str, int]


@dataclass
class Clock:
    """A clock that goes on by one second a look, so that each write has its own moment."""

    at: datetime = datetime(2026, 5, 8, 13, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


@contextmanager
def fresh(**options: Any) -> Iterator[Store]:
    with (
        TemporaryDirectory(dir=RAM if RAM.is_dir() else None) as folder,
        Store.open(Path(folder) / "a.db", clock=Clock(), **options) as store,
    ):
        yield store


@dataclass
class Person:
    """One user's life in a store."""

    store: Store
    user: User
    session: Session = field(init=False)
    turns: list[Turn] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.session = self.store.sessions.start(self.user.id, "first")
        self.turns = [self.store.turns.add(self.session.id, "Ana", "hello")]

    def live(self, life: list[Step], after_each: Callable[[], None] = lambda: None) -> None:
        for step in life:
            with suppress(InputError):  # A conflict, or nothing to undo: a person would be told so.
                self.take(*step)
            after_each()

    def take(self, action: str, name: str, words: str, number: int) -> None:
        store, user = self.store, self.user.id
        turn = self.turns[number % len(self.turns)]
        if action == "say":
            self.turns.append(store.turns.add(self.session.id, name, words))
        elif action == "remember":
            store.facts.remember(user, name, words[:9], words, turn_ids=[turn.id])
        elif action == "call":
            store.users.call(user, name)
        elif action == "insert":
            values = ", ".join(map(quote, (name, words[:9], words)))
            sql = f"INSERT INTO memory (subject, topic, fact) VALUES ({values})"
            store.facts.write(user, sql, author=AGENT, turn_ids=[turn.id])
        elif action.endswith(("turn", "batch")):
            self._together(action, turn, number)
        elif action in ("undo", "redo"):
            entries = store.journal.entries(user)
            if entries:
                entry = entries[number % len(entries)]
                (store.journal.undo if action == "undo" else store.journal.redo)(entry.id)
        else:
            self._change(action, words, number, turn)

    def _change(self, action: str, words: str, number: int, turn: Turn) -> None:
        rows = self.store.facts.all(self.user.id)
        if not rows:
            return
        row = rows[number % len(rows)]
        if action == "edit":
            self.store.facts.edit(row.id, fact=words)
        elif action == "retire":
            self.store.facts.retire(row.id)
        elif action == "pin":
            self.store.facts.pin(row.id, not row.pinned)
        else:
            change = f"UPDATE memory SET fact = {quote(words)}" if action == "update" else "DELETE FROM memory"
            self.store.facts.write(self.user.id, f"{change} WHERE id = {row.id}", author=AGENT, turn_ids=[turn.id])

    def _together(self, action: str, turn: Turn, number: int) -> None:
        entries = self.store.journal.entries(self.user.id)
        if action.endswith("turn"):
            (self.store.journal.undo_turn if action.startswith("undo") else self.store.journal.redo_turn)(turn.id)
        elif entries:
            batch = entries[number % len(entries)].batch
            (self.store.journal.undo_batch if action.startswith("undo") else self.store.journal.redo_batch)(batch)


def remembered(store: Store, told: str, *, subject: str = "") -> User:
    """Ana, who told a line of each row "line=fact" or "line=topic=fact"; an empty fact is none. `subject`: of every
    fact; without it each fact's first word."""
    user = store.users.get("ana")
    session = store.sessions.start(user.id)
    for row in told.splitlines():
        line, *topic, fact = row.split("=")
        turn = store.turns.add(session.id, "User", line)
        if fact:
            about = subject or fact.split()[0].removesuffix("'s")
            store.facts.remember(user.id, about, topic[0] if topic else "talk", fact, turn_ids=[turn.id])
    return user


def quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def picture(store: Store, user_id: int) -> tuple[Any, ...]:
    """All that undo must restore: every row with its history and evidence, and the name the user goes by."""
    with store.db.read() as db:
        mine = select(t.memories).where(t.memories.c.user_id == user_id).order_by(t.memories.c.id)
        rows = [tuple(row) for row in db.execute(mine)]
        ids = [row[0] for row in rows]
        evidence = select(t.memory_evidence).where(t.memory_evidence.c.memory_id.in_(ids))
        ties = sorted(tuple(row) for row in db.execute(evidence))
    return rows, ties, store.users.by_id(user_id).called


def current(store: Store, user_id: int) -> list[Memory]:
    return store.facts.all(user_id)
