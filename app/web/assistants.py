"""The memory's tools for other assistants (MCP) on the page's server, each request in its own person's memory.

Without accounts that is the one local user. With accounts a request carries a token, `Authorization: Bearer TOKEN`,
made by `chatmem web token`: what every client can be given is a fixed header, while few can fill in a login page.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...memory.errors import ChatmemError, InputError
from .windows.turns import TooMany
from .windows.windows import House

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import User

PATH = "/mcp"
NO_TOKEN = (
    "This memory belongs to people who sign in: send the header Authorization: Bearer TOKEN "
    "(chatmem web token FILE NAME makes one)."
)
BAD_TOKEN = "This token is nobody's, or it was taken back; chatmem web token FILE NAME makes a new one."
_person: ContextVar[str] = ContextVar("chatmem_assistant_of")


def offered(house: House) -> bool:
    """Whether there are tools at all: the SDK is there, and the page was not begun in incognito."""
    return find_spec("mcp") is not None and not house.incognito


def whose(store: Store) -> User:
    """Whose memory the request at hand is about. Raises InputError outside of one."""
    try:
        return store.users.get(_person.get())
    except LookupError:
        raise InputError("Nobody is signed in here.") from None


class Assistants:
    """An ASGI app with the tools at `PATH`, behind the gate: names and origins are looked at there."""

    def __init__(self, house: House) -> None:
        from ..assistants.mcp_server import http_app, make_server

        self._house = house
        self._server = make_server(lambda: house.store, whose)
        self._tools = http_app(self._server, path=PATH, hosts=None)

    @asynccontextmanager
    async def lifespan(self, app: Any) -> AsyncIterator[None]:
        """To be entered by the app in which this one is mounted."""
        from ..assistants.mcp_server import running

        async with running(self._server):
            yield

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            name = await asyncio.to_thread(self._name, dict(scope["headers"]).get(b"authorization", b""))
        except ChatmemError as error:
            await _refusal(str(error))(scope, receive, send)
            return
        before = _person.set(name)
        try:
            with self._house.turns.one(name):
                await self._tools(scope, receive, send)
        except TooMany as error:
            await _refusal(str(error), 429)(scope, receive, send)
        finally:
            _person.reset(before)

    def _name(self, header: bytes) -> str:
        """The user whom a request proves to be. Raises InputError."""
        accounts = self._house.accounts
        if accounts is None:
            return self._house.settings.user
        kind, _, token = header.decode("latin-1").partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            raise InputError(NO_TOKEN)
        name = accounts.of_token(token.strip())
        if name is None:
            raise InputError(BAD_TOKEN)
        return name


def _refusal(sentence: str, status: int = 401) -> Any:
    from starlette.responses import JSONResponse

    headers = {"WWW-Authenticate": 'Bearer realm="chatmem"'} if status == 401 else None
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)
