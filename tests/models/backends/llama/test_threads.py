"""How many threads compute, by what they get of the cores: on a clock of its own."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from chatmem.models.backends.llama.threads import TRY_AFTER, TRY_AT_MOST, Crew


@dataclass
class Machine:
    """A clock, the processor time of this process, and how many others want to run (None: it doesn't tell)."""

    others: int | None = None
    wall: float = 0.0
    cpu: float = 0.0
    used: list[int] = field(default_factory=list)

    def crew(self, most: int = 2, *, fixed: bool = False) -> Crew:
        return Crew(
            most, self.used.append, fixed=fixed,
            clock=lambda: self.wall, worked=lambda: self.cpu, others=lambda: self.others,
        )  # fmt: skip

    def step(self, crew: Crew, share: float, seconds: float = 0.1) -> int:
        """One step of computing in which the threads get that share of their time; how many computed it."""
        with crew.at_work():
            count = crew.count
            self.wall += seconds
            self.cpu += seconds * share * count
        return count


def test_on_an_idle_machine_all_threads_compute() -> None:
    machine = Machine()
    crew = machine.crew(4)
    assert [machine.step(crew, 0.97) for _ in range(20)] == [4] * 20
    assert machine.used == []


def test_threads_that_get_too_little_of_the_cores_are_halved_until_one_is_left() -> None:
    machine = Machine()
    crew = machine.crew(4)
    assert [machine.step(crew, 0.5) for _ in range(4)] == [4, 2, 1, 1]
    assert machine.used == [2, 1]


def test_all_are_tried_again_and_stay_where_the_cores_are_free_again() -> None:
    machine = Machine()
    crew = machine.crew()
    machine.step(crew, 0.5)
    machine.wall += TRY_AFTER
    assert [machine.step(crew, 0.97) for _ in range(3)] == [2, 2, 2]


def test_tries_that_fail_come_at_ever_longer_intervals() -> None:
    machine = Machine()
    crew = machine.crew()
    tried = []
    for _ in range(2000):
        if machine.step(crew, 0.5) == 2:
            tried.append(machine.wall)
    gaps = [round(after - before, 1) for before, after in itertools.pairwise(tried)]
    assert gaps == sorted(gaps)
    assert TRY_AT_MOST <= gaps[-1] < TRY_AT_MOST + 1


def test_where_others_plainly_have_the_cores_nothing_is_tried() -> None:
    machine = Machine(others=10_000)
    crew = machine.crew()
    assert {machine.step(crew, 1.0) for _ in range(100)} == {1}
    machine.others = 0
    machine.wall += TRY_AFTER
    assert machine.step(crew, 0.97) == 2


def test_one_thread_is_left_alone() -> None:
    machine = Machine(others=10_000)
    crew = machine.crew(1)
    assert machine.step(crew, 0.1) == 1
    assert machine.used == []


def test_a_number_that_the_person_chose_stays() -> None:
    machine = Machine(others=10_000)
    crew = machine.crew(4, fixed=True)
    assert {machine.step(crew, 0.1) for _ in range(10)} == {4}
    assert machine.used == []
