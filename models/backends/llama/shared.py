"""One engine per model file, shared by all LM handles on it, with its slots of cache."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

from ....memory.errors import ModelError, PromptTooLong
from ...lm import Options
from .cache_slots import Slot, Slots
from .engine import MICRO_BATCH, SEQUENCES, Engine

_WAIT_SECONDS = 300.0
_engines: dict[tuple[Path, int, int | None, int], SharedEngine] = {}
_engines_lock = threading.Lock()


class SharedEngine:
    """An engine with its slots, counted by the handles that use it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.slots = Slots(SEQUENCES, engine.context_tokens, engine.forget, engine.copy)
        self.users = 0

    def room(self, prompt: Sequence[int], options: Options) -> int:
        """Cells for prompt and reply. Raises PromptTooLong when no reply would fit."""
        limit = self.engine.context_tokens
        if len(prompt) >= limit:
            raise PromptTooLong(
                f"The prompt has {len(prompt)} tokens and the model reads {limit}; shorten it or load the model "
                "with a larger context."
            )
        return min(len(prompt) + max(options.max_tokens, 1), limit)

    def take(
        self, adapter: Path | None, prompt: Sequence[int], room: int, gone: Callable[[], bool] = lambda: False
    ) -> Slot | None:
        """A slot; waits while other threads' replies hold the cells. None when `gone()` turns true meanwhile."""
        thread = threading.get_ident()
        deadline = monotonic() + _WAIT_SECONDS
        with self.engine.lock:
            while not gone() and self.engine.model:
                slot = self.slots.take(adapter, prompt, room, thread)
                if slot is not None:
                    return slot
                if all(each.thread == thread for each in self.slots.all if each.busy) or monotonic() > deadline:
                    raise ModelError(
                        "The model's cache is full of unfinished replies; close them, or enlarge its context."
                    )
                self.engine.freed.wait(0.05)
        return None

    def try_take(self, adapter: Path | None, prompt: Sequence[int], room: int) -> Slot | None:
        """A slot when one is free now."""
        with self.engine.lock:
            return self.slots.take(adapter, prompt, room, threading.get_ident())

    def release(self, slot: Slot) -> None:
        """Give a slot back, its cells kept as cache."""
        with self.engine.lock:
            if self.engine.model:
                self.slots.release(slot)
            self.engine.freed.notify_all()


def share(path: Path, context_tokens: int, threads: int | None, micro_batch: int = MICRO_BATCH) -> SharedEngine:
    """The engine of this file, loaded when nobody has it yet."""
    key = (path.resolve(), context_tokens, threads, micro_batch)
    with _engines_lock:
        if key not in _engines:
            _engines[key] = SharedEngine(Engine(key[0], context_tokens, threads, micro_batch))
        _engines[key].users += 1
        return _engines[key]


def unshare(shared: SharedEngine) -> None:
    """One handle less; the last frees the engine."""
    with _engines_lock:
        shared.users -= 1
        if shared.users:
            return
        for key in [key for key, value in _engines.items() if value is shared]:
            del _engines[key]
    shared.engine.close()
