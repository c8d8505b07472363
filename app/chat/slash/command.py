"""What a slash command is, and how its arguments are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ....eval.arguments import number_of
from ...shown.events import Event
from ..state import ChatState

LISTS = {"memory": "/memory", "session": "/sessions", "write": "/journal"}
"""Where the numbers stand."""
Handler = Callable[[ChatState, str], Iterator[Event]]
"""Does a command, given all that stands after its name."""


@dataclass(frozen=True, slots=True)
class Command:
    """One slash command. `memory`: it reads or writes the memory, and so is closed in incognito."""

    name: str
    arguments: str
    help: str
    run: Handler
    memory: bool = True

    @property
    def usage(self) -> str:
        return f"/{self.name} {self.arguments}".strip()


def number(text: str, what: str) -> int:
    """`text` as the number of a `what`. Raises InputError."""
    return number_of(text, what, LISTS.get(what, "the list"))


def confirmed(rest: str) -> tuple[str, bool]:
    """The arguments without `--yes`, and whether it was there."""
    words = rest.split()
    return " ".join(word for word in words if word != "--yes"), "--yes" in words
