"""A house over a real database, with scripted agents in place of the models."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chatmem.app.accounts import Accounts
from chatmem.app.settings import Settings
from chatmem.app.web.house import House
from chatmem.app.web.seats import Seats
from chatmem.memory.store import Store
from chatmem.memory.values import Recall, Turn, User
from chatmem.models.lm import Chunk

from ..app.script import Script


@dataclass
class Knobs:
    """What the scripted models of all windows do. While `gated`, each word of a reply waits for one `words.release()`.

    `open` are replies that have begun and not ended, `most` how many were open at once, `begun` whose, in order.
    """

    gated: bool = False
    words: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    says: Sequence[str] = ("Nice ", "to ", "meet ", "you.")
    delay: float = 0.0
    open: int = 0
    most: int = 0
    begun: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Gated(Script):
    """A script whose replies wait for the test."""

    knobs: Knobs

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
            for chunk in super().reply(user, recall, recent, text, now, attempt=attempt):
                if knobs.gated:
                    knobs.words.acquire(timeout=20)
                yield chunk
        finally:
            with knobs.lock:
                knobs.open -= 1


@dataclass
class Place:
    """A house with its store and its knobs."""

    house: House
    store: Store
    knobs: Knobs


def make_place(folder: Path, *, seats: int = 4, accounts: Accounts | None = None, **settings: Any) -> Place:
    store = Store.open(folder / "chat.db")
    knobs = Knobs()

    def agents(given: Settings) -> Gated:
        script = Gated(lambda: store)
        script.knobs = knobs
        return script

    house = House(store, Settings(**settings), agents, Seats(seats), accounts, folder / "reports")
    return Place(house, store, knobs)
