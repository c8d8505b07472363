"""A server on loopback that answers wrongly in every way that we could think of, on bare sockets."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any

Fault = Callable[[socket.socket], None]
STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n"
MEGABYTE = 1_000_000
LONG = 90.0
"""Seconds that a server would go on: who is done before has not waited for its end."""


def event(content: Any = "Hi", finish: Any = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    told = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **more}
    return b"data: " + json.dumps(told).encode() + b"\n\n"


GOOD = event("Hello") + event(" there.", "stop") + b"data: [DONE]\n\n"


def reply(status: str, body: bytes = b'{"error": {"message": "no"}}', *headers: str) -> Fault:
    head = [f"HTTP/1.1 {status}", "content-type: application/json", "connection: close", *headers]
    head.append(f"content-length: {len(body)}")
    return lambda conn: conn.sendall("\r\n".join([*head, "", ""]).encode() + body)


def stream(*pieces: bytes) -> Fault:
    return lambda conn: conn.sendall(STREAM + b"\r\n" + b"".join(pieces))


def drip(piece: bytes, *, head: bytes = STREAM + b"\r\n", pause: float = 0.05, seconds: float = LONG) -> Fault:
    """The same piece again and again, until the client is gone."""

    def fault(conn: socket.socket) -> None:
        conn.sendall(head)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            conn.sendall(piece)
            time.sleep(pause)

    return fault


def flood(piece: bytes, count: int, *, head: bytes = STREAM + b"\r\n", begin: bytes = b"") -> Fault:
    def fault(conn: socket.socket) -> None:
        conn.sendall(head + begin)
        for _ in range(count):
            conn.sendall(piece)

    return fault


def silent(conn: socket.socket) -> None:
    conn.settimeout(LONG)
    conn.recv(1)


def after(piece: bytes, then: Fault) -> Fault:
    def fault(conn: socket.socket) -> None:
        conn.sendall(piece)
        then(conn)

    return fault


def wrong(**told: Any) -> Fault:
    return stream(event("Hi", "stop", **told))


_TEXT = b"x" * 65_536
FAULTS: dict[str, Fault] = {
    "silence": silent,
    "silence after the head": after(STREAM + b"\r\n", silent),
    "silence after a word": after(STREAM + b"\r\n" + event(), silent),
    "half a status line": after(b"HTTP/1.1 20", silent),
    "keep-alives for ever": drip(b": still here\n\n"),
    "empty lines for ever": drip(b"\n"),
    "the head for ever": drip(b"x-a: b\r\n", head=b"HTTP/1.1 200 OK\r\n"),
    "one byte at a time": drip(b"x", head=STREAM + b"\r\ndata: "),
    "events without words for ever": drip(event("")),
    "closed at once": lambda conn: None,
    "closed after the head": stream(),
    "closed in an event": stream(event()[:40]),
    "closed after a word": stream(event()),
    "closed before the length": after(STREAM + b"content-length: 9999\r\n\r\n", stream(event())),
    "not HTTP": lambda conn: conn.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "a line of 600 MB": flood(_TEXT, 9_200, begin=b"data: "),
    "60 MB of words": flood(event("x" * 1_000) * 60, 1_000),
    "60 MB in one word": flood(_TEXT, 920, begin=b'data: {"choices": [{"delta": {"content": "'),
    "60 MB of keep-alives": flood(b": still here\n\n" * 5_000, 900),
    "60 MB of an error": after(b"HTTP/1.1 400 No\r\ncontent-length: 60000000\r\n\r\n", flood(_TEXT, 920, head=b"")),
    "a head of 60 MB": flood(_TEXT, 920, head=b"HTTP/1.1 200 OK\r\nx-a: "),
    "compressed, 60 MB": after(
        STREAM + b"content-encoding: gzip\r\n\r\n", flood(gzip.compress(b"\n" * 60 * MEGABYTE), 1, head=b"")
    ),
    "lists in lists": stream(b"data: " + b"[" * 200_000 + b"\n\n"),
    "no JSON": stream(b"data: {not json\n\n"),
    "no UTF-8": stream(b"data: \xff\xfe\xfa\n\n"),
    "HTML": reply("200 OK", b"<html>Please sign in</html>"),
    "JSON where a stream was asked for": reply("200 OK", b'{"choices": []}'),
    "choices are a word": wrong(choices="Hi"),
    "choices are a number": wrong(choices=7),
    "a choice is null": wrong(choices=[None]),
    "a choice is a word": wrong(choices=["Hi"]),
    "the delta is a list": wrong(choices=[{"delta": ["Hi"], "finish_reason": "stop"}]),
    "the text is a number": stream(event(42, "stop")),
    "the text is an object": stream(event({"text": "Hi"}, "stop")),
    "the event is a list": stream(b"data: [1, 2]\n\n"),
    "the event is null": stream(b"data: null\n\n"),
    "an error in the stream": stream(b'data: {"error": {"message": 7}}\n\n'),
    "a redirect to another host": reply("307 Go", b"", "location: http://127.0.0.1:9/v1/chat/completions"),
    "a redirect to itself": reply("308 Go", b"", "location: /v1/chat/completions"),
    "wait until a date without a zone": reply("429 Slow", b"{}", "retry-after: Wed, 21 Oct 2065 07:28:00"),
    "wait until a date long gone": reply("503 Busy", b"{}", "retry-after: Wed, 21 Oct 2015 07:28:00"),
    "wait for nan seconds": reply("429 Slow", b"{}", "retry-after: nan"),
    "wait for ever": reply("429 Slow", b"{}", "retry-after: inf"),
    "wait a day": reply("429 Slow", b"{}", "retry-after: 86400"),
    "wait until no date": reply("429 Slow", b"{}", "retry-after: Wed, 99 Foo 99999999999 25:61:61 +9999"),
    "an error that is a list": reply("500 Oh", b"[1, 2, 3]"),
    "an error that is a number": reply("400 No", b'{"error": {"message": 42, "code": []}}'),
    "an error with escapes": reply("400 No", b'{"error": {"message": "\\u001b]0;owned\\u0007\\u001b[2J\\nline"}}'),
    "an odd status": reply("999 Whatever", b"{}"),
}
HEAVY = [name for name in FAULTS if "MB" in name or "lists" in name]


class Server:
    """Answers each request with `fault`, or well where that is None; counts connections and keeps the last request."""

    def __init__(self) -> None:
        self.fault: Fault | None = None
        self.asked = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                conn, _ = self._socket.accept()
                threading.Thread(target=self._answer, args=(conn,), daemon=True).start()

    def _answer(self, conn: socket.socket) -> None:
        with suppress(OSError), conn:
            conn.settimeout(10)
            read = b""
            while b"\r\n\r\n" not in read:
                read += conn.recv(65_536)
            head, _, body = read.partition(b"\r\n\r\n")
            length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            while len(body) < length:
                body += conn.recv(65_536)
            self.asked += 1
            (self.fault or stream(GOOD))(conn)
            conn.shutdown(socket.SHUT_WR)
