"""All windows of one server: who sits where, over one database and one set of models."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ....memory.errors import InputError
from ...admin.accounts import Accounts
from ...chat.roles import AgentsSource
from ...config.settings import Settings
from ...controller import Controller
from . import address
from .queue import Seated, Seats
from .turns import Turns
from .window import Desk

if TYPE_CHECKING:
    from ....memory.store.store import Store

IDLE_SECONDS = 2 * 60 * 60
"""How long a window that says nothing keeps its place."""
MOST_DESKS, MOST_OF_ONE = 400, 40
"""Of all, and of one person: who opens more gives up the one they have not used for longest."""
CLOSED: Mapping[str, str] = {
    "user": "This page belongs to one person's memory; sign in under another name to use another.",
    "import": "A file of the server would be read; take the tab Files to bring one of yours.",
    "export": "A file would be written on the server; take the tab Files to get it here.",
    "save": "A file would be written on the server; Export beside the session, on the left, brings it here.",
}
CLOSED_TO_GUESTS = {"model": "The models are shared by all who are signed in; whoever runs the server chooses them."}
Source = Callable[[Settings], AgentsSource]


@dataclass(eq=False)
class House:
    """What all windows share. `accounts` None: one local user. `reports`: the folder of evaluation reports.

    `keep` holds the models, so that they stay loaded between two windows. `store` changes when the page is unlocked.
    """

    store: Store
    settings: Settings
    agents: Source
    seats: Seats
    accounts: Accounts | None = None
    reports: Path = Path("reports")
    incognito: bool = False
    keep: AgentsSource | None = None
    desks: dict[tuple[str, str], Desk] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    turns: Turns = field(default_factory=Turns)
    taking: threading.Lock = field(default_factory=threading.Lock)

    def person(self, username: str | None) -> str:
        """Whose memory a request is about. Raises InputError for one that is signed in no more."""
        if self.accounts is None:
            return self.settings.user
        if not username or not self.accounts.knows(username):
            raise InputError("You are signed out; load the page anew and sign in.")
        return username

    def desk(self, username: str | None, window: str) -> Desk:
        """The desk of a window: nobody reaches another's, whatever the window calls itself."""
        name = self.person(username)
        with self.lock:
            desk = self.desks.get((name, window))
            opened = desk is None or desk.closing
            if desk is None or desk.closing:
                self._sweep(name)
                desk = self.desks[name, window] = self._open(name)
        if opened:
            desk.begin()
        desk.used_at = time.monotonic()
        return desk

    def leave(self, username: str | None, window: str) -> None:
        """A window was closed: its place is given up when all that was said in it is remembered."""
        name = self.settings.user if self.accounts is None else username or ""
        with self.lock:
            desk = self.desks.get((name, window))
            if desk is not None and not desk.closing:
                self._leave((name, window), desk)

    @property
    def busy(self) -> bool:
        """Whether anything is being said or remembered in some window."""
        with self.lock:
            return any(desk.busy or desk.chat.worker.waiting for desk in self.desks.values())

    def end_desks(self) -> None:
        """Closes all windows, whatever they are at."""
        with self.lock:
            desks = list(self.desks.values())
            self.desks.clear()
        for desk in desks:
            desk.stop()
            desk.chat.close(5.0)

    def close(self) -> None:
        self.end_desks()
        if self.keep is not None:
            self.keep.close()
        self.store.close()

    @property
    def closed(self) -> Mapping[str, str]:
        """Slash commands that are not offered on the page, each with the sentence that says why."""
        return CLOSED if self.accounts is None else {**CLOSED, **CLOSED_TO_GUESTS}

    def _open(self, name: str) -> Desk:
        settings = replace(self.settings, user=name)
        seated = Seated(self.agents(settings), self.seats, name)
        chat = Controller(
            lambda: self.store, seated, settings, incognito=self.incognito, shares_store=True, closed=self.closed
        )
        desk = Desk(chat, seated)
        desk.others, chat.state.taking = lambda: self._others(name, desk), self.taking
        return desk

    def _others(self, name: str, desk: Desk) -> list[Desk]:
        """The other windows of a person, those too that are closed and still at work."""
        with self.lock:
            return [each for (person, _), each in self.desks.items() if person == name and each is not desk]

    def _sweep(self, name: str) -> None:
        """Makes room for one more window of a person."""
        now = time.monotonic()
        by_age = sorted(self.desks.items(), key=lambda item: item[1].used_at)
        own = [key for key, _ in by_age if key[0] == name]
        too_many = {*own[: len(own) - MOST_OF_ONE + 1]} if len(own) >= MOST_OF_ONE else set()
        for at, (key, desk) in enumerate(by_age):
            crowded = len(by_age) - at >= MOST_DESKS or key in too_many
            if not desk.busy and not desk.closing and (crowded or now - desk.used_at > IDLE_SECONDS):
                self._leave(key, desk)

    def _elsewhere(self, desk: Desk) -> bool:
        """Whether another window of the same person goes on in the session of this one."""
        shown = address.of(desk)
        return bool(shown) and any(address.of(each) == shown for each in desk.others() if not each.closing)

    def _take_up_after(self, desk: Desk) -> None:
        """What a window that was closed could not remember, another of the same person tries that may."""
        able = [each for each in desk.others() if not each.closing and not each.chat.incognito]
        if able:
            min(able, key=lambda each: each.busy).begin()

    def _leave(self, key: tuple[str, str], desk: Desk) -> None:
        desk.closing = True

        def end() -> None:
            desk.close(lambda: self._elsewhere(desk))
            with self.lock:
                if self.desks.get(key) is desk:
                    del self.desks[key]
            self._take_up_after(desk)

        threading.Thread(target=end, name="chatmem-leave", daemon=True).start()
