"""A reply that broke off is gone on with: what came stays, the rest is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...memory.errors import ReplyBroken
from ..lm import LM, Chunk, Message, Options

GO_ON = "Your reply broke off here. Go on with the very next word; repeat nothing and explain nothing."
OVERLAP = 120
"""Characters in which the rest may repeat the end of what came."""


def gone_on(lm: LM, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
    """The reply; broken off, it is asked for once more: from its beginning where no word had come, else from where it
    broke off, without what is then said twice. Raises ReplyBroken when that breaks off too, and what `lm` raises."""
    came: list[str] = []
    try:
        for chunk in lm.generate(messages, options):
            came.append(chunk.text)
            yield chunk
        return
    except ReplyBroken:
        text = "".join(came)
    if not text.strip():
        yield from lm.generate(messages, options)
        return
    rest = lm.generate([*messages, Message("assistant", text), Message("user", GO_ON)], options)
    yield from without_overlap(text, rest)


def without_overlap(text: str, rest: Iterator[Chunk]) -> Iterator[Chunk]:
    """The chunks of the rest, without the words at its beginning with which the text ends."""
    held, begun = "", False
    for chunk in rest:
        if begun:
            yield chunk
            continue
        held += chunk.text
        if len(held) >= OVERLAP or chunk.finish:
            begun = True
            yield Chunk(
                held[overlap(text, held) :], chunk.finish, chunk.prompt_tokens, chunk.cached_tokens,
                chunk.completion_tokens, chunk.thought,
            )  # fmt: skip


def overlap(text: str, rest: str) -> int:
    """Length of the longest beginning of the rest with which the text ends, of four characters or more."""
    most = min(len(text), len(rest), OVERLAP)
    return next((length for length in range(most, 3, -1) if text.endswith(rest[:length])), 0)
