"""The gate: an ASGI app around all others, through which every request comes or doesn't.

In this order, so that nothing of the page runs for what is turned away: the name that was asked for, where the request
comes from, whether there is such a path, who is signed in, whose window and event it names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from ...admin.sign_ins import SignIn
from . import own_ids
from .headers import dressed
from .locked import JOIN, UNLOCK, LockedPage
from .origin import Hosts, follows_link, foreign
from .signing import Signing

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

PERSON = "chatmem.person"
"""Where in a request's scope the name stands of who is signed in."""
NOT_HERE = "This server doesn't answer to that name; whoever runs it adds it with --name."
NOT_FROM_THERE = "Another site's page asked for this; only this page itself may."
NO_PATH = "There is nothing here."
SIGN_IN = "You are signed out; load the page anew and sign in."
TOO_LARGE = "That is too much at once; bring it as a file."
TOO_MANY = "These are too many windows at once; wait a second, or keep to one by sending its session_hash."
TOOLS = "/mcp"
OPENS = re.compile(r"/gradio_api/(queue/join|(run|api)/[^/]+/?|call/(v2/)?[^/]+/?)")
SIGNING = {("POST", "/login"), ("POST", "/logout"), ("GET", "/signins"), ("POST", "/signins")}
_ASSETS = r"assets/.+|static/.+|svelte/.+|theme\.css|favicon\.ico|robots\.txt|manifest\.json|config/?|"
_READ = re.compile(
    rf"/({_ASSETS}gradio_api/(info/?|app_id/?|startup-events|theme\.css|queue/(data|status)|heartbeat/[^/]+"
    r"|call/(v2/)?[^/]+/[^/]+|upload_progress))?"
)
_DONE = re.compile(r"/gradio_api/(queue/join|cancel|reset/?|upload|(run|api)/[^/]+/?|call/(v2/)?[^/]+/?)")
"""What the page and its programs ask for, no more: Gradio has routes that hand out tokens, files and other sites."""


