"""What the controller asks of the agents. The real ones live in `chatmem.models`; a front end never meets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ...models.files.profiles.profile import SHIPPED, Chooses, Profile

if TYPE_CHECKING:
    from ...memory.values import Moment, Recall, Turn, User, WriteResult
    from ...models.chat.hops.loop import Happened
    from ...models.lm import Chunk, Message


class StorageRole(Protocol):
    """Turns lines into memories."""

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult: ...


class RetrievalRole(Protocol):
    """Finds what bears on a line."""

    def recall(
        self, user: User, query: str, *, now: Moment, asker: str, before: Sequence[Turn] = ()
    ) -> Recall:  # fmt: skip
        """`before`: the talk so far, from which a question that leans on it is made whole."""
        ...


class AnswerRole(Protocol):
    """Talks."""

    def reply(
        self, user: User, recall: Recall, recent_turns: Sequence[Turn], text: str, now: Moment, *, attempt: int = 0
    ) -> Iterator[Chunk]:
        """`attempt` above 0: another reply than those before is wanted."""
        ...

    def prompt(
        self, user: User, recall: Recall, recent_turns: Sequence[Turn], text: str, now: Moment
    ) -> Sequence[Message]: ...


class HopsRole(Protocol):
    """Looks something up in several steps."""

    def run(
        self, user: User, question: str, *, now: Moment, first: Recall | None = None, begun: int = 0
    ) -> Iterator[Happened]:  # fmt: skip
        """The steps as they are done. `first`: what one recall brought; `begun`: the line that is answered."""
        ...


def count_words(text: str) -> int:
    """A stand-in where a model can't count its own tokens."""
    return len(text.split())


def no_queue() -> AbstractContextManager[bool]:
    """Where nobody else uses the models, a line is answered at once."""
    return nullcontext(True)


@dataclass(frozen=True, slots=True)
class Agents:
    """The three roles at work; `specs` names each one's model, for people; `count_tokens` is the answer model's.

    `turn` is entered before a line is looked up and left when its reply is whole; it gives False to who was told to go.
    """

    storage: StorageRole
    retrieval: RetrievalRole
    answer: AnswerRole
    specs: tuple[tuple[str, str], ...] = ()
    count_tokens: Callable[[str], int] = count_words
    turn: Callable[[], AbstractContextManager[bool]] = no_queue
    hops: HopsRole | None = None
    """Looks up in several steps, where the settings want it."""
    profile: Profile = SHIPPED
    """The answer model's, with what the settings change of it."""
    reads: Chooses = "itself"
    """Who says which told sentence answers a question: a small model picks the wrong ones."""

    @property
    def model(self) -> str:
        return dict(self.specs).get("answer", "model")


class AgentsSource(Protocol):
    """Gives the agents, loading them when that has not happened yet."""

    def get(self) -> Agents:
        """Blocks until they are loaded. Raises ModelError."""
        ...

    def switch(self, role: str, spec: str) -> None:
        """From the next `get` on, `role` (or `all`) uses the model `spec`."""
        ...

    def cancel(self) -> None:
        """Stops the reply that is being generated, if one is."""
        ...

    def close(self) -> None: ...
