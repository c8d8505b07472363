"""A back end of one's own: `echo:plain` and `echo:loud` say the user's line again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from chatmem.memory.errors import SettingsError
from chatmem.models.lm import Chunk, Message, Options


def load(rest: str, **_: Any) -> EchoLM:
    """What chatmem calls for a spec `echo:REST`. Raises SettingsError for a voice that there isn't."""
    if rest not in ("plain", "loud"):
        raise SettingsError(f"echo:{rest} is no voice; write echo:plain or echo:loud.")
    return EchoLM(rest)


class EchoLM:
    """All that chatmem asks of a model: a name, a window, and one method that yields its reply piece by piece."""

    adapter = None
    context_tokens = 4096

    def __init__(self, voice: str) -> None:
        self.name, self.voice = f"echo-{voice}", voice

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        said = messages[-1].content.rsplit("\n", 1)[-1]
        for word in (said.upper() if self.voice == "loud" else said).split()[: options.max_tokens]:
            yield Chunk(word + " ")
        yield Chunk("", "stop")

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def close(self) -> None:
        """Nothing is held."""
