"""chatmem beside mem0 with the same model behind one server: `peer_mem0.py --model FILE.gguf [--scripts WHICH ...]`.

Both are told the same twenty lines and asked the same twelve questions (`chatmem eval chat`; `--scripts` as there), by
way of `llama_cpp.server`, in turn, and both embed with the MiniLM that ships with chatmem. mem0 is used as it is
documented: `add` for each line, `search` for the five best memories, its answer from these.
Counted, for each: facts found in the first five results, right answers, tokens read and written (by the model's own
tokenizer, of all that was sent), seconds. Needs the extras `peers` and `web`.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import httpx

from chatmem.eval.agents.chat import run_script
from chatmem.eval.agents.talks import program
from chatmem.eval.agents.talks.moments import filled, moments
from chatmem.eval.agents.talks.script import Script, chosen_scripts, load_script, matches
from chatmem.eval.measures.intervals import wilson
from chatmem.models.embedder.minilm import load_embedder

NAME = "local"
CONTEXT = 16_384
"""Tokens: mem0's instructions alone are some 8,400."""
WAIT = 300.0
"""Seconds for the server to load its model."""
LONGEST = 1_800.0
"""Seconds for one request."""
ANSWER = """\
You are a helpful assistant. Answer the question from the user's memories; say that you don't know what they don't hold.
User memories:
{}"""


@dataclass
class Spent:
    """What was sent to the server and came back."""

    asked: list[str] = field(default_factory=list)
    replied: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One system on one script: found and right of how many, tokens and seconds."""

    system: str
    script: str
    found: int
    right: int
    asked: int
    read: int
    written: int
    seconds: float
    memories: int


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def model_server(model: Path, threads: int) -> Iterator[str]:
    """The URL of a server of this model on this machine."""
    port = free_port()
    words = ["--model", str(model), "--model_alias", NAME, "--n_ctx", str(CONTEXT), "--host", "127.0.0.1"]
    words += [
        "--interrupt_requests",
        "False",
        "--port",
        str(port),
        "--n_threads",
        str(threads),
        "--n_threads_batch",
        str(threads),
    ]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen([sys.executable, "-m", "llama_cpp.server", *words], stdout=log, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/v1/models", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    begin = time.monotonic()
    while time.monotonic() - begin < WAIT and process.poll() is None:
        try:
            httpx.get(url, timeout=2.0)
            return
        except httpx.TransportError:
            time.sleep(0.5)
    sys.exit("llama_cpp.server did not start; is the extra `server` of llama-cpp-python installed?")


@contextmanager
def counting(server: str, spent: Spent) -> Iterator[str]:
    """A door before the server that notes what goes through it; its URL."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response, StreamingResponse
    from starlette.routing import Route

    client = httpx.AsyncClient(base_url=server, timeout=LONGEST)

    async def passed(request: Request) -> Response:
        body = await request.body()
        if body:
            spent.asked.append(text_of(json.loads(body)))
        sent = client.build_request(
            request.method, request.url.path, content=body, headers={"content-type": "application/json"}
        )
        answer = await client.send(sent, stream=True)

        async def pieces() -> Any:
            whole = b""
            async for piece in answer.aiter_bytes():
                whole += piece
                yield piece
            spent.replied.append(reply_of(whole.decode("utf-8", "replace")))

        return StreamingResponse(pieces(), answer.status_code, media_type=answer.headers.get("content-type"))

    port = free_port()
    app = Starlette(routes=[Route("/{path:path}", passed, methods=["GET", "POST"])])
    door = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=door.run, daemon=True)
    thread.start()
    while not door.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/v1"
    door.should_exit = True
    thread.join(10.0)


def text_of(request: dict[str, Any]) -> str:
    return "\n".join(str(message.get("content", "")) for message in request.get("messages", ()))


def reply_of(body: str) -> str:
    """The reply's text, streamed or whole."""
    said = []
    for line in body.splitlines() if body.startswith(("data:", ":")) else [f"data: {body}"]:
        try:
            choices = json.loads(line.removeprefix("data:")).get("choices", ())
        except (json.JSONDecodeError, AttributeError):
            continue
        said += [(one.get("message") or one.get("delta") or {}).get("content") or "" for one in choices]
    return "".join(said)


def tokens(server: str, texts: Sequence[str]) -> int:
    """By the tokenizer of the model."""
    total = 0
    for text in texts:
        counted = httpx.post(f"{server}/extras/tokenize/count", json={"input": text}, timeout=60.0)
        total += int(counted.raise_for_status().json()["count"])
    return total


