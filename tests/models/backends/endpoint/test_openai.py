"""The OpenAI-compatible back end against llama-cpp-python's own server, and against one that fails in every way."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from chatmem.memory.errors import EndpointError, SettingsError
from chatmem.models import registry
from chatmem.models.backends.endpoint.errors import retry_after, scrub
from chatmem.models.backends.endpoint.lm import OpenAILM
from chatmem.models.lm import Message, Options, complete

KEY = "sk-secretsecret123456"
ASK = [Message("system", "You are kind."), Message("user", "Count from one to ten in words.")]
SHORT = Options(max_tokens=8)


class Faulty(BaseHTTPRequestHandler):
    """Answers as the class attribute `plan` says, one entry a request; the last one repeats."""

    protocol_version = "HTTP/1.1"
    plan: ClassVar[list[Any]] = []
    seen: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        step = self.plan[min(len(self.seen), len(self.plan) - 1)]
        self.seen.append(body)
        try:
            step(self)
        except OSError:  # the client has left, as some tests want
            self.close_connection = True

    def log_message(self, *args: Any) -> None:
        pass

    def fail(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        self.send(status, json.dumps({"error": {"message": message}}).encode(), headers)

    def send(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, words: list[str], end: bool = True, pause: float = 0.0) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for at, word in enumerate(words):
            finish = "stop" if end and at == len(words) - 1 else None
            choice = {"index": 0, "delta": {"content": word}, "finish_reason": finish}
            event = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
            time.sleep(pause)
        if end:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def good(handler: Faulty) -> None:
    handler.stream(["Hello", " there", "."])


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Faulty)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    Faulty.seen = []
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    yield address
    server.shutdown()
    server.server_close()
    thread.join()


def ask(**kw: Any) -> str:
    lm = OpenAILM("m", **{"backoff": 0.01, "timeout": 5.0, **kw})
    try:
        return complete(lm, ASK, SHORT)
    finally:
        lm.close()


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_passes_is_tried_again(faulty: str, status: int) -> None:
    Faulty.plan = [lambda handler: handler.fail(status, "busy"), lambda handler: handler.fail(status, "busy"), good]
    assert ask() == "Hello there."
    assert len(Faulty.seen) == 3


def test_the_server_s_wish_to_wait_is_honoured(faulty: str) -> None:
    Faulty.plan = [lambda handler: handler.fail(429, "slow down", {"retry-after": "0.4"}), good]
    began = time.perf_counter()
    assert ask() == "Hello there."
    assert time.perf_counter() - began >= 0.4
    Faulty.seen, Faulty.plan = [], [lambda handler: handler.fail(429, "come tomorrow", {"retry-after": "86400"})]
    with pytest.raises(EndpointError, match="slow down"):
        ask()
    assert len(Faulty.seen) == 1, "nobody waits a day"


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "refuses the key"), (403, "does not allow"), (404, "knows no model 'm'"), (400, "refuses the request"),
     (429, "slow down"), (500, "failed")],
)  # fmt: skip
def test_errors_are_sentences_and_the_key_is_in_no_text(
    faulty: str, status: int, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    def echo(handler: Faulty) -> None:
        handler.fail(status, f"Incorrect key {handler.headers['authorization']} ({KEY[:-3]}...) insufficient_quota")

    Faulty.plan = [echo]
    with caplog.at_level("DEBUG", logger="openai"), pytest.raises(EndpointError, match=words) as caught:
        ask()
    assert len(Faulty.seen) == 1
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value.__context__) + caplog.text
    assert "secretsecret" not in told
    assert KEY not in repr(OpenAILM("m"))


def test_a_reply_that_breaks_off_is_an_error_after_its_words(faulty: str) -> None:
    def half(handler: Faulty) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("content-length", "100000")
        handler.end_headers()
        choice = {"index": 0, "delta": {"content": "Hel"}, "finish_reason": None}
        event = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        handler.close_connection = True

    Faulty.plan = [half]
    stream = OpenAILM("m").generate(ASK, SHORT)
    assert next(stream).text == "Hel"
    with pytest.raises(EndpointError, match="broke off"):
        next(stream)
    assert len(Faulty.seen) == 1


def test_garbage_is_an_error(faulty: str) -> None:
    Faulty.plan = [lambda handler: handler.send(200, b"data: {not json\n\n", {"content-type": "text/event-stream"})]
    with pytest.raises(EndpointError, match="broke off"):
        ask()


def test_a_silent_server_times_out_and_can_be_left_at_once(faulty: str) -> None:
    release = threading.Event()
    Faulty.plan = [lambda handler: release.wait(60) and None]
    began = time.perf_counter()
    with pytest.raises(EndpointError, match="in time"):
        ask(timeout=0.3, retries=1)
    assert time.perf_counter() - began < 30
    lm = OpenAILM("m", timeout=30)
    threading.Timer(0.2, lm.cancel).start()
    began = time.perf_counter()
    assert [chunk.finish for chunk in lm.generate(ASK, SHORT)] == ["cancelled"]
    assert time.perf_counter() - began < 20
    release.set()


def test_closing_the_iterator_ends_the_reading(faulty: str) -> None:
    Faulty.plan = [lambda handler: handler.stream(["word "] * 3_000, pause=0.02)]
    others = set(threading.enumerate())
    lm = OpenAILM("m")
    stream = lm.generate(ASK, SHORT)
    assert next(stream).text == "word "
    stream.close()  # type: ignore[attr-defined]
    deadline = time.perf_counter() + 30
    while any(thread.name == "chatmem-endpoint" for thread in set(threading.enumerate()) - others):
        assert time.perf_counter() < deadline
        time.sleep(0.01)


def test_parameters_a_model_refuses_are_renamed_or_left_out(faulty: str) -> None:
    Faulty.plan = [
        lambda handler: handler.fail(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        lambda handler: handler.fail(400, "Unsupported value: 'temperature' does not support 0."),
        good,
    ]
    assert ask() == "Hello there."
    last = Faulty.seen[-1]
    assert last["max_completion_tokens"] == 8
    assert "temperature" not in last
    assert "max_tokens" not in last


def test_a_schema_is_sent_and_stops_are_kept(faulty: str) -> None:
    Faulty.plan = [good]
    lm = OpenAILM("m")
    options = Options(json_schema='{"type": "object"}', stop=("the", "1", "2", "3", "4"), grammar="root ::= [a]")
    *_, last = chunks = list(lm.generate(ASK, options))
    assert "".join(chunk.text for chunk in chunks) == "Hello "
    assert last.finish == "stop"
    assert Faulty.seen[0]["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert len(Faulty.seen[0]["stop"]) == 4


def test_a_schema_is_sent_in_another_form_or_not_at_all_where_the_server_wants_that(faulty: str) -> None:
    wrong = "1 validation error: {'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'json_object'\"}"
    Faulty.plan = [lambda handler: handler.fail(500, wrong), good]
    lm = OpenAILM("m", retries=0)
    options = Options(json_schema='{"type": "object"}')
    assert complete(lm, ASK, options) == complete(lm, ASK, options) == "Hello there."
    assert [body["response_format"]["type"] for body in Faulty.seen] == ["json_schema", "json_object", "json_object"]
    assert Faulty.seen[1]["response_format"]["schema"] == {"type": "object"}
    Faulty.seen = []
    Faulty.plan = [lambda handler: handler.fail(400, wrong), lambda handler: handler.fail(400, wrong), good]
    assert complete(OpenAILM("m", retries=0), ASK, options) == "Hello there."
    assert "response_format" not in Faulty.seen[-1]
    Faulty.seen, Faulty.plan = [], [lambda handler: handler.fail(400, wrong)]
    with pytest.raises(EndpointError, match="refuses the request"):
        complete(OpenAILM("m", retries=0), ASK, options)
    assert len(Faulty.seen) == 3


def test_what_is_not_set_or_reachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EndpointError, match="OPENAI_API_KEY"):
        OpenAILM("m")
    with pytest.raises(SettingsError, match="is no web address"):
        OpenAILM("m", base_url="localhost:80")
    with pytest.raises(EndpointError, match="characters"):
        OpenAILM("m", api_key="sk-ü")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://user:{KEY}@127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(EndpointError, match="can't be reached") as caught:
        ask(base_url=address, retries=1)
    assert "secret" not in str(caught.value)


def test_dates_and_numbers_to_wait() -> None:
    assert retry_after({"retry-after": "3"}) == 3
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None
    assert scrub("a abcdef b", "abcdef") == "a *** b"


SERVER = """
import runpy
import llama_cpp.llama_cpp as ll
made = ll.llama_model_default_params
def parameters():  # its own AMX kernels may crash: chatmem/models/backends/llama/opening.py
    found = made()
    found.use_extra_bufts = False
    return found
