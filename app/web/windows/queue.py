"""A fair queue before the models: who came first goes first, and nobody twice while others wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...chat.roles import Agents, AgentsSource

if TYPE_CHECKING:
    from ....memory.values import Turn, User, WriteResult
    from ...chat.roles import StorageRole


@dataclass(eq=False, slots=True)
class Ticket:
    """A place in the queue. `given_up`: whoever waited has left."""

    person: str
    seated: bool = False
    given_up: bool = False


class Seats:
    """`count` requests are at work at once, one of each person; the others wait in the order in which they came."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._queue: list[Ticket] = []
        self._changed = threading.Condition()

    def before(self, ticket: Ticket) -> int:
        """How many wait before this one."""
        with self._changed:
            waiting = [each for each in self._queue if not each.seated]
            return waiting.index(ticket) if ticket in waiting else 0

    @contextmanager
    def seat(self, ticket: Ticket) -> Iterator[bool]:
        """Waits for a seat and holds it inside; False when the ticket was given up meanwhile."""
        with self._changed:
            self._queue.append(ticket)
            self._call()
            self._changed.wait_for(lambda: ticket.seated or ticket.given_up)
        try:
            yield not ticket.given_up
        finally:
            with self._changed:
                self._queue.remove(ticket)
                self._call()

    def give_up(self, ticket: Ticket) -> None:
        """The one who waits with this ticket goes on at once, without a seat."""
        with self._changed:
            ticket.given_up = True
            self._changed.notify_all()

    def _call(self) -> None:
        """Seats those whose turn it is."""
        seated = [each for each in self._queue if each.seated]
        busy, free = {each.person for each in seated}, self._count - len(seated)
        for ticket in self._queue:
            if free > 0 and not ticket.seated and not ticket.given_up and ticket.person not in busy:
                ticket.seated = True
                busy.add(ticket.person)
                free -= 1
        self._changed.notify_all()


class Seated:
    """An `AgentsSource` whose models are asked only with a seat; what is asked of them stays as it was.

    A line keeps one seat from being looked up (which the retrieval model does) to the end of its reply.
    """

    def __init__(self, source: AgentsSource, seats: Seats, person: str) -> None:
        self._source, self._seats, self._person = source, seats, person
        self._ticket: Ticket | None = None
        self.specs: tuple[tuple[str, str], ...] = ()
        """Each role's model, as it was when it was last asked for."""

    def get(self) -> Agents:
        agents = self._source.get()
        self.specs = agents.specs
        return replace(agents, storage=SeatedStorage(agents.storage, self), turn=lambda: self.seat(answers=True))

    def use(self, source: AgentsSource) -> None:
        """From now on another source is asked; the old one is let go."""
        old, self._source = self._source, source
        old.close()

    def switch(self, role: str, spec: str) -> None:
        self._source.switch(role, spec)

    def cancel(self) -> None:
        if self._ticket is not None:
            self._seats.give_up(self._ticket)
        self._source.cancel()

    def close(self) -> None:
        self.cancel()
        self._source.close()

    @property
    def before(self) -> int:
        """How many wait before this one's reply."""
        ticket = self._ticket
        return self._seats.before(ticket) if ticket is not None else 0

    @contextmanager
    def seat(self, *, answers: bool = False) -> Iterator[bool]:
        """A seat; only one that is for a reply is given up by `cancel`."""
        ticket = Ticket(self._person)
        if answers:
            self._ticket = ticket
        try:
            with self._seats.seat(ticket) as held:
                yield held
        finally:
            if self._ticket is ticket:
                self._ticket = None


class SeatedStorage:
    def __init__(self, role: StorageRole, seated: Seated) -> None:
        self._role, self._seated = role, seated

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult:
        with self._seated.seat():
            return self._role.run(turns, user)
