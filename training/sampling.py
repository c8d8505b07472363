"""Samples from the policy as it is now: through llama.cpp for the embedded base, through transformers for others."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from ..memory.errors import InputError
from ..models.lm import LM, Message, Options
from ..models.spec import parse

Messages = Sequence[tuple[str, str]]


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


def askable(rows: Sequence[dict[str, Any]], task: Task, path: Path) -> list[dict[str, Any]]:
    """The rows that the task can score. Raises InputError when there are none."""
    found = [row for row in rows if task.accepts(row)]
    if not found:
        raise InputError(f"None of the rows in {path.name} can be scored by running; they are rows of another agent.")
    return found


@contextmanager
def policy(base: str, adapter: Path | None, threads: int | None = None) -> Iterator[LM]:
    """The LM of `base` with the PEFT adapter in that folder. Raises ModelError."""
    from ..models import lora_gguf, registry
    from ..models.places import embedded_path

    chosen = parse(base)
    with TemporaryDirectory(prefix="chatmem-policy-") as scratch:
        if chosen.kind == "embedded":
            from ..models.llamacpp import LlamaLM

            path = None
            if adapter is not None:
                path = Path(scratch) / "policy.gguf"
                lora_gguf.write(adapter, path)
            lm: LM = LlamaLM(embedded_path(), path, threads=threads)
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


def draw(lm: LM, messages: Messages, options: Options, count: int, temperature: float, seed: str) -> list[Sample]:
    """`count` samples of one prompt; at temperature 0 one greedy completion. The prompt is read once and cached."""
    rng = random.Random(seed)
    found = []
    for _ in range(count if temperature > 0 else 1):
        drawn = replace(options, temperature=temperature, seed=rng.getrandbits(31))
        found.append(_one(lm, messages, drawn))
    return found


def _one(lm: LM, messages: Messages, options: Options) -> Sample:
    text, finish, tokens = "", None, 0
    for chunk in lm.generate([Message(role, said) for role, said in messages], options):  # type: ignore[arg-type]
        text, finish, tokens = text + chunk.text, chunk.finish or finish, chunk.completion_tokens or tokens
    return Sample(text, finish == "length", tokens)
