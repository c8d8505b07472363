"""Local fakes of the servers that people run, each with its own manner of listing models and of refusing."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]
Act = Callable[["FakeServer", dict[str, Any]], Answer | None]
"""What a server does with a chat request: a status and a body, or None: it streams its words."""


class FakeServer:
    """One server on loopback. `pages`: JSON by path; `prefix`: where the chat's begins; `key`: what it wants."""

    def __init__(self, pages: dict[str, Any], *, prefix: str = "/v1", key: str = "", act: Act | None = None) -> None:
        self.pages, self.prefix, self.key, self.act = pages, prefix, key, act
        self.words: list[Any] = ["Hello", " there."]
        self.paths: list[str] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FakeServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        return type("Handler", (_Handler,), {"fake": self})


class _Handler(BaseHTTPRequestHandler):
    fake: FakeServer

    def do_GET(self) -> None:
        self.fake.paths.append(self.path)
        found = self.fake.pages.get(self.path)
        self.answer(200 if found is not None else 404, found if found is not None else {"error": "no page"})

    def do_POST(self) -> None:
        fake, body = self.fake, json.loads(self.rfile.read(int(self.headers["content-length"])))
        fake.paths.append(self.path)
        fake.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.path != f"{fake.prefix}/chat/completions":
            self.answer(404, {"error": "404 page not found"})
            return
        if fake.key and self.headers["authorization"] != f"Bearer {fake.key}":
            self.answer(401, {"error": {"message": "Incorrect API key provided"}})
            return
        fake.asked.append(body)
        done = fake.act(fake, body) if fake.act else None
        if done is None:
            self.stream(fake.words)
        else:
            self.answer(*done)

    def answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, words: list[Any]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for word in words:
            if word is None:  # the line goes dead in the middle of a reply
                return
            delta = word if isinstance(word, dict) else {"content": word}
            self.event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def event(self, told: dict[str, Any]) -> None:
        whole = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", **told}
        self.wfile.write(b": PROCESSING\n\n" + f"data: {json.dumps(whole)}\n\n".encode())

    def log_message(self, *args: Any) -> None:
        pass


def ollama(**more: Any) -> FakeServer:
    rows = {"object": "list", "data": [{"id": "qwen3:latest", "object": "model", "owned_by": "library"}]}
    return FakeServer({"/v1/models": rows, "/api/ps": {"models": [{"name": "other", "model": "other"}]}}, **more)


def lm_studio(**more: Any) -> FakeServer:
    rows = {"data": [{"id": "qwen2.5-7b-instruct", "object": "model", "owned_by": "organization_owner"}]}
    own = {"data": [{"id": "qwen2.5-7b-instruct", "max_context_length": 32768, "loaded_context_length": 8192}]}
    return FakeServer({"/v1/models": rows, "/api/v0/models": own}, **more)


def llama_server(**more: Any) -> FakeServer:
    meta = {"n_ctx_train": 32768, "n_params": 1_543_714_304}
    rows = {"object": "list", "data": [{"id": "/models/q.gguf", "owned_by": "llamacpp", "meta": meta}]}
    return FakeServer({"/v1/models": rows, "/props": {"default_generation_settings": {"n_ctx": 12288}}}, **more)


def vllm(**more: Any) -> FakeServer:
    rows = {"data": [{"id": "Qwen/Qwen2.5-7B-Instruct", "owned_by": "vllm", "max_model_len": 16384}]}
    return FakeServer({"/v1/models": rows}, **more)


def openrouter(**more: Any) -> FakeServer:
    rows = {"data": [
        {"id": "meta-llama/llama-3.1-8b-instruct", "context_length": 131072, "supported_parameters": ["max_tokens"]},
        {"id": "openai/gpt-4o-mini", "context_length": 128000, "supported_parameters": ["structured_outputs"]},
    ]}  # fmt: skip
    return FakeServer({"/api/v1/models": rows}, prefix="/api/v1", **more)
