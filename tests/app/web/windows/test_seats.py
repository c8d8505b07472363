"""The queue before the models is fair: first come, first served, nobody twice while others wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.app.chat.roles import Agents
from chatmem.app.web.windows.queue import Seated, Seats, Ticket
from chatmem.models.lm import Chunk
from tests.effort import times


@settings(max_examples=times(15, 6), deadline=None)
@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=10), st.integers(1, 3))
def test_nobody_is_passed_by_others(people: list[str], count: int) -> None:
    seats, served, lock, go = Seats(count), list[int](), threading.Lock(), threading.Event()
    busy: list[str] = []

    def sit(number: int, person: str, ticket: Ticket) -> None:
        with seats.seat(ticket) as held:
            assert held
            with lock:
                assert person not in busy and len(busy) < count
                busy.append(person)
                served.append(number)
            go.wait(5)
            with lock:
                busy.remove(person)

    threads = []
    for number, person in enumerate(people):
        ticket = Ticket(person)
        thread = threading.Thread(target=sit, args=(number, person, ticket))
        thread.start()
        while ticket not in seats._queue:  # they come one after the other
            time.sleep(0.001)
        threads.append(thread)
    go.set()
    for thread in threads:
        thread.join(5)
    assert sorted(served) == list(range(len(people)))
    for person in set(people):
        own = [number for number in served if people[number] == person]
        assert own == sorted(own)
    first = list(dict.fromkeys(people))[:count]
    assert {people[number] for number in served[: len(first)]} == set(first)


def test_who_gives_up_goes_on_without_a_seat() -> None:
    seats = Seats(1)
    first, second = Ticket("a"), Ticket("b")
    told: list[bool] = []

    def wait() -> None:
        with seats.seat(second) as held:
            told.append(held)

    with seats.seat(first) as held:
        assert held
        thread = threading.Thread(target=wait)
        thread.start()
        while seats.before(second) or second not in seats._queue:
            time.sleep(0.001)
        seats.give_up(second)
        thread.join(5)
    assert told == [False]
    with seats.seat(Ticket("c")) as held:
        assert held


class Busy:
    """Agents that count how many of them are at work."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.lock = threading.Lock()

    def get(self) -> Agents:
        return Agents(self, self, self)  # type: ignore[arg-type]

    def work(self, *given: object, **named: object) -> Iterator[Chunk]:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.01)
        with self.lock:
            self.now -= 1
        return iter(())

    run = recall = reply = prompt = work

    def cancel(self) -> None: ...

    def close(self) -> None: ...

    def switch(self, role: str, spec: str) -> None: ...


def test_looking_up_replying_and_storing_all_take_a_seat() -> None:
    busy, seats = Busy(), Seats(2)

    def talk(person: str) -> None:
        agents = Seated(busy, seats, person).get()
        for _ in range(3):
            with agents.turn() as mine:
                assert mine
                agents.retrieval.recall(None, "", now="", asker="")  # type: ignore[arg-type]
                agents.answer.reply(None, None, (), "", "")  # type: ignore[arg-type]
            agents.storage.run((), None)  # type: ignore[arg-type]

    threads = [threading.Thread(target=talk, args=(name,)) for name in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert busy.most == 2


def test_who_stops_waiting_is_not_answered() -> None:
    busy, seats = Busy(), Seats(1)
    seated, told = Seated(busy, seats, "b"), list[bool]()

    def wait() -> None:
        with seated.get().turn() as mine:
            told.append(mine)

    with Seated(busy, seats, "a").get().turn() as mine:
        assert mine
        thread = threading.Thread(target=wait)
        thread.start()
        while seated._ticket is None or seated._ticket not in seats._queue:
            time.sleep(0.001)
        seated.cancel()
        thread.join(5)
    assert told == [False]
