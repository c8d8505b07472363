"""An endpoint's /embeddings: what it sends is checked, and whatever it does is one sentence before the deadline."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from chatmem.memory.errors import EndpointError, ModelError
from chatmem.memory.store.store import Store
from chatmem.models.embedder.choose import choose
from chatmem.models.embedder.encoder import ASKED, SAMPLES
from chatmem.models.embedder.endpoint import FIRST, EmbeddingEndpoint, EndpointSource
from tests.models.backends.endpoint.faults import FAULTS, HEAVY, Server

KEY = "sk-secretsecret123456"
SPARE = 30.0
Answer = Callable[[list[str]], Any]


def row(text: str, dimensions: int = 16) -> list[float]:
    return np.random.default_rng(sum(text.encode())).normal(size=dimensions).round(4).tolist()


def data(texts: list[str], dimensions: int = 16) -> list[dict[str, Any]]:
    return [{"object": "embedding", "index": n, "embedding": row(text, dimensions)} for n, text in enumerate(texts)]


class Embeddings:
    """Answers with `answer(texts)`: data or a status. `seen`: the requests, `paths`: their addresses."""

    def __init__(self) -> None:
        self.answer: Answer = data
        self.seen: list[list[str]] = []
        self.paths: set[str] = set()
        self.url = ""


@contextmanager
def serving() -> Iterator[Embeddings]:
    told = Embeddings()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            told.seen.append(body["input"])
            told.paths.add(self.path)
            found = told.answer(body["input"])
            status = found if isinstance(found, int) else 200
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            reply = {"error": {"message": "no such input"}} if isinstance(found, int) else {
                "object": "list", "model": body["model"], "usage": usage, "data": found}  # fmt: skip
            text = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that was killed
    told.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="module")
def running() -> Iterator[Embeddings]:
    with serving() as told:
        yield told


@pytest.fixture
def server(running: Embeddings, monkeypatch: pytest.MonkeyPatch) -> Embeddings:
    running.answer, running.seen = data, []
    monkeypatch.setenv("OPENAI_BASE_URL", running.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return running


def source(server: Embeddings, **more: Any) -> EndpointSource:
    return EndpointSource("m", **{"base_url": server.url, "api_key": KEY, "seconds": 20.0, "backoff": 0.01, **more})


def test_vectors_come_in_the_order_of_the_texts_in_few_requests(server: Embeddings) -> None:
    texts = [f"text {number}" for number in range(100)]
    server.answer = lambda some: data(some)[::-1]
    found = source(server).raw(texts)
    assert np.allclose(found, [row(text) for text in texts], atol=1e-5)
    assert [len(some) for some in server.seen] == [FIRST, 64, 28] and server.paths == {"/v1/embeddings"}


def test_it_is_an_embedder_named_by_model_host_and_size(server: Embeddings) -> None:
    encoder = choose("openai:multilingual-e5-small")
    host = server.url.removeprefix("http://").removesuffix("/v1")
    assert encoder.name.startswith(f"openai:multilingual-e5-small@{host}/16/") and encoder.dimensions == 16
    encoder.embed_questions(["Where are my cats?"])
    assert server.seen[-1] == ["query: Where are my cats?"]
    assert [one for some in server.seen[:-1] for one in some if one.startswith("passage: ")] == [
        f"passage: {one}" for one in SAMPLES
    ] and f"query: {ASKED[0]}" in [one for some in server.seen for one in some]


@pytest.mark.parametrize("answer, says", [
    (lambda texts: data(texts)[1:], "for 16 texts|for 8 texts"),
    (lambda texts: [*data(texts), *data(["more"])], "for 8 texts"),
    (lambda texts: [], "."),
    (lambda texts: [{**one, "index": 0} for one in data(texts)], "order is not told"),
    (lambda texts: [{**one, "embedding": row("x", 4 + n)} for n, one in enumerate(data(texts))], "different sizes"),
    (lambda texts: [{**one, "embedding": []} for one in data(texts)], "."),
    (lambda texts: [{**one, "embedding": "no vector"} for one in data(texts)], "."),
    (lambda texts: [{**one, "embedding": [[1.0, 2.0]]} for one in data(texts)], "."),
    (lambda texts: [{**one, "embedding": [None] * 16} for one in data(texts)], "."),
    (lambda texts: [{**one, "embedding": {"a": 1}} for one in data(texts)], "."),
    (lambda texts: [1, 2, 3], "."),
    (lambda texts: "words", "."),
    (lambda texts: 404, "knows no model 'm'"),
    (lambda texts: 401, "refuses the key"),
])  # fmt: skip
def test_a_wrong_answer_is_one_sentence(server: Embeddings, answer: Answer, says: str) -> None:
    server.answer = answer
    with pytest.raises(ModelError, match=says) as caught:
        source(server).raw(list(SAMPLES))
    told = str(caught.value)
    assert told.endswith((".", "?")) and "\n" not in told and len(told) < 500 and KEY not in told


def test_what_passes_is_tried_again_and_a_refused_text_alone_has_no_vector(server: Embeddings) -> None:
    tries = iter([503, 429])
    server.answer = lambda texts: next(tries, None) or data(texts)
    assert source(server).raw(["a"]).shape == (1, 16)
    server.answer = lambda texts: 400 if "poison" in texts else data(texts)
    found = source(server).raw([*SAMPLES[:5], "poison", *SAMPLES[5:]])
    assert [bool(one.any()) for one in found] == [True] * 5 + [False] + [True] * 11
    server.answer = lambda texts: 400
    with pytest.raises(EndpointError, match="refuses the request"):
        source(server).raw(["a"])


@pytest.mark.parametrize("name", sorted(set(FAULTS) - set(HEAVY) - {"one byte at a time"}))
def test_each_fault_ends_in_a_sentence_before_the_deadline(name: str, faulty: Server) -> None:
    faulty.fault = FAULTS[name]
    endpoint = EmbeddingEndpoint("m", api_key=KEY, base_url=faulty.url, deadline=0.3, retries=1, backoff=0.01)
    began = time.monotonic()
    with pytest.raises(EndpointError) as caught:
        endpoint.vectors(["My PIN is 4711."])
    assert time.monotonic() - began < 0.3 + SPARE
    told = str(caught.value)
    assert told.endswith((".", "?")) and told.isprintable() and len(told) < 500
    assert KEY not in told and "4711" not in told


@pytest.fixture(scope="module")
def faulty() -> Iterator[Server]:
    with Server() as started:
        yield started


def test_search_goes_on_by_words_and_says_why(server: Embeddings, tmp_path: Path) -> None:
    with Store.open(tmp_path / "m.db", embedder=choose("openai:m", seconds=5.0)) as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)
        for text in ("I have a parrot.", "The train left.", "My car is blue."):
            store.turns.add(session.id, "Ana", text)
        assert store.search(user.id, "which parrot?").items and store.search.trouble == ""
        server.answer = lambda texts: 500
        store.embedder = choose("openai:m", seconds=0.5)
        asked = len(server.seen)
        for _ in range(3):
            assert store.search(user.id, "parrot").items[0].turns[0].text == "I have a parrot."
            assert "failed (500" in store.search.trouble and KEY not in store.search.trouble
        assert len(server.seen) - asked <= 2  # and doesn't wait for it each time


def test_another_size_behind_the_same_name_is_another_encoder(server: Embeddings, tmp_path: Path) -> None:
    with Store.open(tmp_path / "m.db", embedder=choose("openai:m")) as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)
        for text in ("I have a parrot.", "The train left.", "My car is blue."):
            store.turns.add(session.id, "Ana", text)
        assert store.reembedding.run() == 0
        server.answer = lambda texts: data(texts, 24)  # the server's model was changed while the chat runs
        assert store.search(user.id, "parrot").items[0].turns[0].text == "I have a parrot."
        assert "vectors of 24 numbers, and of 16 before" in store.search.trouble
        store.embedder = choose("openai:m")
        assert store.reembedding.waiting() == 3 and store.reembedding.run() == 0
        assert sorted(int(name.split("/")[1]) for name, _, _ in store.vectors.kept()) == [16, 24]
        assert store.search(user.id, "parrot").items and store.search.trouble == ""


def test_another_model_of_the_same_size_and_name_is_noticed(server: Embeddings, tmp_path: Path) -> None:
    with Store.open(tmp_path / "m.db", embedder=choose("openai:m")) as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)
        for text in ("I have a parrot.", "The train left.", "My car is blue."):
            store.turns.add(session.id, "Ana", text)
        assert store.reembedding.run() == 0
    server.answer = lambda texts: data([text[::-1] + "!" for text in texts])  # as any other model would
    with Store.open(tmp_path / "m.db", embedder=choose("openai:m")) as store:
        store.turns.add(session.id, "Ana", "I like tea.")
        assert store.search(user.id, "parrot").items[0].turns[0].text == "I have a parrot."
        assert "made by another model of that name; run `chatmem memory reembed --anew`" in store.search.trouble
        assert [count for _, count, _ in store.vectors.kept()] == [3]  # nothing of the new one among the old
        with pytest.raises(ModelError, match="another model"):
            store.reembedding.run()
        assert store.vectors.drop(others=False) == 3 and store.reembedding.run() == 0
        assert store.search(user.id, "parrot").items and store.search.trouble == ""
