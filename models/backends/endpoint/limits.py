"""What a server may send: so long, so much, in pieces so large, and from nowhere else. Imports httpx2: import it late.

A client with these limits never follows a redirect, since that would send the prompt to another address, and asks for
no compression, since a few bytes could grow to gigabytes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx2

MAX_BODY = 8_000_000
"""Bytes of one answer: some 20,000 tokens, each with the 400 bytes that a server wraps around it."""
MAX_EVENT = 1_000_000
"""Bytes of one event of a stream, or of an answer that is no stream."""
CONNECT_SECONDS = 10.0

_late = threading.local()


class TooMuch(httpx2.ReadError):
    """More came than an answer may hold."""


class TooLate(httpx2.ReadTimeout):
    """The deadline passed while the server was still sending."""


def end_at(moment: float) -> None:
    """Requests of this thread end at this moment of `time.monotonic()`."""
    _late.moment = moment


class _Client(httpx2.Client):
    def __del__(self) -> None:
        with suppress(OSError, RuntimeError, AttributeError):  # of one that was never wholly made
            if not self.is_closed:
                self.close()


def bounded_client(silence: float) -> httpx2.Client:
    """`silence`: seconds without a byte that count as a failure."""
    return _Client(
        timeout=httpx2.Timeout(silence, connect=min(silence, CONNECT_SECONDS)),
        headers={"accept-encoding": "identity"},
        follow_redirects=False,
        event_hooks={"request": [_on_request], "response": [_on_response]},
    )


def _on_request(request: httpx2.Request) -> None:
    """No single wait goes past the deadline."""
    left = max(_late.moment - time.monotonic(), 0.01)
    waits = request.extensions.get("timeout", {})
    request.extensions["timeout"] = {name: min(wait or left, left) for name, wait in waits.items()}


def _on_response(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        response.close()
        raise TooMuch("it is compressed", request=response.request)
    response.stream = _Bounded(response.stream, response.request, _late.moment)


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: Any, request: httpx2.Request, end: float) -> None:
        self._stream, self._request, self._end = stream, request, end

    def __iter__(self) -> Iterator[bytes]:
        body = event = 0
        tail = b""
        for piece in self._stream:
            if time.monotonic() > self._end:
                raise TooLate("the deadline passed", request=self._request)
            body += len(piece)
            seen = (tail + piece).replace(b"\r", b"")
            at = seen.rfind(b"\n\n")
            event = event + len(piece) if at < 0 else len(seen) - at
            if body > MAX_BODY or event > MAX_EVENT:
                raise TooMuch("it is too long", request=self._request)
            tail = piece[-3:]
            yield piece

    def close(self) -> None:
        self._stream.close()
