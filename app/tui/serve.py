"""The window in a browser on this machine, through textual-serve: one process a page, on 127.0.0.1 and nowhere else."""

from __future__ import annotations

import argparse
import shlex
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from ...memory.errors import InputError
from ..config.settings import describe
from ..context import Context, say

HOST = "127.0.0.1"
LEAST_PORT, MOST_PORT = 1, 65_535


def serve(args: argparse.Namespace, context: Context) -> int:
    """Serves until Ctrl+C. Raises InputError for a port that can't be used, or when textual-serve is missing."""
    port = int(args.port)
    if not LEAST_PORT <= port <= MOST_PORT:
        raise InputError(f"--port is {port}; take a number from {LEAST_PORT} to {MOST_PORT}.")
    try:
        server = make_server(command(args), port)
    except ModuleNotFoundError:
        raise InputError("--serve needs textual-serve; install it with: pip install 'chatmem[serve]'") from None
    try:
        socket.create_server((HOST, port)).close()
    except OSError as error:
        why = str(error.strerror).partition(" (while")[0]
        raise InputError(f"Port {port} can't be used ({why}); choose another with --port.") from error
    say(f"chatmem is at http://{HOST}:{port}, for this machine alone; Ctrl+C ends it.")
    server.serve()
    return 0


def command(args: argparse.Namespace) -> str:
    """The command that each page runs: this one, without --serve."""
    words = [sys.executable, "-m", "chatmem", "tui"]
    flags = {setting.name: setting.flag for setting in describe()} | {
        "config": "--config", "db": "--db", "user": "--user", "resume": "--resume",
        "passphrase_file": "--passphrase-file",
    }  # fmt: skip
    for name, flag in flags.items():
        value = getattr(args, name, None)
        if value not in (None, False):
            words += [flag, str(value)]
    return shlex.join([*words, *(["--incognito"] if args.incognito else [])])


def make_server(command: str, port: int) -> Any:
    """The server; made in a function, so that only --serve loads it."""
    from aiohttp import web
    from textual_serve.server import Server

    class Local(Server):  # type: ignore[misc, unused-ignore]
        """Answers this machine's own pages only."""

        def initialize_logging(self) -> None:
            return

        async def on_startup(self, app: web.Application) -> None:
            return

        async def _make_app(self) -> web.Application:
            app = await super()._make_app()
            app.middlewares.append(middleware)
            return app

    @web.middleware  # type: ignore[untyped-decorator, unused-ignore]
    async def middleware(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if not own_page(request.headers.get("Host"), request.headers.get("Origin"), port):
            raise web.HTTPForbidden(text="Only pages of this machine's own chatmem may come here.")
        return await handler(request)

    return Local(command, host=HOST, port=port, title="chatmem", public_url=f"http://{HOST}:{port}")


def own_page(host: str | None, origin: str | None, port: int) -> bool:
    """Other sites' pages in the same browser can reach 127.0.0.1 too: they show by their Origin, or by a false Host."""
    names = {f"{HOST}:{port}", f"localhost:{port}"}
    return host in names and (origin is None or urlsplit(origin).netloc in names)
