"""The memory over the Model Context Protocol: a real client of the SDK, over stdio and over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from chatmem.memory.store.store import Store
from chatmem.memory.values import User
from chatmem.models.api import Memory
from tests.memory.lives import fresh

pytest.importorskip("mcp")

from mcp import types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from chatmem.app.assistants.mcp_server import LISTING, http_app, make_server, running
from chatmem.app.assistants.tools import Arguments, Tool, call, tools

ROOT = Path(__file__).resolve().parents[3]
FACTS = (("ana", "Ana has two cats, Nori and Kit."), ("ben", "Ben's secret plan is a boat to Malta."))
HOSTILE = (
    "'; DROP TABLE memories; --", '" OR 1=1 --', "user_id:2 OR ben", "*", "NEAR(a b)", "\x00\u202e",
    "ben's secret plan", "(" * 500, "SELECT * FROM users", "../../etc/passwd", "a" * 2000,
)  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the memories of Ana (id 1) and Ben (id 2)."""
    with Store.open(tmp_path / "data" / "chatmem.db") as store:
        for name, fact in FACTS:
            user = store.users.get(name)
            turn = store.turns.add(store.sessions.start(user.id).id, name.title(), f"I tell you: {fact}")
            store.facts.remember(user.id, name.title(), "talk", fact, turn_ids=[turn.id])
    return tmp_path


def talk(home: Path, act: Callable[[Client], Awaitable[None]], *words: str, mode: str = "auto") -> None:
    """Runs `act` with a client of a server process for Ana. `mode`: "legacy" greets as clients before 2026 do."""

    async def run() -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("CHATMEM", "OPENAI"))}
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "chatmem", "mcp", "--user", "ana", *words], cwd=ROOT,
            env={**environment, "CHATMEM_HOME": str(home)},
        )  # fmt: skip
        with anyio.fail_after(60):
            async with Client(stdio_client(parameters), mode=mode) as client:
                await act(client)

    anyio.run(run)


