"""Many replies decoded side by side in one context: what evaluation and bulk ingestion use."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..memory.errors import InputError, ModelError
from .llama_engine import BATCH, Engine
from .llama_grammar import Grammar, grammar_of
from .llama_shared import SharedEngine
from .lm import Options
from .sampling import Sampler
from .slots import Slot
from .streaming import TextStream

WIDTH = 8
"""Replies at once. Q4_1 has no kernel for several columns in llama.cpp, so on a CPU the gain is about a fifth."""


@dataclass(slots=True)
class _Row:
    """One prompt on its way: `todo` are the tokens to compute next."""

    index: int
    prompt: list[int]
    limit: int
    slot: Slot
    sampler: Sampler
    grammar: Grammar | None
    stream: TextStream
    todo: list[int] = field(default_factory=list)
    text: str = ""
    written: int = 0

    def take(self, engine: Engine, token: int) -> bool:
        """Append a sampled token; False when the reply is over."""
        if engine.ends(token):
            self.text += self.stream.flush()
            return False
        if self.grammar is not None:
            self.grammar.accept(token)
        self.written += 1
        self.text += self.stream.feed(engine.piece(token))
        if self.stream.stopped or self.written >= self.limit:
            self.text += self.stream.flush()
            return False
        self.todo = [token]
        return True


def generate_batch(shared: SharedEngine, adapter: Path | None, prompts: Sequence[str], options: Options) -> list[str]:
    """Replies in the order of the prompts (rendered texts). Raises PromptTooLong before anything runs."""
    engine = shared.engine
    tokens = [engine.tokenize(prompt) for prompt in prompts]
    waiting = deque((index, prompt, shared.room(prompt, options)) for index, prompt in enumerate(tokens))
    replies = [""] * len(prompts)
    running: list[_Row] = []
    try:
        while waiting or running:
            while waiting and len(running) < WIDTH:
                row = _start(shared, adapter, waiting[0], options, may_wait=not running)
                if row is None:
                    break
                running.append(row)
                waiting.popleft()
            _step(shared, adapter, running)
            for row in [row for row in running if not row.todo]:
                replies[row.index] = row.text
                running.remove(row)
                _finish(shared, row)
    finally:
        for row in running:
            _finish(shared, row)
    return replies


def _start(
    shared: SharedEngine, adapter: Path | None, job: tuple[int, list[int], int], options: Options, may_wait: bool
) -> _Row | None:
    index, prompt, room = job
    slot = (shared.take if may_wait else shared.try_take)(adapter, prompt, room)
    if slot is None:
        return None
    try:
        grammar = grammar_of(shared.engine, options)
    except InputError:
        shared.release(slot)
        raise
    row = _Row(index, prompt, room - len(prompt), slot, Sampler(options), grammar, TextStream(options.stop))
    row.todo = prompt[len(slot.tokens) :]
    return row


def _step(shared: SharedEngine, adapter: Path | None, running: list[_Row]) -> None:
    """One decode over all rows, prompts cut to what fits, then one token for each row whose prompt is read."""
    engine = shared.engine
    tokens: list[int] = []
    places: list[tuple[int, int]] = []
    parts: list[tuple[_Row, int]] = []
    # Rows that are generating come first: each needs one place, prompts share what is left.
    for row in sorted(running, key=lambda row: len(row.todo)):
        count = min(len(row.todo), BATCH - len(tokens))
        known = len(row.slot.tokens)
        tokens += row.todo[:count]
        places += [(row.slot.sequence, known + offset) for offset in range(count)]
        parts.append((row, count))
    with engine.lock:
        if not engine.model:
            raise ModelError("The model was closed while it was replying; load it again.")
        engine.use_adapter(adapter)
        ends = _ends(parts)
        engine.decode(tokens, places, list(ends.values()))
        for row, count in parts:
            row.slot.tokens += row.todo[:count]
            del row.todo[:count]
        for row, _ in parts:
            if row.index in ends:
                allowed = row.grammar.allowed if row.grammar else None
                row.take(engine, row.sampler.pick(engine.logits(ends[row.index]), allowed))


def _ends(parts: Sequence[tuple[_Row, int]]) -> dict[int, int]:
    """Row index -> place in the batch of its last token, for the rows that are read to their end."""
    ends: dict[int, int] = {}
    at = 0
    for row, count in parts:
        at += count
        if count and count == len(row.todo):
            ends[row.index] = at - 1
    return ends


def _finish(shared: SharedEngine, row: _Row) -> None:
    if row.grammar is not None:
        row.grammar.close()
    shared.release(row.slot)
