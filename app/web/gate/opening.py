"""The page's own document: its inline scripts carry the word of its policy, and it says that it opens meanwhile."""

from __future__ import annotations

import secrets
from typing import Any

from ..html.rendering import render
from .headers import policy

END_OF_HEAD = b"</head>"


class Opening:
    """ASGI middleware around the page."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._opening = render("page", "opening").encode()

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
                word = secrets.token_urlsafe(16)
                whole = bytes(body).replace(_script(""), _script(word))
                whole = whole.replace(END_OF_HEAD, self._opening, 1)
                kept = [each for each in start["headers"] if each[0].lower() != b"content-length"]
                ours = ((b"content-length", str(len(whole))), (b"content-security-policy", policy(word)))
                await send({**start, "headers": [*kept, *((name, value.encode()) for name, value in ours)]})
                await send({"type": "http.response.body", "body": whole})

        readable = [each for each in scope["headers"] if each[0].lower() != b"accept-encoding"]
        await self._app({**scope, "headers": readable}, receive, held)


def _script(word: str) -> bytes:
    return render("page", "script", word=word).encode()
