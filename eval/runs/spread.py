"""Work on many rows: `map_rows`, the one seam behind which it is done here, by threads, or by the machines of Ray.

What works is made once a worker (a model is loaded once), then given one row after another. Results don't depend on who
made them, so files are the same however many workers there were.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from .work import Done, Item, Result, Work, close


def map_rows(
    make: Callable[[], Work[Item, Result]], items: Sequence[Item], *,
    workers: int = 1, ray: bool = False, group: Callable[[Item], Hashable] | None = None,
) -> Iterator[Done[Result]]:  # fmt: skip
    """The place of each row with its result, as they are finished.

    `make` gives what works on a row, once a worker; with `ray` it and the rows travel, so they must be picklable.
    `group`: rows of one group go to one worker, one after another (they share a conversation that is costly to open).
    When a row fails no further one is begun, those under way are still given, and then its error is raised.
    """
    if not items:
        return
    groups = _groups(items, workers, group)
    if ray:
        from .ray_workers import on_ray

        yield from on_ray(make, items, groups, workers)
    elif workers <= 1 or len(groups) == 1:
        yield from _here(make, items, groups)
    else:
        yield from _by_threads(make, items, groups, min(workers, len(groups)))


def _groups(items: Sequence[Any], workers: int, group: Callable[[Any], Hashable] | None) -> list[list[int]]:
    """The places of rows that belong together; a group too large for the others to wait for is parted."""
    found: dict[Hashable, list[int]] = {}
    for place, item in enumerate(items):
        found.setdefault(group(item) if group else place, []).append(place)
    most = -(-len(items) // max(1, workers))
    return [some[at : at + most] for some in found.values() for at in range(0, len(some), most)]


def _here(
    make: Callable[[], Work[Item, Result]], items: Sequence[Item], groups: list[list[int]]
) -> Iterator[Done[Any]]:
    work = make()
    try:
        for place in (place for some in groups for place in some):
            yield place, work(items[place])
    finally:
        close(work)


def _by_threads(
    make: Callable[[], Work[Item, Result]], items: Sequence[Item], groups: list[list[int]], workers: int
) -> Iterator[Done[Any]]:
    told: queue.SimpleQueue[Done[Any] | Future[None]] = queue.SimpleQueue()
    waiting: queue.SimpleQueue[list[int]] = queue.SimpleQueue()
    stop = threading.Event()
    for some in groups:
        waiting.put(some)
    pool = ThreadPoolExecutor(workers, "chatmem-row")
    futures = [pool.submit(_worker, make, items, waiting, told, stop) for _ in range(workers)]
    for future in futures:
        future.add_done_callback(told.put)
    left, failed = len(futures), None
    try:
        while left:
            one = told.get()
            if isinstance(one, Future):
                left, failed = left - 1, failed or one.exception()
                if failed:
                    stop.set()
            else:
                yield one
        if failed:
            raise failed
    finally:
        stop.set()
        pool.shutdown(wait=not left, cancel_futures=True)


def _worker(
    make: Callable[[], Work[Any, Any]], items: Sequence[Any], waiting: queue.SimpleQueue[list[int]],
    told: queue.SimpleQueue[Any], stop: threading.Event,
) -> None:  # fmt: skip
    work = make()
    try:
        while not stop.is_set():
            try:
                some = waiting.get_nowait()
            except queue.Empty:
                return
            for place in some:
                if stop.is_set():
                    return
                told.put((place, work(items[place])))
    finally:
        close(work)
