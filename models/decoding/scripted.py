"""A scripted LM for the tests of user interfaces and faults. Not a model: it says what the test wrote down."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...memory.errors import ModelError
from ..files.profiles.profile import SHIPPED, Profile
from ..lm import Chunk, Message, Options

Script = Callable[[Sequence[Message], Options], str]


@dataclass(frozen=True, slots=True)
class ScriptedLine:
    """One scripted reply. `gate`: wait for this event before chunk `gate_at`; `fail_at`: raise before that chunk."""

    text: str
    gate: threading.Event | None = None
    gate_at: int = 0
    fail_at: int | None = None
    error: Exception | None = None


class ScriptedLM:
    """Replies in turn with what it was given: texts, `Said`, or functions of the prompt; the last one repeats.

    Chunks are words. `calls` keeps the messages and options of every call; `started` is set when a reply begins.
    """

    def __init__(
        self,
        turns: Sequence[str | ScriptedLine | Script],
        *,
        name: str = "scripted",
        adapter: str | None = None,
        context_tokens: int = 4096,
        profile: Profile = SHIPPED,
    ) -> None:
        if not turns:
            raise ValueError("a scripted LM needs at least one reply")
        self.name, self.adapter, self.context_tokens = name, adapter, context_tokens
        self.profile = profile
        self.calls: list[tuple[tuple[Message, ...], Options]] = []
        self.started = threading.Event()
        self.closed = False
        self._turns = list(turns)
        self._cancelled = threading.Event()
        self._lock = threading.Lock()

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        """Stream the next scripted reply, word by word."""
        with self._lock:
            turn = self._turns[min(len(self.calls), len(self._turns) - 1)]
            self.calls.append((tuple(messages), options))
            self._cancelled.clear()
        said = (
            turn
            if isinstance(turn, ScriptedLine)
            else ScriptedLine(turn if isinstance(turn, str) else turn(messages, options))
        )
        return self._speak(said, sum(self.count_tokens(message.content) for message in messages), options)

    def _speak(self, said: ScriptedLine, prompt_tokens: int, options: Options) -> Iterator[Chunk]:
        words = said.text.split(" ")
        words = [*(word + " " for word in words[:-1]), words[-1]]
        self.started.set()
        for at, word in enumerate(words[: options.max_tokens]):
            self._wait(said, at)
            if self._cancelled.is_set():
                yield Chunk("", "cancelled", prompt_tokens, 0, at)
                return
            if said.fail_at == at:
                raise said.error or ModelError("The scripted model failed here, as its script says.")
            yield Chunk(word)
        finish = "stop" if len(words) <= options.max_tokens else "length"
        yield Chunk("", finish, prompt_tokens, 0, min(len(words), options.max_tokens))  # type: ignore[arg-type]

    def _wait(self, said: ScriptedLine, at: int) -> None:
        if said.gate is None or at != said.gate_at:
            return
        while not said.gate.wait(0.01):
            if self._cancelled.is_set():
                return

    def cancel(self) -> None:
        """End the reply in progress at once."""
        self._cancelled.set()

    def count_tokens(self, text: str) -> int:
        """Words: near enough for budgets in tests."""
        return len(text.split())

    def close(self) -> None:
        self.cancel()
        self.closed = True
