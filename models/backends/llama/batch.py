"""Many replies decoded side by side in one context: what evaluation, bulk ingestion and training draw on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....memory.errors import InputError, ModelError
from ...decoding.batched_work import Reply, Request, Work
from ...decoding.sampling import Sampler
from ...decoding.text_stream import TextStream
from ...lm import FinishReason, Message
from .cache_slots import Slot, common_prefix
from .engine import BATCH, SEQUENCES, Engine
from .grammar import Grammar, grammar_of
from .shared import SharedEngine


@dataclass(frozen=True, slots=True)
class _Job:
    """A request that waits for a place."""

    index: int
    prompt: list[int]
    room: int
    request: Request


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
    todo: list[int]
    text: str = ""
    written: int = 0
    finish: FinishReason = "stop"

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
            self.finish = "stop" if self.stream.stopped else "length"
            return False
        self.todo = [token]
        return True


class SideBySide:
    """The works of one call. `tokens` gives a prompt's token ids."""

    def __init__(
        self, shared: SharedEngine, adapter: Path | None, tokens: Callable[[Sequence[Message]], list[int]]
    ) -> None:
        self._shared, self._adapter, self._tokens = shared, adapter, tokens
        self._works: Sequence[Work[Any]] = ()
        self._results: list[Any] = []
        self._waiting: deque[_Job] = deque()
        self._running: list[_Row] = []

    def run(self, works: Sequence[Work[Any]]) -> list[Any]:
        """Their results in order. Raises PromptTooLong, InputError (bad grammar), and what a work raises."""
        self._works, self._results = works, [None] * len(works)
        asked = 0
        try:
            while asked < len(works) or self._waiting or self._running:
                while asked < len(works) and len(self._waiting) + len(self._running) < SEQUENCES:
                    self._ask(asked, None)
                    asked += 1
                self._start()
                if self._running:
                    _step(self._shared, self._adapter, self._running)
                for row in [row for row in self._running if not row.todo]:
                    self._running.remove(row)
                    _finish(self._shared, row)
                    self._ask(row.index, Reply(row.text, row.finish, row.written))
        finally:
            for row in self._running:
                _finish(self._shared, row)
        return self._results

    def _ask(self, index: int, reply: Reply | None) -> None:
        """The work's next request, or its result. What has been begun goes before what hasn't."""
        try:
            request = next(self._works[index]) if reply is None else self._works[index].send(reply)
        except StopIteration as end:
            self._results[index] = end.value
            return
        prompt = self._tokens(request.messages)
        job = _Job(index, prompt, self._shared.room(prompt, request.options), request)
        if reply is None:
            self._waiting.append(job)
        else:
            self._waiting.appendleft(job)

    def _start(self) -> None:
        """Gives places to those that wait, as many as there are; the first one waits for other threads' replies."""
        while (job := next((job for job in self._waiting if not self._is_being_read(job.prompt)), None)) is not None:
            take = self._shared.try_take if self._running else self._shared.take
            slot = take(self._adapter, job.prompt, job.room)
            if slot is None:
                return
            self._share(job.prompt, slot)
            self._running.append(self._row(job, slot))
            self._waiting.remove(job)

    def _is_being_read(self, prompt: list[int]) -> bool:
        """Whether another row reads the same prompt now: the next sample of it can take over what that one reads."""
        return any(len(row.slot.tokens) < len(row.prompt) - 1 and row.prompt == prompt for row in self._running)

    def _share(self, prompt: list[int], slot: Slot) -> None:
        """Lets a slot see the cells of another whose prompt begins alike for longer."""
        with self._shared.engine.lock:
            others = [one for one in self._shared.slots.all if one is not slot and one.adapter == self._adapter]
            same = {one.sequence: min(common_prefix(one.tokens, prompt), len(prompt) - 1) for one in others}
            best = max(same, key=lambda sequence: same[sequence], default=slot.sequence)
            if same.get(best, 0) > len(slot.tokens):
                self._shared.slots.keep(slot, 0)
                self._shared.engine.copy(best, slot.sequence, same[best])
                slot.tokens[:] = prompt[: same[best]]

    def _row(self, job: _Job, slot: Slot) -> _Row:
        options = job.request.options
        try:
            grammar = grammar_of(self._shared.engine, options)
        except InputError:
            self._shared.release(slot)
            raise
        limit, stream, todo = job.room - len(job.prompt), TextStream(options.stop), job.prompt[len(slot.tokens) :]
        return _Row(job.index, job.prompt, limit, slot, Sampler(options), grammar, stream, todo)


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