class MiniLM:
    """chatmem's embedder in the form in which mem0 asks for vectors."""

    def __init__(self, config: Any) -> None:
        self.config, self._embedder = config, load_embedder()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [[float(x) for x in row] for row in self._embedder.embed(list(texts))]


def memory_of(url: str, folder: Path) -> Any:
    """mem0 over this server, with all that it keeps in `folder`."""
    from mem0 import Memory

    asked = {"model": NAME, "openai_base_url": url, "api_key": "none"}
    made = Memory.from_config(
        {
            "llm": {"provider": "openai", "config": {**asked, "temperature": 0.0, "max_tokens": 1_024}},
            "embedder": {"provider": "openai", "config": {**asked, "embedding_dims": 384}},
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": str(folder / "qdrant"), "embedding_model_dims": 384, "on_disk": True},
            },
            "history_db_path": str(folder / "history.db"),
        }
    )
    made.embedding_model = MiniLM(made.embedding_model.config)
    return made


def by_mem0(script: Script, url: str) -> tuple[int, int, int]:
    """(found, right, memories): each line added, each question asked."""
    from openai import OpenAI

    client = OpenAI(base_url=url, api_key="none", timeout=LONGEST)
    found = right = 0
    with tempfile.TemporaryDirectory() as folder:
        memory = memory_of(url, Path(folder))
        for number, line in enumerate(script.lines, 1):
            memory.add([{"role": "user", "content": line}], user_id=NAME)
            print(f"mem0: {script.name}: line {number} of {len(script.lines)}", file=sys.stderr)
        for ask in script.asks:
            best = texts(memory.search(ask.find or ask.question, filters={"user_id": NAME}, top_k=5))
            found += any(matches(ask.keys, text) for text in best)
            near = texts(memory.search(ask.question, filters={"user_id": NAME}, top_k=5))
            system = ANSWER.format("\n".join(f"- {one}" for one in near))
            reply = client.chat.completions.create(
                model=NAME, temperature=0.0, max_tokens=256,
                messages=[{"role": "system", "content": system}, {"role": "user", "content": ask.question}],
            )  # fmt: skip
            right += not ask.faults(reply.choices[0].message.content or "")
        kept = len(texts(memory.get_all(filters={"user_id": NAME}, top_k=1_000)))
    return found, right, kept


def texts(given: Any) -> list[str]:
    return [str(one["memory"]) for one in given["results"]]


def by_chatmem(script: Script, url: str) -> tuple[int, int, int]:
    """The same through `chatmem chat`, in processes of its own."""
    program.TIMEOUT = LONGEST * 4  # the machine may have other work
    ran = run_script(script, options=["--model", f"openai:{NAME}@{url}"])
    return sum(bool(one.found) for one in ran.asked), sum(one.answered for one in ran.asked), len(ran.memories)


SYSTEMS = {"chatmem": by_chatmem, "mem0": by_mem0}


def measured(system: str, script: Script, server: str) -> Outcome:
    spent = Spent()
    with counting(server, spent) as url:
        begin = time.monotonic()
        found, right, kept = SYSTEMS[system](script, url)
        seconds = time.monotonic() - begin
    read, written = tokens(server, spent.asked), tokens(server, spent.replied)
    return Outcome(system, script.name, found, right, len(script.asks), read, written, seconds, kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file")
    parser.add_argument("--scripts", nargs="+", default=["first"])
    parser.add_argument("--systems", nargs="+", choices=tuple(SYSTEMS), default=list(SYSTEMS))
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    os.environ.update(MEM0_TELEMETRY="False", OPENAI_API_KEY="none")
    days = moments(date.today())
    scripts = [load_script(path).changed(lambda text: filled(text, days)) for path in chosen_scripts(args.scripts)]
    done: list[Outcome] = []
    with model_server(args.model, args.threads) as server:
        for script in scripts:
            for system in args.systems:
                done.append(measured(system, script, server))
                print(done[-1], flush=True)
    for system in args.systems:
        mine = [one for one in done if one.system == system]
        asked = sum(one.asked for one in mine)
        print(
            f"{system}: found {wilson(sum(one.found for one in mine), asked)}, "
            f"right {wilson(sum(one.right for one in mine), asked)}, tokens read {sum(one.read for one in mine):,}, "
            f"written {sum(one.written for one in mine):,}, {sum(one.seconds for one in mine):.0f} s"
        )


if __name__ == "__main__":
    main()
