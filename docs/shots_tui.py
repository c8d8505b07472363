"""Pictures of `chatmem tui` for the README: `python docs/shots_tui.py` writes them into assets/screenshots/.

Nothing is staged but the lines that are typed: the embedded models answer and store, in a database of their own.
Besides two still pictures it records the session as an SVG that plays by itself.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from textual.widgets import Input

from chatmem.app.context import Context
from chatmem.app.tui.app import ChatApp
from chatmem.app.tui.base.panel import Panel
from chatmem.app.tui.run import TuiOptions, make_setup
from chatmem.app.tui.widgets.chips import ChipLine

OUT = Path(__file__).resolve().parent.parent / "assets" / "screenshots"
SIZE = (112, 30)
LINES = (
    "Hi, I'm Joan. I work as a nurse in Boston.",
    "My sister Nele has a boat called Wanda.",
    "What is the boat of my sister called?",
)
FRAME_SECONDS = 2.2


async def until(holds: Callable[[], object]) -> None:
    for _ in range(6_000):
        if holds():
            return
        await asyncio.sleep(0.02)
    raise SystemExit("the window never came to the point where its picture is taken")


class Camera:
    """Frames of one window."""

    def __init__(self, app: ChatApp, press: Callable[..., Awaitable[None]]) -> None:
        self.app, self.press = app, press
        self.frames: list[str] = []

    def take(self) -> str:
        picture: str = self.app.export_screenshot(title="chatmem tui", simplify=True)
        self.frames.append(picture)
        return picture

    async def still(self) -> None:
        c = self.app.controller
        await until(lambda: self.app.bridge.waiting == 0 and c is not None and c.worker.waiting == 0)
        await self.app.workers.wait_for_complete()
        await asyncio.sleep(0.3)

    async def say(self, line: str) -> None:
        self.app.prompt.put(line)
        await asyncio.sleep(0.1)
        self.take()
        await self.press("enter")
        await self.still()
        self.take()


async def session(camera: Camera) -> None:
    """The lines, a correction on a chip, and why."""
    app = camera.app
    await until(lambda: app.user is not None and not app.state.loading)
    app.prompt.cursor_blink = False
    app.pane.flash_seconds = 3_600.0
    camera.take()
    for line in LINES:
        app.pane.flash_seconds = 0.05
        await camera.say(line)
    app.pane.flash_seconds = 3_600.0
    chips = [chip for chip in app.query(ChipLine) if chip.chip.can_edit]
    chips[-1].focus()
    await camera.press("e")
    await asyncio.sleep(0.4)  # a letter waits whether it begins a sentence
    chips[-1].query_one(Input).value = "Joan's sister Nele has a sailing boat called Wanda."
    await asyncio.sleep(0.1)
    camera.take()
    await camera.press("enter")
    await camera.still()
    app.prompt.focus()
    await asyncio.sleep(0.2)
    save("tui.svg", camera.take())
    await camera.press("ctrl+y")
    await until(lambda: isinstance(app.screen, Panel))
    await asyncio.sleep(0.5)
    save("tui-why.svg", camera.take())


def save(name: str, text: str) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / name).write_text(text, encoding="utf-8")
    print(f"wrote assets/screenshots/{name}: {len(text) // 1024} KB", file=sys.stderr)


def film(frames: list[str]) -> str:
    """The frames one after the other, for ever, in one SVG."""
    box = re.search(r'viewBox="([^"]+)"', frames[0])
    assert box is not None
    whole, share = FRAME_SECONDS * len(frames), 100 / len(frames)
    shown = f"0%, {share:.3f}% {{ visibility: visible; }} {share + 0.001:.3f}%, 100% {{ visibility: hidden; }}"
    style = (
        f"@keyframes shown {{ {shown} }} .frame {{ visibility: hidden; animation: shown {whole}s step-end infinite; }}"
    )
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box[1]}"><style>{style}</style>']
    for number, frame in enumerate(frames):
        parts.append(f'<g class="frame" style="animation-delay: {number * FRAME_SECONDS:.1f}s">{frame}</g>')
    return "\n".join([*parts, "</svg>"])


async def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ["CHATMEM_HOME"] = home
        setup = make_setup(Context.of({"user": "joan"}), TuiOptions())
        app = ChatApp(replace(setup, database="chatmem.db"))  # not the path of this run's temporary folder
        async with app.run_test(size=SIZE) as pilot:
            camera = Camera(app, pilot.press)
            await session(camera)
        save("tui-session.svg", film(camera.frames))
        app.bridge.close()
        if app.controller is not None:
            app.controller.close(20)


if __name__ == "__main__":
    asyncio.run(main())
    sys.stdout.flush()
    os._exit(0)  # llama.cpp's threads need not be waited for
