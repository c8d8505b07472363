"""A house over a real database, with scripted agents in place of the models."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chatmem.app.admin.accounts import Accounts
from chatmem.app.config.settings import Settings
from chatmem.app.web.windows.queue import Seats
from chatmem.app.web.windows.windows import House
from chatmem.memory.store.store import Store
from chatmem.memory.values import Recall, Turn, User, WriteResult
from chatmem.models.lm import Chunk
from tests.app.script import Script


@dataclass
class Knobs:
    """What the scripted models of all windows do. While `gated`, each word of a reply waits for one `words.release()`.

    `storing`: seconds that the storage model takes, less when it is changed meanwhile; `storage_fails`: why it
    can't. `querying`: what a query costs.

    `open` are replies that have begun and not ended, `most` how many were open at once, `begun` whose, in order;
    `most_working` is how many models of any role were at work at once.
    """

    gated: bool = False
    words: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    says: Sequence[str] = ("Nice ", "to ", "meet ", "you.")
    delay: float = 0.0
    storing: float = 0.0
    storage_fails: str | None = None
    querying: float = 0.0
    open: int = 0
    most: int = 0
    begun: list[str] = field(default_factory=list)
    working: int = 0
    most_working: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        with self.lock:
            self.working += 1
            self.most_working = max(self.most_working, self.working)
        try:
            yield
        finally:
            with self.lock:
                self.working -= 1


class Gated(Script):
    """A script whose replies wait for the test."""

    knobs: Knobs

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult:
        begin, self.storage_fails = time.monotonic(), self.knobs.storage_fails
        with self.knobs.at_work():
            while time.monotonic() - begin < self.knobs.storing:
                time.sleep(0.02)
            return super().run(turns, user)

    def recall(self, user: User, query: str, *, now: str, asker: str, before: Sequence[Turn] = ()) -> Recall:
        with self.knobs.at_work():
            time.sleep(self.knobs.delay)
            return super().recall(user, query, now=now, asker=asker)

    def reply(
        self, user: User, recall: Recall, recent: Sequence[Turn], text: str, now: str, *, attempt: int = 0
    ) -> Iterator[Chunk]:
        knobs = self.knobs
        self.words = [f"({attempt}) ", *knobs.says] if attempt else knobs.says
        self.delay = knobs.delay
        with knobs.lock:
            knobs.open += 1
            knobs.most = max(knobs.most, knobs.open)
            knobs.begun.append(user.name)
        try:
            with knobs.at_work():
                yield from self._words(user, recall, recent, text, now, attempt)
        finally:
            with knobs.lock:
                knobs.open -= 1

    def _words(
        self, user: User, recall: Recall, recent: Sequence[Turn], text: str, now: str, attempt: int
    ) -> Iterator[Chunk]:
        for chunk in super().reply(user, recall, recent, text, now, attempt=attempt):
            end = time.monotonic() + 120
            while self.knobs.gated and not self.knobs.words.acquire(timeout=0.05) and time.monotonic() < end:
                pass  # what an earlier test left waiting ends when this one's knobs are set
            yield chunk


@dataclass
class Place:
    """A house with its store and its knobs."""

    house: House
    store: Store
    knobs: Knobs


def _slow_down(store: Store, knobs: Knobs) -> None:
    """A query that says `slow` takes `knobs.querying` seconds of processor time, whatever the guard makes of it."""
    read = store.facts.read

    def reads(user_id: int, sql: str, **kw: Any) -> Any:
        end = time.thread_time() + (knobs.querying if "slow" in sql else 0.0)
        while time.thread_time() < end:
            pass
        return read(user_id, sql, **kw)

    store.facts.read = reads  # type: ignore[method-assign, assignment]


def make_place(
    folder: Path, *, seats: int = 4, accounts: Accounts | None = None, timeout: float = 10.0, **settings: Any
) -> Place:
    store = Store.open(folder / "chat.db", timeout=timeout)
    knobs = Knobs()

    def agents(given: Settings) -> Gated:
        script = Gated(lambda: store)
        script.knobs = knobs
        return script

    _slow_down(store, knobs)
    house = House(store, Settings(**settings), agents, Seats(seats), accounts, folder / "reports")
    return Place(house, store, knobs)
