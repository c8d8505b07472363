"""The llama.cpp back end: LM handles (one per agent) over one shared engine per model file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ....memory.errors import ModelError
from ...decoding.batched_work import Work
from ...decoding.chat_template import OPENED, opens_thought
from ...decoding.sampling import Sampler
from ...decoding.text_stream import TextStream
from ...files.profiles.profile import SHIPPED, Profile
from ...lm import Chunk, FinishReason, Message, Options
from .batch import SideBySide
from .cache_slots import Slot
from .drafts import Drafts
from .engine import BATCH, MICRO_BATCH, SEQUENCES, Cancelled, Engine
from .grammar import Grammar, grammar_of
from .precedence import PRECEDENCE
from .shared import SharedEngine, share, unshare

DEFAULT_CONTEXT = 4096
"""Cells shared by all agents of a model: 94 MB for SmolLM2-135M, whose limit is 8192."""


class LlamaLM:
    """An LM over a GGUF file, with a LoRA file or without. Thread-safe; handles on one file share its memory.

    `context_tokens` is the room for prompt and reply, `micro_batch` how many tokens are computed at once.
    Raises ModelNotFound, ModelBroken.
    """

    def __init__(
        self,
        path: Path | str,
        adapter: Path | str | None = None,
        *,
        name: str | None = None,
        context_tokens: int = DEFAULT_CONTEXT,
        threads: int | None = None,
        micro_batch: int = MICRO_BATCH,
        profile: Profile = SHIPPED,
    ) -> None:
        self._shared: SharedEngine | None = share(Path(path), context_tokens, threads, micro_batch)
        self._generations: set[Generation] = set()
        self.adapter_path = Path(adapter).resolve() if adapter else None
        self.name = name or Path(path).stem
        self.adapter = _adapter_name(self.adapter_path)
        self.context_tokens = self.engine.context_tokens
        self.profile = self._true(profile)
        if self.adapter_path:
            try:
                self.engine.load_adapter(self.adapter_path)
            except ModelError:
                self.close()
                raise

    def _true(self, profile: Profile) -> Profile:
        """The profile, with the window that was opened, and whether the model's own template tells of thinking."""
        thinks = profile.capable and profile.thinking == "none" and "<think>" in self.engine.template.source
        return replace(profile, window=self.context_tokens, thinking="tags" if thinks else profile.thinking)

    @property
    def shared(self) -> SharedEngine:
        if self._shared is None:
            raise ModelError(f"The model {self.name} has been closed; load it again.")
        return self._shared

    @property
    def engine(self) -> Engine:
        return self.shared.engine

    @property
    def memory_bytes(self) -> int:
        """Bytes that the model and its cache take; handles on one file share them."""
        return self.engine.memory_bytes

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        """Stream the reply. Raises PromptTooLong, InputError (bad grammar), at the first chunk."""
        prompt = self.prompt_text(messages)
        if opens_thought(prompt) and not options.grammar:
            yield Chunk(OPENED)
        yield from self.continue_text(prompt, options)

    def continue_text(self, prompt: str, options: Options) -> Iterator[Chunk]:
        """Stream the continuation of a rendered prompt."""
        shared = self.shared
        generation = Generation(shared, self.adapter_path, shared.engine.tokenize(prompt), options)
        self._generations.add(generation)
        try:
            yield from generation.run()
        finally:
            self._generations.discard(generation)

    def side_by_side(self, works: Sequence[Work[Any]]) -> list[Any]:
        """The results of many works, whose replies are decoded together (`batched_work.py`), in their order."""
        return SideBySide(self.shared, self.adapter_path, self._prompt_tokens).run(works)

    def prompt_text(self, messages: Sequence[Message]) -> str:
        """The messages in the model's own chat template, up to where the assistant speaks."""
        return self.engine.template.render(messages)

    def count_tokens(self, text: str) -> int:
        """Tokens of a plain text."""
        return len(self.engine.tokenize(text, special=False))

    def _prompt_tokens(self, messages: Sequence[Message]) -> list[int]:
        return self.engine.tokenize(self.prompt_text(messages))

    def clear_cache(self) -> None:
        """Forget the prompts kept in the cache (of this model's idle agents). What is then read gives the same bits as
        in a new process, unless others read beside it."""
        with self.engine.lock:
            slots = self.shared.slots
            if not any(slot.busy for slot in slots.all):
                self.engine.clear()
                slots.start_anew()
                return
            for slot in slots.all:
                if not slot.busy:
                    slots.drop(slot)

    def cancel(self) -> None:
        """Stop this handle's generations at once, from any thread; each ends with a `cancelled` chunk."""
        for generation in tuple(self._generations):
            generation.cancel()

    def close(self) -> None:
        """Let go of the model; the last handle frees it."""
        if self._shared is not None:
            self.cancel()
            shared, self._shared = self._shared, None
            unshare(shared)


