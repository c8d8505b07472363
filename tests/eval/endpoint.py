"""A scripted OpenAI-compatible server for tests: not a model, it says what the test wrote down."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[dict[str, Any]], str | int]
"""From the request to the text of the reply, or to the status of a failure."""


class Endpoint:
    """`say` answers; `pause` seconds each. `seen` keeps the requests, `most` how many were under way at once.

    Until `together` of them have been, each waits a second for the others.
    """

    def __init__(self, say: Reply, pause: float = 0.0, together: int = 0) -> None:
        self.say, self.pause, self.together = say, pause, together
        self.seen: list[dict[str, Any]] = []
        self.most = self._now = 0
        self._lock = threading.Condition()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        with self._lock:
            self.seen.append(body)
            self._now += 1
            self.most = max(self.most, self._now)
            self._lock.notify_all()
            self._lock.wait_for(lambda: self.most >= self.together, 1.0)
        time.sleep(self.pause)
        said = self.say(body)
        with self._lock:
            self._now -= 1
        if isinstance(said, int):
            _send(handler, said, "application/json", json.dumps({"error": {"message": "gone"}}))
            return
        choice = {"index": 0, "delta": {"content": said}, "finish_reason": "stop"}
        event = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        usage = {"prompt_tokens": 11, "completion_tokens": 2, "total_tokens": 13}
        last = {**event, "choices": [], "usage": usage}
        lines = "".join(f"data: {json.dumps(one)}\n\n" for one in (event, last)) + "data: [DONE]\n\n"
        _send(handler, 200, "text/event-stream", lines)


def _send(handler: BaseHTTPRequestHandler, status: int, kind: str, text: str) -> None:
    handler.send_response(status)
    handler.send_header("content-type", kind)
    handler.send_header("content-length", str(len(text.encode())))
    handler.end_headers()
    handler.wfile.write(text.encode())


@contextmanager
def serving(endpoint: Endpoint) -> Iterator[str]:
    """The address of the server while it runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            endpoint.answer(self)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
