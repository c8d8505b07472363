"""Whatever a server does, a reply ends in one clear sentence before the deadline, in bounded memory, and the next one
is as good as if nothing had been."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chatmem.app.chat.worker import Job, StorageWorker
from chatmem.app.shown.events import Event, MemoryDelayed
from chatmem.memory.errors import EndpointError
from chatmem.memory.store.store import Store
from chatmem.memory.values import User, WriteResult
from chatmem.models.backends.endpoint.lm import OpenAILM
from chatmem.models.editor.native import ask
from chatmem.models.lm import Message, Options, complete
from tests.effort import times
from tests.models.backends.endpoint.faults import FAULTS, HEAVY, Server, event, stream

KEY = "sk-secretsecret123456"
ASK = [Message("user", "My PIN is 4711.")]
DEADLINE = 1.5
SPARE = 30.0
"""Seconds for a busy machine."""
MOST_MB = 100


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        complete(model(running, deadline=60.0), ASK, Options(max_tokens=8))  # the client is loaded once in a process
        yield running


def model(server: Server, **more: Any) -> OpenAILM:
    return OpenAILM("m", api_key=KEY, base_url=server.url, **{"deadline": DEADLINE, "backoff": 0.01, **more})


def is_a_sentence(told: str) -> bool:
    begins = told[0].isupper() or told.startswith("http")
    return begins and told.endswith(".") and told.isprintable() and len(told) < 500


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_ends_in_a_sentence_before_the_deadline(name: str, server: Server) -> None:
    lm = model(server)
    server.fault = FAULTS[name]
    began = time.monotonic()
    with pytest.raises(EndpointError) as caught:
        complete(lm, ASK, Options(max_tokens=8))
    assert time.monotonic() - began < DEADLINE + SPARE
    told = str(caught.value)
    assert is_a_sentence(told), told
    assert "secret" not in told and "4711" not in told
    server.fault = None
    lm.deadline = 30.0
    assert complete(lm, ASK, Options(max_tokens=8)) == "Hello there."
    lm.close()


@pytest.mark.parametrize("name", ["silence", "the head for ever", "60 MB of words", "a choice is null", "HTML"])
def test_the_editor_ends_in_a_sentence_too(name: str, server: Server) -> None:
    lm = model(server)
    server.fault = FAULTS[name]
    began = time.monotonic()
    with pytest.raises(EndpointError):
        ask(lm, [{"role": "user", "content": "Tidy."}])
    assert time.monotonic() - began < DEADLINE + SPARE
    lm.close()


def test_a_redirect_is_told_and_not_followed() -> None:
    with Server() as other, Server() as first:
        head = f"HTTP/1.1 307 Go\r\nlocation: {other.url}/chat/completions\r\ncontent-length: 0\r\n\r\n".encode()
        first.fault = lambda conn: conn.sendall(head)
        with pytest.raises(EndpointError, match=r"sends the request on to http://127\.0\.0\.1"):
            complete(model(first), ASK, Options(max_tokens=8))
        assert (first.asked, other.asked) == (1, 0)


def test_what_is_said_before_the_fault_is_shown(server: Server) -> None:
    server.fault = stream(event("Hel"), event("lo"))
    chunks = model(server).generate(ASK, Options(max_tokens=8))
    assert [next(chunks).text, next(chunks).text] == ["Hel", "lo"]
    with pytest.raises(EndpointError, match=r"broke off \(it has no end\)"):
        next(chunks)


def test_a_reply_ends_its_thread(server: Server) -> None:
    server.fault = FAULTS["the head for ever"]
    others = set(threading.enumerate())
    with pytest.raises(EndpointError, match="endpoint_seconds"):
        complete(model(server), ASK, Options(max_tokens=8))
    end = time.monotonic() + SPARE
    while any(thread.name == "chatmem-endpoint" for thread in set(threading.enumerate()) - others):
        assert time.monotonic() < end
        time.sleep(0.02)


class Asks:
    """A storage agent that does nothing but ask its model."""

    def __init__(self, lm: OpenAILM) -> None:
        self.lm = lm
        self.heard: list[str] = []

    @property
    def storage(self) -> Asks:
        return self

    def get(self) -> Any:
        return self

    def run(self, turns: Any, user: User) -> WriteResult:
        self.heard.append(complete(self.lm, ASK, Options(max_tokens=8)))
        return WriteResult(())


def test_storage_lives_on_and_loses_no_line(server: Server, tmp_path: Path) -> None:
    names = ["wait until a date without a zone", "silence", "closed after a word", "the text is a number", "HTML"]
    events: list[Event] = []
    agents = Asks(model(server, deadline=0.5))
    with Store.open(tmp_path / "memory.db") as store:
        user = store.users.get("ana")
        session = store.sessions.start(user.id)
        worker = StorageWorker(lambda: store, agents, events.append, 8_000)
        turns = [store.turns.add(session.id, "Ana", f"I have {n} cats.", storage="pending") for n in range(len(names))]
        for name, turn in zip(names, turns, strict=True):
            server.fault = FAULTS[name]
            worker.put(Job(user, (turn,)))
            assert worker.wait(10)
        assert [type(one) for one in events] == [MemoryDelayed] * len(names)
        assert not any("unexpected" in str(one) for one in events)
        assert {store.turns.get(turn.id).storage for turn in turns} == {"pending"}
        server.fault = None
        worker.put(Job(user, (turns[0],)))
        assert worker.wait(10) and agents.heard == ["Hello there."]
        assert worker.close(5)


_ALONE = """
import resource, sys
from chatmem.memory.errors import EndpointError
from chatmem.models.backends.endpoint.lm import OpenAILM
from chatmem.models.lm import Message, Options, complete
lm = OpenAILM("m", api_key="sk-x", base_url=sys.argv[1], deadline=60.0)
print(complete(lm, [Message("user", "x")], Options(max_tokens=8)), flush=True)
lm.deadline = 5.0
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in sys.stdin:
    try:
        complete(lm, [Message("user", "x")], Options(max_tokens=8))
    except EndpointError:
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, flush=True)
"""


def test_memory_is_bounded(server: Server) -> None:
    """By all of them together, in one process: the library takes long to load."""
    server.fault = None
    with subprocess.Popen(
        [sys.executable, "-c", _ALONE, server.url],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "OPENAI_LOG": ""},
    ) as process:  # fmt: skip
        assert process.stdin and process.stdout
        assert process.stdout.readline() == "Hello there.\n"
        for name in HEAVY[:: times(1, 3)]:
            server.fault = FAULTS[name]
            process.stdin.write("\n")
            process.stdin.flush()
            grown = int(process.stdout.readline()) // (1024 if sys.platform != "darwin" else 1024 * 1024)
            assert grown < MOST_MB, name