async def ask(client: Client, tool: str, **arguments: Any) -> Any:
    """The data of an answer that must be no error; its text must say the same."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    (text,) = result.content
    assert isinstance(text, types.TextContent)
    assert json.loads(text.text) == result.structured_content
    return result.structured_content


async def fails(client: Client, tool: str, **arguments: Any) -> str:
    """The one sentence of an answer that must be an error."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error and set(result.structured_content) == {"error"}
    sentence = result.structured_content["error"]
    assert "\n" not in sentence and "Traceback" not in sentence and sentence
    return str(sentence)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_assistant_searches_remembers_asks_why_and_forgets(home: Path, mode: str) -> None:
    async def act(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == ["search", "remember", "forget", "why"]
        for tool in listed:
            assert tool.description and tool.input_schema["additionalProperties"] is False
            assert all(schema["description"] for schema in tool.input_schema["properties"].values())
        assert [tool.annotations.destructive_hint for tool in listed if tool.annotations] == [False, False, True, False]
        (cats,) = [item["memory"] for item in (await ask(client, "search", query="Which cats are there?"))["items"]
                   if item["memory"]]  # fmt: skip
        assert cats["fact"] == "Ana has two cats, Nori and Kit."
        told = await ask(client, "remember", fact="Ana plays the oboe.", topic="music", date="2026-05-08")
        assert (told["memory"]["happened_on"], told["known_before"]) == ("2026-05-08", False)
        again = await ask(client, "remember", fact="ana plays the OBOE", subject=told["memory"]["subject"])
        assert again["known_before"] and again["memory"]["id"] == told["memory"]["id"]
        why = await ask(client, "why", id=cats["id"])
        assert [line["text"] for line in why["lines"]] == ["I tell you: Ana has two cats, Nori and Kit."]
        oboe = await ask(client, "why", id=told["memory"]["id"])
        assert [step["by"] for step in oboe["history"]] == ["tool:mcp"]
        (one,) = (await client.list_resources()).resources
        assert str(one.uri) == LISTING
        (content,) = (await client.read_resource(LISTING)).contents
        assert isinstance(content, types.TextResourceContents)
        assert [row["fact"] for row in json.loads(content.text)] == ["Ana plays the oboe.", cats["fact"]]
        shown = await ask(client, "forget", ids=[told["memory"]["id"]])
        assert not shown["forgotten"] and shown["would_remove"]["memories"][0]["fact"] == "Ana plays the oboe."
        blind = await ask(client, "forget", ids=[told["memory"]["id"]], confirm=True)
        assert blind["forgotten"] is False and blind["plan"] == shown["plan"]  # nobody can have seen what would go
        gone = await ask(client, "forget", ids=[told["memory"]["id"]], confirm=True, plan=shown["plan"])
        assert [row["fact"] for row in gone["removed"]] == ["Ana plays the oboe."]
        assert gone["proven_gone"] is True
        assert "no memory" in await fails(client, "why", id=told["memory"]["id"])

    talk(home, act, mode=mode)
    assert b"oboe" not in (home / "data" / "chatmem.db").read_bytes()


def test_plain_words_are_taken_and_all_that_would_go_is_shown(home: Path) -> None:
    async def act(client: Client) -> None:
        for words in ("my cats", "that I have two cats", "forget me not", "the submarine"):
            shown = await ask(client, "forget", words=words)
            assert shown["forgotten"] is False
            facts = [row["fact"] for row in shown["would_remove"]["memories"]]
            assert facts == (["Ana has two cats, Nori and Kit."] if "cats" in words else []), words
        assert "nothing to forget" in shown["next"] and "question" not in shown
        shown = await ask(client, "forget", words="my cats")
        assert {"memories", "other_memories", "insights", "earlier", "lines", "titles", "typed_lines", "exports",
                "stays", "lines_stay"} == set(shown["would_remove"])  # fmt: skip
        assert "I tell you: Ana has two cats, Nori and Kit." in shown["question"]
        assert "Erase this for good?" in shown["question"]
        assert "everything" in await fails(client, "forget", words="everything")
        for arguments in ({}, {"words": ""}, {"words": "my cats", "ids": [1]}):
            await fails(client, "forget", **arguments)
        blind = await ask(client, "forget", words="my cats", confirm=True)
        assert blind["forgotten"] is False  # nobody can have seen what would go
        gone = await ask(client, "forget", words="my cats", confirm=True, plan=shown["plan"])
        assert [row["fact"] for row in gone["removed"]] == ["Ana has two cats, Nori and Kit."]
        assert gone["proven_gone"] is True

    talk(home, act)
    assert b"Nori" not in (home / "data" / "chatmem.db").read_bytes()


def test_what_was_not_shown_is_not_erased(home: Path) -> None:
    async def act(client: Client) -> None:
        seen = await ask(client, "forget", words="my cats")
        told = await ask(client, "remember", fact="Ana's cats have a chip.", topic="pets")
        again = await ask(client, "forget", words="my cats", confirm=True, plan=seen["plan"])
        assert again["forgotten"] is False
        assert "not what was shown" in again["next"]
        assert told["memory"]["id"] in [row["id"] for row in again["would_remove"]["memories"]]
        gone = await ask(client, "forget", words="my cats", confirm=True, plan=again["plan"])
        assert gone["forgotten"] is True
        assert told["memory"]["id"] in [row["id"] for row in gone["removed"]]

    talk(home, act)


def test_nobody_reaches_another_s_memory(home: Path) -> None:
    async def act(client: Client) -> None:
        for query in HOSTILE:
            found = await ask(client, "search", query=query, limit=50)
            assert "Malta" not in json.dumps(found), query
        for arguments in ({"ids": [2]}, {"ids": [1, 2]}):
            assert "no memory 2" in await fails(client, "forget", **arguments)
        assert "no memory 2" in await fails(client, "why", id=2)
        for name, arguments in (
            ("search", {"query": "Malta", "user": "ben"}), ("search", {"query": 3}), ("search", {}),
            ("search", {"query": ""}), ("search", {"query": "x" * 2001}), ("search", {"query": "x", "limit": 0}),
            ("search", {"query": "x", "limit": True}),
            ("forget", {"ids": []}), ("forget", {"ids": ["1"]}), ("forget", {"ids": [-1]}), ("why", {"id": 2**70}),
            ("remember", {"fact": " "}), ("remember", {"fact": "x", "date": "the day of the geese"}), ("drop", {}),
        ):  # fmt: skip
            sentence = await fails(client, name, **arguments)
            assert "Malta" not in sentence and "went wrong" not in sentence
        with pytest.raises(MCPError, match="no resource"):
            await client.read_resource("file:///etc/passwd")
        assert (await ask(client, "search", query="cats"))["items"], "after all that it still answers"

    with Store.open(home / "data" / "chatmem.db") as store:
        before = [(memory.fact, memory.user_id) for user in store.users.all() for memory in store.facts.all(user.id)]
    talk(home, act)
    with Store.open(home / "data" / "chatmem.db") as store:
        after = [(memory.fact, memory.user_id) for user in store.users.all() for memory in store.facts.all(user.id)]
        assert after == before
        assert [user.name for user in store.users.all()] == ["ana", "ben"]


def test_read_only_offers_no_tool_that_writes_and_changes_no_byte(home: Path) -> None:
    before = (home / "data" / "chatmem.db").read_bytes()

    async def act(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["search", "why"]
        assert "no tool 'remember'" in await fails(client, "remember", fact="Ana sails.")
        assert (await ask(client, "search", query="cats"))["items"]

    talk(home, act, "--read-only")
    assert (home / "data" / "chatmem.db").read_bytes() == before


def test_what_another_package_s_tool_writes_is_an_assistant_s_and_read_only_leaves_it_out(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def note(memory: Memory, given: Arguments) -> dict[str, Any]:
        entry = memory.remember("Ana rows.")
        memory.end(memory.edit(entry.memory_id or 0, "Ana sails.").memory_id or 0)
        memory.undo()
        return {}

    told = Tool("note", "Note", "Notes.", {}, (), note)
    monkeypatch.setattr("chatmem.memory.plugins.load_all", lambda group: {"note": told})
    assert "note" in tools() and list(tools(read_only=True)) == ["search", "why"]
    with Store.open(home / "data" / "chatmem.db") as store:
        before = len(store.journal.entries(1))

        async def run() -> None:
            async with Client(make_server(lambda: store, lambda opened: opened.users.by_id(1))) as client:
                await ask(client, "note")

        anyio.run(run)
        written = store.journal.entries(1)[before:]
        assert [entry.kind for entry in written] == ["insert", "update", "delete", "undo"]
        assert {entry.author.actor for entry in written} == {"tool:mcp"}


def test_each_line_that_is_no_message_gets_an_answer(home: Path) -> None:
    def call(number: int, query: str) -> str:
        told = {"name": "search", "arguments": {"query": query}}
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": told})

    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "no json", "", "[]", "[NaN", "[" * 20_000, '{"jsonrpc": "2.0", "id": 7, "method": 5}',
        call(8, "cats \ud83d half"), call(9, "cats"),
    ]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "chatmem", "mcp", "--user", "ana"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, cwd=ROOT, env={**os.environ, "CHATMEM_HOME": str(home)},
    ) as server:  # fmt: skip
        assert server.stdin and server.stdout
        server.stdin.write("\n".join(lines) + "\n")
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(8)]
        server.stdin.close()
    codes = {one["error"]["code"]: one["id"] for one in answers if "error" in one}
    assert [one["id"] for one in answers if "error" in one].count(None) == 4
    assert codes == {-32700: None, -32600: 7}
    found = {one["id"]: one["result"]["structuredContent"] for one in answers if one["id"] in (8, 9)}
    assert "two cats" in json.dumps(found[8]) and "two cats" in json.dumps(found[9])