class Gate:
    """Around `app`. `signing` None: nobody signs in, there is one local user. `locked`: of an encrypted memory."""

    def __init__(self, app: App, hosts: Hosts, signing: Signing | None, locked: LockedPage | None = None) -> None:
        self._app, self._hosts, self._signing, self._locked = app, hosts, signing, locked
        self._ids = own_ids.OwnIds()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, _dressing(send))
        else:  # no page of ours opens a WebSocket
            await receive()
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        tls = scope["scheme"] == "https" or (self._signing is not None and self._signing.over_tls(headers))
        refusal = self._turned_away(scope, headers, "https" if tls else "http")
        if refusal is not None:
            await _refuse(*refusal)(scope, receive, send)
            return
        if self._locked is not None:
            await self._unlocked(self._locked, scope, receive, send)
            return
        if self._signing is None or scope["path"] == TOOLS:
            await self._app(scope, receive, send)
            return
        await self._to_page(self._signing, scope, receive, send, headers)

    async def _unlocked(self, locked: LockedPage, scope: Scope, receive: Receive, send: Send) -> None:
        """To the page while it isn't locked; a stream that is open ends when it is."""
        answer = await locked.answer(scope, receive)
        if answer is not None:
            await answer(scope, receive, send)
            return
        if scope["path"] == TOOLS:
            locked.lock.used()
        elif (scope["method"], scope["path"]) == ("POST", JOIN):
            body = await _whole(receive)
            if body is None:
                await _refuse(413, TOO_LARGE)(scope, receive, send)
                return
            locked.heard(body)
            receive = _replayed(body, receive)
        await self._app(scope, receive, _while_signed_in(send, lambda: not locked.lock.locked))

    def _turned_away(self, scope: Scope, headers: dict[str, str], scheme: str) -> tuple[int, str] | None:
        """Status and reason, where a request doesn't come in."""
        if headers.get("host", "") not in self._hosts:
            return 400, NOT_HERE
        path, method = scope["path"], scope["method"]
        if foreign(headers, scheme) and not (path == "/" and "origin" not in headers and follows_link(headers, method)):
            return 403, NOT_FROM_THERE
        known = _READ if method in ("GET", "HEAD") else _DONE if method == "POST" else None
        own = path == TOOLS or (self._signing is not None and (method, path) in SIGNING)
        own = own or (self._locked is not None and (method, path) == UNLOCK)
        if not own and (known is None or not known.fullmatch(path)):
            return 404, NO_PATH
        return None

    async def _to_page(
        self, signing: Signing, scope: Scope, receive: Receive, send: Send, headers: dict[str, str]
    ) -> None:
        from starlette.requests import Request

        request, path = Request(scope, receive), scope["path"]
        one = signing.who(headers, scope["scheme"])
        if path == "/login":
            await (await signing.sign_in(request))(scope, receive, send)
        elif one is None and path in ("/", "/logout", "/signins"):
            arrived = headers.get("sec-fetch-site") == "cross-site" and "arrived" not in request.query_params
            answer = signing.arrival(request) if arrived else signing.page(request)
            await answer(scope, receive, send)
        elif one is None:
            await _refuse(401, SIGN_IN)(scope, receive, send)
        elif path == "/logout":
            await signing.sign_out(request, one)(scope, receive, send)
        elif path == "/signins":
            answer = signing.list(one) if scope["method"] == "GET" else await signing.end(request, one)
            await answer(scope, receive, send)
        else:
            await self._as(one, signing, scope, receive, send)

    async def _as(self, one: SignIn, signing: Signing, scope: Scope, receive: Receive, send: Send) -> None:
        """Hands a request on in the name of who is signed in."""
        person, method = one.name, scope["method"]
        try:
            path = self._ids.path(scope["path"], method, person)
            query = self._ids.query(scope["query_string"], person)
            inner = {**scope, PERSON: person, "path": path, "raw_path": path.encode(), "query_string": query}
            if method == "POST" and own_ids.WITH_ID.fullmatch(path):
                body = await _whole(receive)
                if body is None:
                    await _refuse(413, TOO_LARGE)(scope, receive, send)
                    return
                body = self._ids.body(body, person, opens=bool(OPENS.fullmatch(path)))
                kept = [each for each in scope["headers"] if each[0] != b"content-length"]
                inner["headers"] = [*kept, (b"content-length", str(len(body)).encode())]
                receive = _replayed(body, receive)
        except own_ids.NotTheirs:
            await _refuse(404, NO_PATH)(scope, receive, send)
            return
        except own_ids.TooManyWindows:
            await _refuse(429, TOO_MANY)(scope, receive, send)
            return
        if method == "POST" and own_ids.BEGINS.fullmatch(path):
            send = self._noting(send, person)
        await self._app(inner, receive, _while_signed_in(send, lambda: signing.holds(one)))

    def _noting(self, send: Send, person: str) -> Send:
        """Notes the event that an answer names, before its sender can ask for it."""
        body = bytearray()

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.body" and len(body) < 10_000:
                body.extend(message.get("body", b""))
                if not message.get("more_body"):
                    self._note(bytes(body), person)
            await send(message)

        return noted

    def _note(self, body: bytes, person: str) -> None:
        try:
            told = json.loads(body)
        except ValueError:
            return
        if isinstance(told, dict) and isinstance(told.get("event_id"), str):
            self._ids.begun(told["event_id"], person)


def _headers(scope: Scope) -> dict[str, str]:
    """The headers by name; one that comes twice, and may come once, says nothing that anybody could trust."""
    found: dict[str, str] = {}
    for key, value in scope["headers"]:
        name = key.decode("latin-1").lower()
        joint = "; " if name == "cookie" else ", "
        found[name] = found[name] + joint + value.decode("latin-1") if name in found else value.decode("latin-1")
    return found


def _refuse(status: int, told: str) -> Any:
    from starlette.responses import JSONResponse

    return JSONResponse({"detail": told}, status)


def _dressing(send: Send) -> Send:
    async def dressed_up(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": dressed(list(message.get("headers", ())))}
        await send(message)

    return dressed_up


def _while_signed_in(send: Send, holds: Callable[[], bool]) -> Send:
    """Lets an answer through as long as the sign-in holds: a stream that is open ends with it."""
    ended = False

    async def let_through(message: Message) -> None:
        nonlocal ended
        if ended:
            return
        if message["type"] == "http.response.body" and message.get("more_body") and not holds():
            ended, message = True, {"type": "http.response.body", "body": b"", "more_body": False}
        await send(message)

    return let_through


async def _whole(receive: Receive) -> bytes | None:
    """The whole body of a request; None for one that is too large."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > own_ids.LARGEST:
            return None
        if not message.get("more_body"):
            return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Gives a body that was read once more, and then whatever else comes."""
    left = [body]

    async def again() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return again
