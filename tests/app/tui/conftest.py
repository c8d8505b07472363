"""A window over a real database, with scripted agents in place of the models: these tests are about the window."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest
from textual.pilot import Pilot

from chatmem.app.config.settings import Settings
from chatmem.app.controller import Controller
from chatmem.app.tui.app import ChatApp
from chatmem.app.tui.base.panel import Question
from chatmem.app.tui.base.setup import Setup
from chatmem.app.tui.typed_ahead import TypedAhead
from chatmem.app.tui.widgets.conversation import TalkView
from chatmem.memory.store.store import Store
from chatmem.memory.values import Recall, Turn, User
from chatmem.models.lm import Chunk
from tests.app.script import Script

HERE = Path(__file__).parent
PATIENCE = 300
"""Seconds that a story may take, on a machine that has other work."""
Seen = TypeVar("Seen")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits for a window is tried a second time, and the summary tells which was: its clock isn't ours."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests, or the person who runs them, keep in their home is not part of a picture."""
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers need no pause before them: who presses keys here has seen the question, and types no sentence."""
    monkeypatch.setattr(Question, "settle_seconds", 0.0)
    monkeypatch.setattr(TypedAhead, "burst_seconds", 0.001)


@dataclass
class Gated(Script):
    """Waits at word `gate_at` of each reply until `gate` is opened."""

    gate: threading.Event = field(default_factory=threading.Event)
    gate_at: int | None = None

    def reply(
        self, user: User, recall: Recall, recent: Sequence[Turn], text: str, now: str, *, attempt: int = 0
    ) -> Iterator[Chunk]:
        for count, chunk in enumerate(super().reply(user, recall, recent, text, now, attempt=attempt)):
            if count == self.gate_at:
                self.gate.wait(10)
            yield chunk


@dataclass
class Window:
    """The app, its pilot, its store and its script."""

    app: ChatApp
    pilot: Pilot[int]
    store: Store
    script: Gated

    async def until(self, holds: Callable[[], object], seconds: float = 20.0) -> None:
        """Lets the window work until something holds."""
        for _ in range(int(seconds / 0.02)):
            if holds():
                return
            await asyncio.sleep(0.02)
        raise AssertionError("waited in vain; the window shows:\n" + self.text())

    async def say(self, line: str) -> None:
        """Types a line, sends it and waits until all that follows from it is on the screen."""
        self.app.prompt.put(line)
        await self.pilot.press("enter")
        await self.still()

    async def still(self) -> None:
        """Nothing is at work any more."""
        c = self.app.controller
        await self.until(lambda: self.app.bridge.waiting == 0 and (c is None or c.worker.waiting == 0))
        await self.app.workers.wait_for_complete()
        self.app.refresh_status()  # else the status line may be half a second behind
        await self.pilot.pause()

    async def sees(self, *texts: str) -> None:
        """The texts are on the screen together, now or soon."""
        await self.until(lambda: all(text in shown for shown in [self.text()] for text in texts))

    async def loses(self, *texts: str) -> None:
        """None of the texts is on the screen, now or soon."""
        await self.until(lambda: not any(text in shown for shown in [self.text()] for text in texts))

    async def becomes(self, look: Callable[[], Seen], wanted: Seen) -> None:
        """What is looked at is what is wanted, now or soon; else tells what it is in the end."""
        try:
            await self.until(lambda: look() == wanted)
        except AssertionError as error:
            error.add_note(f"it is {look()!r}, not {wanted!r}")
            raise

    def text(self) -> str:
        """What the screen shows, line by line: a moving picture. To assert on it, wait: `sees`, `loses`, `until`."""
        return screen_text(self.app)

    async def tells(self, sentence: str) -> None:
        """The sentence stands in the talk, now or soon, wherever its lines break."""
        await self.until(lambda: sentence in self.talk())

    def talk(self) -> str:
        """What the screen shows of the talk, its lines joined: how long the paths in a sentence are decides where it
        breaks, and that is another place on each machine."""
        region = self.app.query_one(TalkView).region
        lines = self.text().split("\n")[region.y : region.bottom]
        return " ".join(" ".join(line[region.x : region.right] for line in lines).split())


def screen_text(app: ChatApp) -> str:
    width, height = app.size
    lines = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip)[:width].rstrip() for strip in lines[:height])


@asynccontextmanager
async def open_window(
    path: Path, *, size: tuple[int, int] = (120, 30), script: Gated | None = None, incognito: bool = False,
    resume: int | None = None, ready: bool = True, history: Path | None = None, store: Store | None = None,
    **settings: object,
) -> AsyncIterator[Window]:  # fmt: skip
    store = store or Store.open(path)
    script = script or Gated(lambda: store)
    chosen = Settings(**settings)  # type: ignore[arg-type]

    def open_controller() -> Controller:
        return Controller(lambda: store, script, chosen, incognito=incognito)

    app = ChatApp(Setup(open_controller, chosen, "chatmem.db", resume, incognito, lambda user: history))
    async with app.run_test(size=size, notifications=True) as pilot:
        window = Window(app, pilot, store, script)
        if ready:
            await window.until(lambda: app.user is not None)
            await window.still()
        yield window
        script.gate.set()
    app.bridge.close()
    if app.controller is not None:
        assert app.controller.close()


def run(story: Coroutine[object, object, None]) -> None:
    """Plays a story to its end; in a thread of its own, since the browser's tests, which may have run
    in this process before, leave an event loop running in the main one."""
    with ThreadPoolExecutor(1) as alone:
        alone.submit(asyncio.run, _in_time(story)).result()


async def _in_time(story: Coroutine[object, object, None]) -> None:
    await asyncio.wait_for(story, PATIENCE)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chat.db"
