"""`chatmem tui --serve`: on this machine only, for this machine's own pages only."""

from __future__ import annotations

import argparse
import asyncio
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import ClientSession, web

from chatmem.app.cli import main
from chatmem.app.tui.serve import command, make_server, own_page

ROOT = Path(__file__).resolve().parents[3]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_each_page_runs_the_same_command_without_serve() -> None:
    args = argparse.Namespace(user="ana b", incognito=True, model="gguf:x y.gguf", resume=3, serve=True)
    assert shlex.split(command(args))[1:] == [
        "-m", "chatmem", "tui", "--user", "ana b", "--model", "gguf:x y.gguf", "--resume", "3", "--incognito",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("host", "origin", "own"),
    [
        ("127.0.0.1:8765", None, True),
        ("localhost:8765", "http://localhost:8765", True),
        ("127.0.0.1:8765", "http://127.0.0.1:8765", True),
        ("127.0.0.1:8765", "https://elsewhere.example", False),
        ("127.0.0.1:8765", "http://127.0.0.1:9999", False),
        ("127.0.0.1:8765", "null", False),
        ("rebound.example:8765", None, False),
        (None, None, False),
    ],
)
def test_pages_of_other_sites_are_turned_away(host: str | None, origin: str | None, own: bool) -> None:
    assert own_page(host, origin, 8765) is own


def test_a_page_opens_a_window_and_closing_it_ends_that(monkeypatch: pytest.MonkeyPatch) -> None:
    port, windows = free_port(), []
    start = asyncio.create_subprocess_shell

    async def started(*args: object, **kwargs: object) -> object:
        windows.append(await start(*args, **kwargs))  # type: ignore[arg-type]
        return windows[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_shell", started)
    code = """
from textual.app import App
from textual.widgets import Label
class A(App):
    def compose(self): yield Label('window here')
A().run()
"""

    async def story() -> None:
        server = make_server(shlex.join([sys.executable, "-c", code]), port)
        runner = web.AppRunner(await server._make_app())
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        at = f"http://127.0.0.1:{port}"
        async with ClientSession() as client:
            async with client.get(at) as page:
                assert page.status == 200
            async with client.get(f"{at}/ws", headers={"Origin": "https://elsewhere.example"}) as refused:
                assert refused.status == 403
            async with client.ws_connect(f"{at}/ws?width=40&height=5", headers={"Origin": at}) as window:
                seen = b""
                while b"window here" not in seen:
                    message = await window.receive(timeout=20)
                    seen += message.data if isinstance(message.data, bytes) else str(message.data).encode()
        assert await asyncio.wait_for(windows[0].wait(), 20) is not None
        await runner.cleanup()

    asyncio.run(asyncio.wait_for(story(), 40))


def test_a_port_that_is_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tui", "--serve", "--port", "99999999"]) == 2
    assert "99999999" in capsys.readouterr().err


def test_a_port_that_is_taken_is_told_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["tui", "--serve", "--port", str(port)]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"chatmem: Port {port} can't be used (") and "choose another with --port" in told
    assert told.count("\n") == 1, "and nobody is told that the page is there"


def test_without_a_terminal_it_says_what_to_use_instead() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "chatmem", "tui"], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "needs a terminal" in done.stderr


@pytest.mark.parametrize(
    ("keymap", "told"),
    [
        ("nwe=f7", "did you mean 'new'?"),
        ("new", "gives no key"),
        ("new=f1", "both 'new' and 'help'"),
        ("why=F12", "says yes to an erasure"),
    ],
)
def test_a_wrong_keymap_is_told_before_the_window_opens(
    keymap: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHATMEM_KEYMAP", keymap)
    monkeypatch.setattr("chatmem.app.tui.command.can_draw", lambda: True)
    assert main(["tui"]) == 2
    assert told in capsys.readouterr().err


def test_an_unknown_theme_is_told_before_the_window_opens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("chatmem.app.tui.command.can_draw", lambda: True)
    assert main(["tui", "--theme", "nrod"]) == 2
    assert "did you mean 'nord'?" in capsys.readouterr().err
