"""Signing in and out: a page that is no more than a form, a cookie, and the sign-in behind it."""

from __future__ import annotations

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

from ...admin.accounts import Accounts
from ...admin.sign_ins import MOST_DAYS, SignIn
from ..html.rendering import render
from .brake import Brake, Wait
from .headers import OF_FORM

HASHES_AT_ONCE = 2
"""Passwords that are looked at at the same time; the others wait, off the event loop."""
LARGEST_FORM = 16_384
LONGEST_NAME = 200
WRONG = "That is no name and password of this page."
WAIT = "Too many wrong passwords; try again in {} seconds."
UNREADABLE = "This is no name and password; send the fields username and password."
SECURE = "__Host-chatmem"
"""A browser takes a cookie of such a name from this very host over TLS alone, so no sibling name can set it."""


class Signing:
    """Who signs in, out and is signed in. `port` tells apart the cookies of several servers on one machine."""

    def __init__(self, accounts: Accounts, port: int, brake: Brake | None = None) -> None:
        self._accounts, self._sign_ins = accounts, accounts.sign_ins
        self._plain = f"chatmem-{port}"
        self._brake = brake or Brake()
        self._hashing = ThreadPoolExecutor(HASHES_AT_ONCE, thread_name_prefix="chatmem-sign-in")

    def who(self, headers: dict[str, str], scheme: str) -> SignIn | None:
        """Whose browser sends these headers; None: nobody's who is signed in."""
        cookies = _cookies(headers.get("cookie", ""))
        token = cookies.get(SECURE) or (cookies.get(self._plain) if scheme != "https" else None)
        return self._sign_ins.of(token) if token else None

    def holds(self, one: SignIn) -> bool:
        """Whether a sign-in has not ended since."""
        return self._sign_ins.holds(one)

    def over_tls(self, headers: dict[str, str]) -> bool:
        return SECURE in _cookies(headers.get("cookie", ""))

    async def sign_in(self, request: Any) -> Any:
        """What a name and a password are answered with."""
        from starlette.responses import JSONResponse, RedirectResponse

        form = await form_of(request)
        name, password = form.get("username", "").strip(), form.get("password", "")
        if not name or not password or len(name) > LONGEST_NAME:
            return self._refused(request, UNREADABLE, 400)
        address = request.client.host if request.client else ""
        allowed = functools.partial(self._accounts.allows, name, password)
        look = functools.partial(self._brake.look, name, address, allowed)
        try:
            if not await asyncio.get_running_loop().run_in_executor(self._hashing, look):
                return self._refused(request, WRONG, 400)
        except Wait as wait:
            return self._refused(request, WAIT.format(wait.seconds), 429, {"retry-after": str(wait.seconds)})
        token = self._sign_ins.begin(name, address, request.headers.get("user-agent", ""))
        done = RedirectResponse(_back(request), 303) if _reads_html(request) else JSONResponse({"success": True})
        secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:")
        done.set_cookie(SECURE if secure else self._plain, token, max_age=MOST_DAYS * 86_400, path="/", secure=secure,
                        httponly=True, samesite="strict")  # fmt: skip
        return done

    def sign_out(self, request: Any, one: SignIn) -> Any:
        """Ends the sign-in of this browser."""
        from starlette.responses import RedirectResponse

        self._sign_ins.end(one.name, one.id)
        done = RedirectResponse(".", 303)
        done.delete_cookie(SECURE, path="/", secure=True, httponly=True, samesite="strict")
        done.delete_cookie(self._plain, path="/", httponly=True, samesite="strict")
        return done

    def list(self, one: SignIn) -> Any:
        """Where somebody is signed in, with a button to end each."""
        from starlette.responses import HTMLResponse

        shown = render("sign_in", "list", name=one.name, found=self._sign_ins.all(one.name), here=one.id)
        return HTMLResponse(shown, 200, dict(OF_FORM))

    async def end(self, request: Any, one: SignIn) -> Any:
        """Ends the sign-in that the form names, or all others. Whoever ends their own is at the form again."""
        from starlette.responses import RedirectResponse

        named = (await form_of(request)).get("id", "")
        for each in self._sign_ins.all(one.name):
            if named == str(each.id) or (named == "others" and each.id != one.id):
                self._sign_ins.end(one.name, each.id)
        return RedirectResponse("signins" if self.holds(one) else ".", 303)

    def page(self, request: Any, told: str = "", status: int = 200, headers: dict[str, str] | None = None) -> Any:
        """The form. `told`: why the last try was not taken."""
        from starlette.responses import HTMLResponse

        shown = render("sign_in", "page", told=told, query=_query(request))
        return HTMLResponse(shown, status, OF_FORM | (headers or {}))

    def arrival(self, request: Any) -> Any:
        """For who follows a link from elsewhere: their cookie comes with the next step, which this page makes."""
        from starlette.responses import HTMLResponse

        shown = render("sign_in", "arrival", query=_query(request).replace("?", "&"))
        return HTMLResponse(shown, 200, dict(OF_FORM))

    def close(self) -> None:
        self._hashing.shutdown(wait=False, cancel_futures=True)
        self._sign_ins.close()

    def _refused(self, request: Any, told: str, status: int, headers: dict[str, str] | None = None) -> Any:
        from starlette.responses import JSONResponse

        if _reads_html(request):
            return self.page(request, told, status, headers)
        return JSONResponse({"detail": told}, status, headers)


async def form_of(request: Any) -> dict[str, str]:
    """The fields of a small form; none of one that is large or can't be read."""
    from starlette.exceptions import HTTPException

    if int(request.headers.get("content-length", "0") or 0) > LARGEST_FORM:
        return {}
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_FORM:
            return {}
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        from starlette.requests import Request

        async def again() -> dict[str, Any]:
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        try:
            async with Request(request.scope, again).form(max_files=0, max_fields=10) as form:
                return {name: value for name, value in form.items() if isinstance(value, str)}
        except HTTPException:
            return {}
    try:
        return dict(parse_qsl(body.decode(), max_num_fields=10))
    except ValueError:
        return {}


def _cookies(header: str) -> dict[str, str]:
    try:
        return {name: one.value for name, one in SimpleCookie(header).items()}
    except CookieError:
        return {}


def _reads_html(request: Any) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _query(request: Any) -> str:
    """The session that the address names, to go on there."""
    session = request.query_params.get("session", "")
    return f"?session={session}" if session.isascii() and session.isdigit() and len(session) < 19 else ""


def _back(request: Any) -> str:
    return "." + (_query(request) or "/")
