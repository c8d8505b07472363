"""Several processes of one run, as `accelerate launch` or `torchrun` starts them; alone, all of this does nothing.

Each process takes its share of the batches, gradients are averaged (only the adapter's: a few million numbers), and the
first process alone builds rows, samples, measures and writes. So a run over two processes sees each batch once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")
WAIT = timedelta(hours=12)
"""How long the others wait for the first process, which may be sampling."""


class Ranks:
    """This process among `world`; `main` is the first."""

    def __init__(self, rank: int = 0, world: int = 1) -> None:
        self.rank, self.world = rank, world

    @property
    def main(self) -> bool:
        """Whether this process writes."""
        return self.rank == 0

    def share(self, batches: Iterator[T]) -> Iterator[T]:
        """Every `world`-th batch, from this process's own on."""
        return islice(batches, self.rank, None, self.world)

    def average(self, parameters: Sequence[Any]) -> None:
        """Means of the gradients over all processes."""
        if self.world > 1:
            from torch import distributed

            for parameter in parameters:
                if parameter.grad is not None:
                    distributed.all_reduce(parameter.grad)
                    parameter.grad /= self.world

    def wait(self) -> None:
        """Until all processes are here."""
        if self.world > 1:
            from torch import distributed

            distributed.barrier()

    @contextmanager
    def first(self) -> Iterator[bool]:
        """`with ranks.first() as mine`: the first process works while the others wait for its end."""
        try:
            yield self.main
        finally:
            self.wait()


@cache
def ranks() -> Ranks:
    """Joins the other processes where there are any."""
    if int(os.environ.get("WORLD_SIZE", "1")) < 2:
        return Ranks()
    from torch import cuda, distributed

    if not distributed.is_initialized():
        distributed.init_process_group("nccl" if cuda.is_available() else "gloo", timeout=WAIT)
    if cuda.is_available():
        cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    return Ranks(distributed.get_rank(), distributed.get_world_size())
