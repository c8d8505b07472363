"""What a locked page answers: a form, and to its windows that they should load anew. What counts as somebody there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from typing import Any, Protocol

from ....memory.errors import ChatmemError
from ..html.rendering import render
from .headers import OF_FORM
from .signing import form_of

UNLOCK = ("POST", "/unlock")
LOCKED = "The page is locked; load it anew and open it."
JOIN = "/gradio_api/queue/join"


class Locks(Protocol):
    """What the gate asks of a lock."""

    @property
    def locked(self) -> bool: ...

    def used(self) -> None: ...

    def open(self, typed: str) -> None: ...


class LockedPage:
    """Answers in the page's place while it is locked. `ticks`: the events that windows send by themselves."""

    def __init__(self, lock: Locks, ticks: Collection[int]) -> None:
        self.lock, self._ticks = lock, frozenset(ticks)

    async def answer(self, scope: Any, receive: Any) -> Any:
        """What is answered instead; None where the page itself may."""
        from starlette.requests import Request
        from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse

        path, told, status = scope["path"], "", 200
        if (scope["method"], path) == UNLOCK:
            form = await form_of(Request(scope, receive))
            try:
                await asyncio.get_running_loop().run_in_executor(None, self.lock.open, form.get("passphrase", ""))
            except ChatmemError as error:
                told, status = str(error), 400
            else:
                return RedirectResponse("./", 303)
        elif not self.lock.locked:
            return None
        elif path != "/":
            return JSONResponse({"detail": LOCKED}, 423)
        return HTMLResponse(render("sign_in", "locked", told=told), status, dict(OF_FORM))

    def heard(self, body: bytes) -> None:
        """An event that a window sent: all but its ticks show that somebody is there."""
        try:
            told = json.loads(body)
        except ValueError:
            return
        if isinstance(told, dict) and told.get("fn_index") not in self._ticks:
            self.lock.used()
