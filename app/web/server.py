"""The server: where it listens, what it lets in, and its end."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import secrets
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...memory.errors import InputError, SettingsError
from ..accounts import Accounts
from . import assistants
from .house import House

LOCAL = ("127.0.0.1", "localhost", "::1")
CSP = ("default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
       "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' data: blob:; media-src 'self' blob:; "
       "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; frame-ancestors 'self'")  # fmt: skip
"""No picture in a reply, and no library of the page, may call out: what is remembered stays between page and server."""
WAITS_SECONDS = 1.0
"""After a wrong password."""
THREADS = 200
LARGEST_FILE = 50_000_000


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; port 0: any that is free."""

    host: str = "127.0.0.1"
    port: int = 7860
    names: tuple[str, ...] = ()
    """Host names under which the page is asked for, besides those of this machine."""


def is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check(address: Address, accounts: Path | None) -> Accounts | None:
    """The accounts, when there are any. Raises SettingsError where the page would be open to everyone near."""
    if accounts is None and not is_local(address.host):
        raise SettingsError(
            f"On {address.host} anyone near could read this memory: add --auth FILE (chatmem web adduser makes it), "
            "or leave --host out."
        )
    return Accounts(accounts) if accounts is not None else None


class Server:
    """The page, served in threads until `close`."""

    def __init__(self, house: House, address: Address) -> None:
        os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
        os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
        self._uploads = tempfile.TemporaryDirectory(prefix="chatmem-web-")
        os.environ["GRADIO_TEMP_DIR"] = self._uploads.name
        from . import page

        self.house, self.tools = house, assistants.offered(house)
        self.blocks = page.build(house)
        self.blocks.queue(default_concurrency_limit=None, max_size=2_000)
        self.url = self._launch(address, page)

    def _launch(self, address: Address, page: Any) -> str:
        auth = _sign_in(self.house.accounts) if self.house.accounts else None
        try:
            _, url, _ = self.blocks.launch(
                server_name=address.host, server_port=address.port or None, auth=auth,
                prevent_thread_lock=True, quiet=True,
                share=False, inbrowser=False, ssr_mode=False, run_history=False, enable_monitoring=False, pwa=False,
                show_error=True, max_threads=THREADS, max_file_size=LARGEST_FILE, footer_links=["api"],
                theme=page.theme(), css=page.style(), app_kwargs=self._app(address),
                auth_message="Sign in to your own memory.",
            )  # fmt: skip
        except OSError as error:
            raise InputError(f"Port {address.port} can't be used; choose another with --port.") from error
        return str(url).rstrip("/")

    def _app(self, address: Address) -> dict[str, Any]:
        """What the app under the page has besides the page."""
        found: dict[str, Any] = {"middleware": _middleware(address)}
        if self.tools:
            from starlette.routing import Route

            tools = assistants.Assistants(self.house, _hosts(address))
            found |= {"routes": [Route(assistants.PATH, tools)], "lifespan": tools.lifespan}
        return found

    def wait(self, stop: threading.Event) -> None:
        """Serves until it is told to stop."""
        while not stop.wait(1.0):  # without an end to each wait, Ctrl+C would not come through on Windows
            pass

    def close(self) -> None:
        self.blocks.server.force_exit = True  # pages that look on are not waited for
        self.blocks.close(verbose=False)
        self.house.close()
        self._uploads.cleanup()


def _middleware(address: Address) -> Sequence[Any]:
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    found: list[Any] = [Middleware(Headers), Middleware(Opening)]
    hosts = _hosts(address)
    if hosts is not None:
        found.append(Middleware(TrustedHostMiddleware, allowed_hosts=hosts))
    return found


def _hosts(address: Address) -> list[str] | None:
    """Names under which the server answers; None: any. A page elsewhere must not reach it by a name of its own."""
    return [*LOCAL, address.host, *address.names] if is_local(address.host) else None


class Headers:
    """ASGI middleware: every answer says what the page may load, and that nobody else is told where it came from."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def told(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        await self._app(scope, receive, told if scope["type"] == "http" else send)


class Opening:
    """ASGI middleware: the page says that it opens while its scripts are still on their way, instead of being blank."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] != "/" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        begun: list[Any] = []
        body = bytearray()

        async def held(message: Any) -> None:
            if message["type"] == "http.response.start":
                begun.append(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body"):
                start = begun[0]
                whole = bytes(body).replace(b"</head>", OPENING + b"</head>", 1)
                kept = [each for each in start["headers"] if each[0].lower() != b"content-length"]
                await send({**start, "headers": [*kept, (b"content-length", str(len(whole)).encode())]})
                await send({"type": "http.response.body", "body": whole})

        await self._app(scope, receive, held)


OPENING = (
    "<style>gradio-app:not(:has(*))::before { content: 'chatmem is opening \u2026'; margin: 20vh auto; "
    "font: 1.1rem system-ui, sans-serif; }</style>"
).encode()
HEADERS = tuple(
    (name.encode(), value.encode())
    for name, value in (("content-security-policy", CSP), ("referrer-policy", "no-referrer"),
                        ("x-content-type-options", "nosniff"))
)  # fmt: skip


def _sign_in(accounts: Accounts) -> Callable[[str, str], Any]:
    """Checks a password without holding up the others; few at once, and slowly when it is wrong."""
    few = threading.BoundedSemaphore(2)

    def allowed(name: str, password: str) -> bool:
        with few:
            return accounts.allows(name, password)

    async def sign_in(name: str, password: str) -> bool:
        if await asyncio.to_thread(allowed, name, password):
            return True
        await asyncio.sleep(WAITS_SECONDS + secrets.randbelow(200) / 1000)
        return False

    return sign_in
