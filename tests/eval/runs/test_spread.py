"""One seam for work on many rows: alike by one worker, by threads and by Ray; what is finished is never lost."""

from __future__ import annotations

import os
import signal
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from chatmem.eval.runs.spread import map_rows
from chatmem.memory.errors import ModelError, SettingsError


@dataclass(frozen=True)
class Doubling:
    """Doubles numbers; fails on `bad`. With a `folder`, the first worker that is given `deadly` kills itself."""

    bad: int = -1
    folder: str = ""
    deadly: int = -1

    def __call__(self) -> Worker:
        return Worker(self)


class Worker:
    closed: list[int] = []  # noqa: RUF012 - counted over all workers of a test

    def __init__(self, step: Doubling) -> None:
        self.step = step

    def __call__(self, number: int) -> int:
        if number == self.step.bad:
            raise ModelError("the model is gone.")
        mark = Path(self.step.folder) / "dead"
        if number == self.step.deadly and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return 2 * number

    def close(self) -> None:
        self.closed.append(1)


@pytest.mark.parametrize("workers", [1, 2, 5, 40])
def test_workers_give_what_one_gives_and_each_is_closed(workers: int) -> None:
    Worker.closed.clear()
    assert sorted(map_rows(Doubling(), range(20), workers=workers)) == [(n, 2 * n) for n in range(20)]
    assert 1 <= len(Worker.closed) <= workers
    assert list(map_rows(Doubling(), [], workers=workers)) == []


@pytest.mark.parametrize("workers", [1, 3])
def test_what_was_done_before_a_failure_is_given_first(workers: int) -> None:
    found = []
    with pytest.raises(ModelError, match="gone"):
        for one in map_rows(Doubling(bad=7), range(20), workers=workers):
            found.append(one)
    assert all(result == 2 * place for place, result in found)
    assert set(range(7)) <= {place for place, _ in found}, "rows before it were under way, and are kept"
    assert 7 not in {place for place, _ in found}


def test_rows_of_a_group_go_to_one_worker_in_order() -> None:
    seen: dict[int, list[tuple[int, int]]] = {}

    def make() -> object:
        def work(pair: tuple[int, int]) -> int:
            seen.setdefault(pair[0], []).append((pair[1], threading.get_ident()))
            return pair[1]

        return work

    rows = [(number % 4, number) for number in range(40)]
    assert len(list(map_rows(make, rows, workers=2, group=lambda pair: pair[0]))) == 40  # type: ignore[arg-type]
    for some in seen.values():
        assert [number for number, _ in some] == sorted(number for number, _ in some)
        assert len({who for _, who in some}) == 1


def test_without_ray_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(SettingsError, match=r"chatmem\[ray\]"):
        list(map_rows(Doubling(), range(2), ray=True))


def test_a_python_that_ray_can_not_begin_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="Ray is an extra")
    monkeypatch.setattr("chatmem.eval.runs.ray_workers.sys.executable", "Ana's work/bin/python")
    with pytest.raises(SettingsError, match="spaces or quotes; use --workers"):
        list(map_rows(Doubling(), range(2), workers=2, ray=True))


@pytest.mark.skipif(bool(set(sys.executable) & set(" '\"")), reason="Ray begins no workers from such a path")
def test_ray_gives_the_same_when_a_worker_is_killed(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is an extra")
    from chatmem.eval.runs.ray_workers import connected

    with connected(2):
        step = Doubling(folder=str(tmp_path), deadly=3)
        assert sorted(map_rows(step, range(12), workers=2, ray=True)) == [(n, 2 * n) for n in range(12)]
        assert (tmp_path / "dead").exists(), "a worker was killed"
        found = []
        with pytest.raises(ModelError, match="gone"):
            for one in map_rows(Doubling(bad=5), range(6), workers=2, ray=True):
                found.append(one)
        assert {place for place, _ in found} >= {0, 1, 2, 3}
