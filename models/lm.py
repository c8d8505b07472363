"""The one seam to language models: messages in, chunks out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from .files.profiles.profile import Profile

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["stop", "length", "cancelled"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Options:
    """How to generate. Temperature 0 is greedy. `grammar` is GBNF (`json_schema` on endpoints).

    `likely`: texts that the reply probably holds, the beginning first, read at once where the back end can
    (`models/backends/llama/drafts.py`). `background`: nobody waits for this reply, so those that somebody waits for go
    first (`models/backends/llama/precedence.py`).
    """

    max_tokens: int = 256
    temperature: float = 0.0
    top_p: float = 1.0
    repeat_penalty: float = 1.0
    seed: int = 0
    stop: tuple[str, ...] = ()
    grammar: str | None = None
    json_schema: str | None = None
    likely: tuple[str, ...] = ()
    background: bool = False


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of the reply. The last chunk carries `finish` and the token counts.

    `thought`: what the model thinks before it replies, where that can be told apart.
    """

    text: str
    finish: FinishReason | None = None
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    thought: str = ""


class LM(Protocol):
    """A language model. Closing the iterator (or `cancel`) stops it at once; the text so far stays with the caller.

    One that a package brings may lack `profile`; `profile_of` reads it from any.
    """

    name: str
    adapter: str | None

    @property
    def context_tokens(self) -> int: ...

    @property
    def profile(self) -> Profile: ...

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]: ...

    def count_tokens(self, text: str) -> int: ...

    def close(self) -> None: ...


@runtime_checkable
class ClearsCache(Protocol):
    """A model that keeps prompts it has read, and can forget them: for runs that must not depend on earlier ones."""

    def clear_cache(self) -> None: ...


def complete(lm: LM, messages: Sequence[Message], options: Options) -> str:
    """The whole reply as one string."""
    return "".join(chunk.text for chunk in lm.generate(messages, options))