ll.llama_model_default_params = parameters
runpy.run_module("llama_cpp.server", run_name="__main__")
"""


@pytest.fixture(scope="module")
def server(model_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("uvicorn")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (tmp_path_factory.mktemp("server") / "log").open("w+")
    arguments = [
        "--model",
        str(model_path),
        "--port",
        str(port),
        "--n_ctx",
        "512",
        "--n_threads",
        "1",
        "--n_threads_batch",
        "1",
    ]
    command = [sys.executable, "-c", SERVER, *arguments, "--api_key", KEY]
    process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "OMP_NUM_THREADS": "1"})
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            break
        except OSError:
            time.sleep(0.1)
    if process.poll() is not None:
        log.seek(0)
        pytest.fail(log.read()[-2000:])
    yield f"http://127.0.0.1:{port}/v1"
    process.terminate()
    process.wait(10)
    log.close()


def test_a_real_server(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    lm = registry.load("openai:smollm2")
    *_, last = chunks = list(lm.generate(ASK, SHORT))
    assert "".join(chunk.text for chunk in chunks).startswith("1")
    assert last.finish == "length"
    assert last.completion_tokens == 8
    schema = '{"type": "object", "properties": {"x": {"enum": ["a", "b"]}}, "required": ["x"]}'
    assert json.loads(complete(lm, ASK, Options(max_tokens=24, json_schema=schema)))["x"] in "ab"
    assert registry.check("openai:smollm2").tokens_per_second > 0
    lm.close()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-wrong")
    with pytest.raises(EndpointError, match="refuses the key") as caught:
        ask()
    assert "sk-wrong" not in str(caught.value)
