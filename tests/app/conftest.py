"""A chat over a real database, with scripted agents in place of the models: these tests are about the app."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from chatmem.app.config.settings import Settings
from chatmem.app.controller import Controller
from chatmem.app.shown.events import Event
from chatmem.memory.store.store import Store
from tests.app.script import Script
from tests.app.shell import Shell


@dataclass
class Room:
    """A controller, its script, its store, and what the storage worker told."""

    path: Path
    store: Store
    script: Script
    chat: Controller
    background: list[Event] = field(default_factory=list)

    def say(self, *lines: str) -> list[Event]:
        """The events of these lines, the storage worker's included."""
        begin = len(self.background)
        events = [event for line in lines for event in self.chat.submit(line)]
        assert self.chat.wait(10)
        return events + self.background[begin:]


def open_room(path: Path, *, incognito: bool = False, **settings: object) -> Room:
    store = Store.open(path)
    script = Script(lambda: store)
    chat = Controller(lambda: store, script, Settings(**settings), incognito=incognito)  # type: ignore[arg-type]
    room = Room(path, store, script, chat)
    chat.subscribe(room.background.append)
    return room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = open_room(tmp_path / "chat.db")
    yield made
    made.chat.close()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A home in which a chat has taken place; tests that use it only read."""
    shell = Shell(tmp_path_factory.mktemp("told"))
    facts = "fact: Ana has two cats.\nfact: Ana lives in Graz.\n"
    done = shell("chat", stdin=f"my name is Ana\n{facts}sql: DROP TABLE users;\nbye\nnot read any more\n")
    assert done.returncode == 0, done.stderr
    assert "  + The user's name is Ana.  #1" in done.stdout
    assert "  + Ana has two cats.  #2" in done.stdout
    assert "not read" not in done.stdout
    return shell