class Generation:
    """One reply in the making: takes a slot, reads the prompt, then one step per token."""

    def __init__(self, shared: SharedEngine, adapter: Path | None, prompt: list[int], options: Options) -> None:
        self._shared, self._engine, self._adapter = shared, shared.engine, adapter
        self._prompt, self._options = prompt, options
        self._cancelled = False
        self._cached = self._written = 0

    def cancel(self) -> None:
        """Stop it, even inside a decode."""
        self._cancelled = True
        self._engine.stop(self)

    def interrupt(self) -> None:
        """Break off the decode that runs now, which is then made anew."""
        self._engine.stop(self)

    def run(self) -> Iterator[Chunk]:
        """The chunks. Closing the iterator stops at once and keeps what was read as cache."""
        room = self._shared.room(self._prompt, self._options)
        grammar = grammar_of(self._engine, self._options)
        slot: Slot | None = None
        try:
            slot = self._shared.take(self._adapter, self._prompt, room, lambda: self._cancelled)
            if slot is None:
                yield self._end("cancelled")
                return
            with PRECEDENCE.last(self) if self._options.background else PRECEDENCE.first():
                yield from self._stream(slot, room - len(self._prompt), grammar)
        finally:
            if slot is not None:
                self._shared.release(slot)
            if grammar is not None:
                grammar.close()

    def _stream(self, slot: Slot, limit: int, grammar: Grammar | None) -> Iterator[Chunk]:
        text = TextStream(self._options.stop)
        sampler = Sampler(self._options)
        self._cached = len(slot.tokens)
        fresh, drafts = self._prompt[self._cached :], self._drafts()
        draft = drafts.begin()
        while True:
            picked = self._step(slot, fresh, draft[: limit - self._written - 1], sampler, grammar)
            if not picked or self._cancelled:
                yield self._end("cancelled", text.flush())
                return
            for token in picked:
                if self._engine.ends(token):
                    yield self._end("stop", text.flush())
                    return
                self._written += 1
                ready = text.feed(self._engine.piece(token))
                if text.stopped or self._written >= limit:
                    yield self._end("stop" if text.stopped else "length", ready + text.flush())
                    return
                if ready:
                    yield Chunk(ready)
            fresh, draft = picked[-1:], drafts.after(picked[-1])

    def _drafts(self) -> Drafts:
        return Drafts(self._options.likely, partial(self._engine.tokenize, special=False), SEQUENCES - 1)

    def _step(
        self, slot: Slot, fresh: list[int], draft: list[int], sampler: Sampler, grammar: Grammar | None
    ) -> list[int]:
        """Read the tokens and pick the next, and as many more as the draft has right; none when cancelled meanwhile.

        Lets others in after each batch.
        """
        picked: list[int] = []
        # In parts of what is computed at once anyway: of more, a reply in the background would have to read all again
        # when it gives way, and whether others want the cores would be noticed late.
        size = min(self._engine.micro_batch, BATCH)
        for start in range(0, len(fresh), size):
            part = fresh[start : start + size]
            last = start + size >= len(fresh)
            guess = draft[: BATCH - len(part)] if last else []
            wanted = range(len(part) - 1, len(part) + len(guess)) if last else ()
            while not self._cancelled:
                if self._options.background:
                    PRECEDENCE.give_way(lambda: self._cancelled)
                with self._engine.lock:
                    if not self._read(slot, part + guess, wanted):
                        continue
                    if last:
                        picked = self._pick(len(part) - 1, guess, sampler, grammar)
                        self._shared.slots.keep(slot, len(slot.tokens) - len(guess) + len(picked) - 1)
                    break
        return picked

    def _pick(self, place: int, draft: list[int], sampler: Sampler, grammar: Grammar | None) -> list[int]:
        """The token after this place of the batch, and those after it as long as the draft guessed them."""
        picked: list[int] = []
        for guess in (*draft, None):
            logits = self._engine.logits(place + len(picked))
            token = sampler.pick(logits, grammar.allowed if grammar else None)
            picked.append(token)
            if grammar is not None and not self._engine.ends(token):
                grammar.accept(token)
            if token != guess:
                break
        return picked

    def _read(self, slot: Slot, part: list[int], wanted: Sequence[int]) -> bool:
        """False: it was cancelled, or gave way and is to be tried again."""
        if self._cancelled or not self._engine.model:
            self._cancelled = True
            return False
        known = len(slot.tokens)
        places = [(slot.sequence, known + index) for index in range(len(part))]
        self._engine.use_adapter(self._adapter)
        with self._engine.running(self):
            if self._cancelled or (self._options.background and PRECEDENCE.waited):
                return False
            try:
                self._engine.decode(part, places, wanted)
            except Cancelled:
                self._engine.forget(slot.sequence, known)
                return False
        slot.tokens.extend(part)
        return True

    def _end(self, finish: FinishReason, text: str = "") -> Chunk:
        return Chunk(text, finish, len(self._prompt), self._cached, self._written)


def _adapter_name(path: Path | None) -> str | None:
    if path is None:
        return None
    return path.parent.name if path.name == "adapter.gguf" else path.stem
