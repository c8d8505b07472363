"""The end of a chat in the window is the controller's own: it tidies there too, and a second time leaves at once."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.tidy.proposals import Proposal
from chatmem.models import registry
from chatmem.models.editor import choose
from chatmem.models.editor.prompts import Decision
from tests.app.chat.slow_tidy import Merges
from tests.app.chat.test_tidy import NoModel
from tests.app.tui.conftest import Window, open_window, run
from tests.memory.tidy.test_tools import WordsEmbedder

FACTS = ("Ana has two cats.", "Ana has 2 cats.", "Ana owns a boat.", "Ana owns the boat.")


class Waits(Merges):
    """Tells when it is asked for the first time, and then waits for `go`."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def decide(self, proposal: Proposal, lines: Mapping[int, Sequence[str]]) -> Decision:
        self.asked.set()
        assert self.go.wait(20)
        return super().decide(proposal, lines)


@pytest.fixture
def decider(monkeypatch: pytest.MonkeyPatch) -> Waits:
    """The scripted decider of every run of the editor."""
    made = Waits()
    monkeypatch.setattr(registry, "load_reader", lambda spec, **options: NoModel())
    monkeypatch.setattr(choose, "LMDecider", lambda lm: made)
    return made


async def say_twice(window: Window) -> None:
    for fact in FACTS:
        await window.say(f"fact: {fact}")


@pytest.mark.parametrize("way", ["bye", "ctrl+q"])
def test_leaving_tidies_when_the_settings_say_so(way: str, path: Path, decider: Waits) -> None:
    async def story() -> None:
        store = Store.open(path, embedder=WordsEmbedder())
        async with open_window(path, store=store, tidy_at_bye=5) as window:
            await say_twice(window)
            if way == "bye":
                window.app.prompt.put("bye")
            await window.pilot.press("enter" if way == "bye" else way)
            await window.until(decider.asked.is_set)
            await window.sees("Tidying the memory, at most 5 changes")
            decider.go.set()
            await window.until(lambda: window.app.return_code == 0)
            user = store.users.get("me")
            assert len(store.journal.runs(user.id)) == 1
            assert len(store.facts.all(user.id)) < len(FACTS)
            assert all(session.ended_at for session in store.sessions.all(user.id))

    run(story())


def test_a_second_time_leaves_at_once_and_tidying_ends_with_its_step(path: Path, decider: Waits) -> None:
    async def story() -> None:
        store = Store.open(path, embedder=WordsEmbedder())
        async with open_window(path, store=store, tidy_at_bye=5) as window:
            await say_twice(window)
            await window.pilot.press("ctrl+q")
            await window.until(decider.asked.is_set)
            await window.pilot.press("ctrl+q")
            await window.until(lambda: window.app.return_code == 0)
            decider.go.set()
            assert window.app.bridge.close(20)
            user = store.users.get("me")
            assert len(store.facts.all(user.id)) >= len(FACTS) - 1
            assert all(session.ended_at for session in store.sessions.all(user.id))

    run(story())
