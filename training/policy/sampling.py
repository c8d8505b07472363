"""Samples from the policy as it is now: through llama.cpp for the embedded base, through transformers for others."""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, TypeVar, runtime_checkable

from ...eval.runs.models import MANY
from ...memory.errors import InputError
from ...models.decoding.batched_work import Reply, Request, asking, side_by_side
from ...models.files.spec import parse
from ...models.lm import LM, Message, Options

Messages = Sequence[tuple[str, str]]
One = TypeVar("One")
BLOCK = 16
"""Prompts that are drawn from at once."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A completion; `clipped` when the token limit ended it, `tokens` as the model counted them."""

    text: str
    clipped: bool
    tokens: int


class Task(Protocol):
    """What an agent is trained for: its prompt's options, and the score of what it writes for a training row."""

    measure: str
    """The term that says how good the agent is, for choosing the best checkpoint."""

    def accepts(self, row: dict[str, Any]) -> bool: ...

    def options(self, row: dict[str, Any]) -> Options: ...

    def score(self, row: dict[str, Any], text: str) -> dict[str, float]: ...

    def summary(self, scores: Sequence[dict[str, float]]) -> dict[str, float]: ...

    def close(self) -> None: ...


def means(scores: Sequence[Mapping[str, float]], *first: str) -> dict[str, float]:
    """The mean of each term over the rows that have it, those of `first` before the others."""
    names = dict.fromkeys([*first, *(name for terms in scores for name in terms)])
    held = {name: [terms[name] for terms in scores if name in terms] for name in names}
    return {name: sum(values) / len(values) for name, values in held.items() if values}


@runtime_checkable
class Changing(Protocol):
    """A task whose reward changes while the run goes on."""

    def at(self, step: int | None) -> None:
        """What is scored from now on belongs to this step; None: it measures the agent, by the reward of the end."""
        ...


def at_step(task: Task, step: int | None) -> None:
    """Tells the task how far the run is, where its reward hangs on that."""
    if isinstance(task, Changing):
        task.at(step)


def masked(terms: Mapping[str, float]) -> bool:
    """Whether a completion's score says nothing: its reward is NaN, as where an endpoint failed. It isn't learned
    from, and no other reward stands in for it."""
    return math.isnan(terms["reward"])


def askable(rows: Sequence[dict[str, Any]], task: Task, path: Path) -> list[dict[str, Any]]:
    """The rows that the task can score. Raises InputError when there are none."""
    found = [row for row in rows if task.accepts(row)]
    if not found:
        raise InputError(f"None of the rows in {path.name} can be scored by running; they are rows of another agent.")
    return found


@contextmanager
def policy(base: str, adapter: Path | None, threads: int | None = None) -> Iterator[LM]:
    """The LM of `base` with the PEFT adapter in that folder. Raises ModelError."""
    from ...models import registry
    from ...models.adapters import to_gguf
    from ...models.files.model_files import embedded_path

    chosen = parse(base)
    with TemporaryDirectory(prefix="chatmem-policy-") as scratch:
        if chosen.kind == "embedded":
            from ...models.backends.llama.bf16_copy import reading_copy
            from ...models.backends.llama.lm import LlamaLM

            path = None
            if adapter is not None:
                path = Path(scratch) / "policy.gguf"
                to_gguf.write(adapter, path)
            lm: LM = LlamaLM(reading_copy(embedded_path()), path, threads=threads, **MANY._asdict())
        else:
            spec = chosen
            if adapter is not None:  # a name of its own, since the base keeps adapters by name
                shutil.copytree(adapter, Path(scratch) / Path(scratch).name)
                spec = replace(chosen, adapter=str(Path(scratch) / Path(scratch).name))
            lm = registry.load(spec)
        try:
            yield lm
        finally:
            lm.close()


@dataclass(frozen=True, slots=True)
class Draws:
    """`count` samples of one prompt; at temperature 0 one greedy completion."""

    messages: Messages
    options: Options
    count: int = 1
    temperature: float = 0.0
    seed: str = ""


def draw(lm: LM, *wanted: Draws) -> list[list[Sample]]:
    """The samples of each prompt, side by side where the model can; a prompt is read once for all of its samples."""
    requests = [list(_requests(one)) for one in wanted]
    replies = iter(side_by_side(lm, [asking(request) for some in requests for request in some]))
    return [[_sample(next(replies)) for _ in some] for some in requests]


def _requests(wanted: Draws) -> Iterator[Request]:
    rng = random.Random(wanted.seed)
    messages = [Message(role, said) for role, said in wanted.messages]  # type: ignore[arg-type]
    for _ in range(wanted.count if wanted.temperature > 0 else 1):
        drawn = replace(wanted.options, temperature=wanted.temperature, seed=rng.getrandbits(31))
        yield Request(messages, drawn)


def _sample(reply: Reply) -> Sample:
    return Sample(reply.text, reply.finish == "length", reply.tokens)


def in_blocks(rows: Sequence[One], begin: int) -> Iterator[tuple[int, Sequence[One]]]:
    """(place, rows) of the blocks that hold a row from `begin` on. Blocks are always drawn whole, since a reply depends
    in its last digits on what is drawn beside it: a run that goes on draws what it would have drawn."""
    for at in range(begin - begin % BLOCK, len(rows), BLOCK):
        yield at, rows[at : at + BLOCK]
