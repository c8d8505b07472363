"""Work that asks a model one thing after another, written as a generator: so that many can be under way at once.

A work yields requests, is sent the replies and returns its result. `through` answers one work; `side_by_side` answers
many, on a back end that can so that all their replies grow together, a token each in one step.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from ..lm import LM, FinishReason, Message, Options

Result = TypeVar("Result")


class Request(NamedTuple):
    """What a work asks."""

    messages: Sequence[Message]
    options: Options


class Reply(NamedTuple):
    """What the model says to it."""

    text: str
    finish: FinishReason | None
    tokens: int = 0


Work = Generator[Request, Reply, Result]


@runtime_checkable
class Bulk(Protocol):
    """A model that decodes many replies side by side."""

    def side_by_side(self, works: Sequence[Work[Any]]) -> list[Any]: ...


def through(lm: LM, work: Work[Result]) -> Result:
    """The result of one work. Raises what the model raises."""
    try:
        request = next(work)
        while True:
            request = work.send(answer(lm, request))
    except StopIteration as end:
        result: Result = end.value
        return result


def side_by_side(lm: LM, works: Sequence[Work[Result]]) -> list[Result]:
    """The results in the order of the works: at once where the model can, else one after the other."""
    return lm.side_by_side(works) if isinstance(lm, Bulk) else [through(lm, work) for work in works]


def answer(lm: LM, request: Request) -> Reply:
    """One reply."""
    text, finish, tokens = "", None, 0
    for chunk in lm.generate(request.messages, request.options):
        text, finish, tokens = text + chunk.text, chunk.finish or finish, chunk.completion_tokens or tokens
    return Reply(text, finish, tokens)


def asking(request: Request) -> Work[Reply]:
    """The work that asks one thing; its result is the reply."""
    return (yield request)
