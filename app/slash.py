"""The slash commands, as every front end has them: looked up here, done in the modules beside this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..memory.errors import InputError
from .events import Event, Listed
from .settings import nearest

if TYPE_CHECKING:
    from .controller import Controller

Handler = Callable[["Controller", str], Iterator[Event]]


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


def commands() -> dict[str, Command]:
    """All commands by name, in the order in which help shows them."""
    from . import slash_chat, slash_files, slash_memory, slash_tidy

    every = (HELP, *slash_memory.COMMANDS, *slash_files.COMMANDS, *slash_tidy.COMMANDS, *slash_chat.COMMANDS)
    return {command.name: command for command in every}


ALIASES = {"quit": "bye", "exit": "bye", "q": "bye", "memories": "memory", "?": "help", "regen": "regenerate"}


def run(c: Controller, line: str) -> Iterator[Event]:
    """Does the command in `line`, which begins with a slash. Raises InputError for an unknown one."""
    word, _, rest = line[1:].partition(" ")
    name = ALIASES.get(word.lower(), word.lower())
    known = commands()
    if name not in known:
        raise InputError(f"There is no command /{word[:40]}{nearest(name, list(known))}; /help lists all of them.")
    command = known[name]
    if name in c.closed:
        raise InputError(c.closed[name])
    if command.memory and c.incognito:
        raise InputError(f"Incognito is on, and /{name} needs the memory; /incognito off turns it off.")
    yield from command.run(c, rest.strip())


def _help(c: Controller, rest: str) -> Iterator[Event]:
    rows = tuple((one.usage, one.help) for one in commands().values() if one.name not in c.closed)
    yield Listed("Commands", ("command", "what it does"), rows, note="Anything else is talk; // sends a slash.")


HELP = Command("help", "", "this list", _help, memory=False)


def number(text: str, what: str) -> int:
    """`text` as the number of a `what`. Raises InputError."""
    try:
        return int(text.lstrip("#"))
    except ValueError:
        raise InputError(f"{text[:40]!r} is not the number of a {what}; write it as in the lists.") from None


def confirmed(rest: str) -> tuple[str, bool]:
    """The arguments without `--yes`, and whether it was there."""
    words = rest.split()
    return " ".join(word for word in words if word != "--yes"), "--yes" in words