def test_the_same_tools_over_http_for_whoever_is_asked_for(home: Path) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client
    from starlette.applications import Starlette
    from starlette.routing import Mount

    with Store.open(home / "data" / "chatmem.db") as store:
        person = ["ana"]

        def who(opened: Store) -> User:
            return opened.users.get(person[0])

        server = make_server(lambda: store, who)
        app = Starlette(routes=[Mount("/", http_app(server))], lifespan=lambda app: running(server))

        @asynccontextmanager
        async def client(host: str) -> AsyncIterator[Client]:
            transport = httpx2.ASGITransport(app)
            async with (
                httpx2.AsyncClient(transport=transport, base_url=f"http://{host}") as http,
                Client(streamable_http_client(f"http://{host}/mcp", http_client=http)) as found,
            ):
                yield found

        async def run() -> None:
            with anyio.fail_after(60):
                async with app.router.lifespan_context(app):
                    async with client("127.0.0.1:8000") as one:
                        assert "cats" in json.dumps(await ask(one, "search", query="Which cats?"))
                        person[0] = "ben"
                        assert "Malta" in json.dumps(await ask(one, "search", query="boat"))
                        assert "no memory 1" in await fails(one, "why", id=1)
                    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as http:
                        strange = await http.post("http://evil.example/mcp", json={})
                        assert strange.status_code == 421
                        for origin in ("http://127.0.0.1:8001", "http://localhost:8000", "http://evil.example", "null"):
                            other = await http.post("http://127.0.0.1:8000/mcp", json={}, headers={"origin": origin})
                            assert other.status_code == 403, origin

        anyio.run(run)


def test_of_a_fact_no_part_goes_that_was_shown_to_stay() -> None:
    fact, all_of_it = (
        "Dorothy lives at 3 Mill Street, her telephone number is 01743 355201.",
        "everything about Dorothy",
    )
    with fresh() as store:
        user = store.users.get("ana")
        turn = store.turns.add(store.sessions.start(user.id).id, "Ana", fact)
        store.facts.remember(user.id, "Ana", "people", fact, turn_ids=[turn.id])
        memory, tool = Memory.over(store, user), tools()["forget"]
        seen = call(tool, memory, {"words": f"{all_of_it} except where she lives"})
        assert not call(tool, memory, {"words": all_of_it, "confirm": True, "plan": seen["plan"]})["forgotten"]
