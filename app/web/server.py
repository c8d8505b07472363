"""The server: where it listens, what is behind its gate, and its end."""

from __future__ import annotations

import logging
import os
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from ...memory.errors import InputError, SettingsError
from ..admin.accounts import Accounts
from . import assistants
from .gate.gate import PERSON, Gate
from .gate.locked import LockedPage
from .gate.opening import Opening
from .gate.origin import Address, Hosts, is_local
from .gate.signing import Signing
from .windows.locking import PageLock
from .windows.windows import House

THREADS = 200
LARGEST_FILE = 50_000_000
BEGIN_SECONDS = 30.0
UNWATCHED = {"GRADIO_ANALYTICS_CACHE_FREQUENCY": str(sys.maxsize), "GRADIO_ANALYTICS_MAX_EVENTS": "1"}
"""Gradio draws up a table of the last 10,000 events after each, for a page of figures that is shut here: a quarter of
the server's time."""


def check(address: Address, accounts: Path | None) -> Accounts | None:
    """The accounts, when there are any. Raises SettingsError where the page would be open to everyone near or far."""
    if accounts is None and address.names:
        raise SettingsError(
            f"A page with another name ({address.names[0]}) is there for others too: add --auth FILE "
            "(chatmem web adduser makes it), or leave --name out."
        )
    if accounts is None and not is_local(address.host):
        raise SettingsError(
            f"On {address.host} anyone near could read this memory: add --auth FILE (chatmem web adduser makes it), "
            "or leave --host out."
        )
    return Accounts(accounts) if accounts is not None else None


class Server:
    """The page, served in threads until `close`."""

    def __init__(self, house: House, address: Address, lock: PageLock | None = None) -> None:
        os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
        os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
        os.environ |= UNWATCHED
        self._uploads = tempfile.TemporaryDirectory(prefix="chatmem-web-")
        os.environ["GRADIO_TEMP_DIR"] = self._uploads.name
        self.house, self.tools, self.lock = house, assistants.offered(house), lock
        self._ticks: tuple[int, ...] = ()
        self._socket = listen(address)
        port = self._socket.getsockname()[1]
        self.url = f"http://{_shown(address.host)}:{port}"
        self._signing = Signing(house.accounts, port) if house.accounts else None
        self._uvicorn, self._thread = self._begin(self._gate(Hosts(address)))

    def _gate(self, hosts: Hosts) -> Gate:
        app = self._app()
        return Gate(app, hosts, self._signing, LockedPage(self.lock, self._ticks) if self.lock is not None else None)

    def _app(self) -> Any:
        """The page and the tools, without the gate before them."""
        import gradio as gr
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.routing import Route

        from . import page

        blocks = page.build(self.house)
        self._ticks = tuple(key for key, one in blocks.fns.items() if getattr(one.fn, "__name__", "") == "tick")
        blocks.queue(default_concurrency_limit=None, max_size=2_000)
        blocks.max_threads = blocks._queue.max_thread_count = THREADS  # `launch` sets both, and mounting neither
        around: dict[str, Any] = {"middleware": [Middleware(Opening)]}
        if self.tools:
            tools = assistants.Assistants(self.house)
            around |= {"routes": [Route(assistants.PATH, tools)], "lifespan": tools.lifespan}
        who = (lambda request: request.scope.get(PERSON)) if self._signing else None
        return gr.mount_gradio_app(
            Starlette(**around), blocks, path="/", auth_dependency=who, footer_links=["api"], run_history=False,
            ssr_mode=False, enable_monitoring=False, pwa=False, mcp_server=False, show_error=True,
            max_file_size=LARGEST_FILE, theme=page.theme(), css=page.style(),
        )  # fmt: skip

    def _begin(self, app: Any) -> tuple[Any, threading.Thread]:
        import uvicorn

        settings = uvicorn.Config(
            app, log_level="warning", server_header=False, lifespan="on", ws="none", timeout_graceful_shutdown=1
        )  # fmt: skip
        server = uvicorn.Server(settings)
        thread = threading.Thread(target=server.run, args=([self._socket],), name="chatmem-server", daemon=True)
        thread.start()
        end = time.monotonic() + BEGIN_SECONDS
        while not server.started:
            if not thread.is_alive() or time.monotonic() > end:
                raise InputError("The page can't be served; the lines above say why.")
            time.sleep(0.01)
        return server, thread

    def wait(self, stop: threading.Event) -> None:
        """Serves until it is told to stop."""
        while not stop.wait(1.0):  # without an end to each wait, Ctrl+C would not come through on Windows
            if self.lock is not None:
                self.lock.look()

    def close(self) -> None:
        logging.getLogger("uvicorn.error").setLevel(
            logging.CRITICAL
        )  # pages that look on are cut off, which is no error
        self._uvicorn.should_exit = True
        self._thread.join(10.0)
        self._socket.close()
        if self._signing is not None:
            self._signing.close()
        self.house.close()
        self._uploads.cleanup()


def listen(address: Address) -> socket.socket:
    """The open port. Raises InputError for one that is taken, or of a host that is not this machine."""
    try:
        family = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((address.host, address.port), family=family, backlog=2_048)
    except OSError as error:
        why = str(error.strerror).partition(" (while")[0]  # Python tells address and port once more
        raise InputError(
            f"{address.host} port {address.port} can't be used ({why}); choose another with --port."
        ) from error


def _shown(host: str) -> str:
    """How a browser on this machine is told a host."""
    if host in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host
