"""The slash commands, as every front end has them: looked up here, done in the modules beside this one."""

from __future__ import annotations

from collections.abc import Iterator

from ....memory.errors import InputError
from ...config.settings import nearest
from ...shown.events import Event, Listed
from ..state import ChatState
from . import chat, files, memory, tidy
from .command import Command

ALIASES = {
    "quit": "bye", "exit": "bye", "q": "bye", "memories": "memory", "models": "model", "?": "help",
    "regen": "regenerate",
}  # fmt: skip


def commands() -> dict[str, Command]:
    """All commands by name, in the order in which help shows them."""
    every = (HELP, *memory.COMMANDS, *files.COMMANDS, *tidy.COMMANDS, *chat.COMMANDS)
    return {command.name: command for command in every}


def run(c: ChatState, line: str) -> Iterator[Event]:
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


def _help(c: ChatState, rest: str) -> Iterator[Event]:
    rows = tuple((one.usage, one.help) for one in commands().values() if one.name not in c.closed)
    yield Listed("Commands", ("command", "what it does"), rows, note="Anything else is talk; // sends a slash.")


HELP = Command("help", "", "this list", _help, memory=False)
