"""Rows worked on by Ray: actors on this machine, or on the cluster of RAY_ADDRESS, each with a worker of its own.

A worker that is lost (killed, out of memory, its machine gone) is replaced, and the row that it had is given out again.
Ray's own report of its use to its makers is off.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...memory.errors import ChatmemError, ModelError, SettingsError
from .provenance import ROOT
from .work import Done, Work, close

TRIES = 4
"""Times that a row is given out when its worker is lost; a row that kills each worker must come to an end."""
CLOSING = 10.0
"""Seconds that workers have to let go of what they hold."""
DEEP = 40
"""Bytes of a temporary folder's path that leave room for what Ray makes in it."""


class _Actor:
    """A worker in a process of its own."""

    def __init__(self, make: Callable[[], Work[Any, Any]]) -> None:
        self.failed: ChatmemError | None = None
        try:
            self.work = make()
        except ChatmemError as error:  # raised here it would be told as a worker that died
            self.failed = error

    def do(self, item: Any) -> Any:
        """The result of a row."""
        if self.failed is not None:
            raise self.failed
        return self.work(item)

    def close(self) -> None:
        """Lets go of what the worker holds."""
        if self.failed is None:
            close(self.work)


def on_ray(
    make: Callable[[], Work[Any, Any]], items: Sequence[Any], groups: list[list[int]], workers: int
) -> Iterator[Done[Any]]:
    """As `map_rows`. Raises SettingsError where Ray isn't there or can't be reached, ModelError for a row whose worker
    is lost again and again."""
    with connected(workers) as ray:
        # Not restarted by Ray: until such a worker is back, what it is given fails at once, again and again.
        actor = ray.remote(max_restarts=0, max_task_retries=0, num_cpus=1)(_Actor)
        number = min(max(1, workers), len(groups))
        yield from _given_out(ray, lambda: actor.remote(make), number, items, groups)


def _given_out(
    ray: Any, spawn: Callable[[], Any], number: int, items: Sequence[Any], groups: list[list[int]]
) -> Iterator[Done[Any]]:
    team = _Team(ray, spawn, number, items, groups)
    try:
        for who in range(number):
            team.begin(who)
        while team.under_way:
            yield from team.next_done()
        if team.failed is not None:
            raise team.failed
    finally:
        team.close()


class _Team:
    """The workers, each with one row of its group under way; the next one when that is done."""

    def __init__(
        self, ray: Any, spawn: Callable[[], Any], number: int, items: Sequence[Any], groups: list[list[int]]
    ) -> None:  # fmt: skip
        self.ray, self.spawn, self.items = ray, spawn, items
        self.actors = [spawn() for _ in range(number)]
        self.queues: list[list[int]] = [[] for _ in self.actors]
        self.waiting = [list(some) for some in groups]
        self.under_way: dict[Any, tuple[int, int]] = {}
        self.tries: dict[int, int] = {}
        self.failed: Exception | None = None

    def begin(self, who: int) -> None:
        """Gives a worker its next row, unless a row failed."""
        if not self.queues[who] and self.waiting:
            self.queues[who] = self.waiting.pop(0)
        if self.queues[who] and self.failed is None:
            place = self.queues[who][0]
            self.under_way[self.actors[who].do.remote(self.items[place])] = (who, place)

    def next_done(self) -> Iterator[Done[Any]]:
        """The next row that is finished; none where its worker was lost or it failed."""
        (done,), _ = self.ray.wait(list(self.under_way), num_returns=1)
        who, place = self.under_way.pop(done)
        try:
            result = self.ray.get(done)
        except self.ray.exceptions.RayTaskError as error:
            self.failed = self.failed or _cause(error)
        except self.ray.exceptions.RayActorError:
            self._lost(who, place)
        else:
            self.queues[who].pop(0)
            yield place, result
            self.begin(who)

    def _lost(self, who: int, place: int) -> None:
        """Another worker takes the place of one that was lost, and its row."""
        self.tries[place] = self.tries.get(place, 0) + 1
        if self.tries[place] >= TRIES:
            told = f"A worker of Ray was lost {TRIES} times on row {place + 1}; is there memory enough for its models?"
            self.failed = self.failed or ModelError(f"{told} Ask for fewer --workers.")
            return
        self.ray.kill(self.actors[who])  # where it was only out of reach
        self.actors[who] = self.spawn()
        self.begin(who)

    def close(self) -> None:
        """Has the workers let go of what they hold."""
        closed = [one.close.remote() for one in self.actors]
        self.ray.wait(closed, num_returns=len(closed), timeout=CLOSING)


def _cause(error: Any) -> Exception:
    """What the row raised, where Ray brought it along."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, Exception) else ModelError(f"A worker of Ray failed: {error}")


@contextmanager
def connected(workers: int) -> Iterator[Any]:
    """Ray, connected to RAY_ADDRESS or begun on this machine, for its own processes alone; it ends with the work.

    What stands inside finds it there, so that several steps begin it once. Raises SettingsError."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ModuleNotFoundError:
        raise SettingsError("--ray needs Ray; install it with `pip install 'chatmem[ray]'`.") from None
    address = os.environ.get("RAY_ADDRESS")
    if ray.is_initialized():
        yield ray
        return
    if not address and set(sys.executable) & set(" '\""):
        raise SettingsError(
            f"Ray begins no workers with {sys.executable}: its path holds spaces or quotes; use --workers instead."
        )
    with _near_folder() as folder:
        more: dict[str, Any] = {"address": address} if address else _local(workers) | folder
        try:
            ray.init(configure_logging=False, log_to_driver=False, **more)
        except (OSError, RuntimeError, ValueError) as error:
            where = address or "this machine"
            told = f"Ray can't be reached at {where} ({type(error).__name__}); check RAY_ADDRESS."
            raise SettingsError(told) from None
        try:
            yield ray
        finally:
            ray.shutdown()


@contextmanager
def _near_folder() -> Iterator[dict[str, str]]:
    """Where Ray's sockets lie when the temporary folder is too deep: the path of a socket has at most 103 bytes."""
    if len(os.fsencode(tempfile.gettempdir())) <= DEEP or not Path("/tmp").is_dir():
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        yield {"_temp_dir": folder}


def _local(workers: int) -> dict[str, Any]:
    """Of this machine alone: nobody else can reach it. Workers import chatmem from where this process has it."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "address": "local", "num_cpus": max(1, workers), "include_dashboard": False, "_node_ip_address": "127.0.0.1",
        "runtime_env": {"env_vars": {"PYTHONPATH": os.pathsep.join(paths)}},
    }  # fmt: skip
