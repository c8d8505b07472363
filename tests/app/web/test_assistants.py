"""The tools for other assistants on the page's server: a real client of the SDK against a server that runs."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from chatmem.app.admin.accounts import Accounts, add, give_token, take_token
from chatmem.memory.errors import NotFound
from tests.app.web.conftest import PASSWORDS, Served

pytest.importorskip("mcp")
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def folder(place: Served) -> Path:
    return place.store.db.path.parent


@pytest.fixture
def tokens(shared: Served) -> Iterator[dict[str, str]]:
    """Ana's and Ben's, with nothing remembered of either."""
    users = folder(shared) / "users.json"
    shared.forget(*PASSWORDS)
    yield {name: give_token(users, name) for name in PASSWORDS}
    for name in PASSWORDS:
        take_token(users, name)


@asynccontextmanager
async def assistant(place: Served, token: str = "", mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{place.url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


async def ask(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content


async def fails(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.structured_content["error"])


def post(place: Served, **headers: str) -> httpx2.Response:
    """One request as a program sends it that knows nothing of the protocol's sessions."""
    return httpx2.post(f"{place.url}/mcp", json=HELLO, headers={**JSON, **headers}, timeout=30)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_two_assistants_at_once_each_reach_their_own_memory_alone(
    shared: Served, tokens: dict[str, str], mode: str
) -> None:
    seen: dict[str, list[str]] = {name: [] for name in PASSWORDS}
    written: dict[str, list[int]] = {name: [] for name in PASSWORDS}

    async def act(name: str) -> None:
        async with assistant(shared, tokens[name], mode) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == {"search", "remember", "forget", "why"}
            for n in range(6):
                told = await ask(client, "remember", fact=f"{name.title()} keeps secret number {n} in a {name} box.")
                written[name].append(told["memory"]["id"])
                seen[name].append(json.dumps(await ask(client, "search", query="secret box", limit=50)))
            seen[name].append(json.dumps((await client.read_resource("chatmem://memory")).contents[0].text))
            seen[name].append(json.dumps(await ask(client, "why", id=written[name][0])))

    async def trespass(name: str, other: str) -> None:
        async with assistant(shared, tokens[name], mode) as client:
            for key in written[other]:
                assert f"no memory {key}" in await fails(client, "why", id=key)
                assert f"no memory {key}" in await fails(client, "forget", ids=[key])

    async def run() -> None:
        with anyio.fail_after(60):
            async with anyio.create_task_group() as both:
                for name in PASSWORDS:
                    both.start_soon(act, name)
            await trespass("ana", "ben")
            await trespass("ben", "ana")

    anyio.run(run)
    for name in PASSWORDS:
        other = next(each for each in PASSWORDS if each != name)
        assert f"a {name} box" in "".join(seen[name])
        assert f"a {other} box" not in "".join(seen[name])
        facts = [memory.fact for memory in shared.store.facts.all(shared.store.users.get(name).id)]
        assert facts == [f"{name.title()} keeps secret number {n} in a {name} box." for n in range(6)]


def test_without_a_good_token_nothing_is_told(shared: Served, tokens: dict[str, str]) -> None:
    bad = {"ana": tokens["ana"][:-1], "other": "chatmem_" + "x" * 43}
    for value in (None, "Basic YW5hOm5vcmkgYW5kIHdhc2FiaQ==", "Bearer", f"Bearer {tokens['ana']} {tokens['ben']}",
                  *(f"Bearer {token}" for token in bad.values())):  # fmt: skip
        answer = post(shared, **({"authorization": value} if value is not None else {}))
        assert answer.status_code == 401, value
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert "chatmem web token" in answer.json()["error"]
    assert post(shared, authorization=f"Bearer {tokens['ana']}").status_code == 200


def test_a_token_ends_with_the_next_one_with_a_new_password_and_with_the_user(
    shared: Served, tokens: dict[str, str]
) -> None:
    users = folder(shared) / "users.json"
    second = give_token(users, "ana")
    assert post(shared, authorization=f"Bearer {tokens['ana']}").status_code == 401
    assert post(shared, authorization=f"Bearer {second}").status_code == 200
    add(users, "ana", PASSWORDS["ana"], replace=True)
    assert post(shared, authorization=f"Bearer {second}").status_code == 401
    kept = json.loads(users.read_text())
    third = give_token(users, "ana")
    without = json.loads(users.read_text())
    del without["users"]["ana"]
    (folder(shared) / "new").write_text(json.dumps(without))
    os.replace(folder(shared) / "new", users)
    assert post(shared, authorization=f"Bearer {third}").status_code == 401
    users.write_text(json.dumps(kept))
    assert third not in users.read_text()
    with pytest.raises(NotFound, match="eve"):
        give_token(users, "eve")
    assert Accounts(users).of_token(tokens["ben"]) == "ben"


def test_the_local_user_needs_no_token_and_no_other_site_gets_in(local: Served) -> None:
    local.forget("me")

    async def run() -> None:
        with anyio.fail_after(60):
            async with assistant(local) as client:
                told = await ask(client, "remember", fact="Ana has two cats.")
                assert "two cats" in json.dumps(await ask(client, "search", query="cats"))
                ids = [told["memory"]["id"]]
                plan = (await ask(client, "forget", ids=ids))["plan"]
                assert (await ask(client, "forget", ids=ids, confirm=True, plan=plan))["proven_gone"]

    anyio.run(run)
    assert local.store.facts.all(local.store.users.get("me").id) == []
    assert post(local, host="evil.example").status_code == 400
    assert post(local, origin="http://evil.example").status_code == 403
    assert post(local, origin="null").status_code == 403
    assert post(local, origin=local.url).status_code == 200
    plain = httpx2.post(f"{local.url}/mcp", content=json.dumps(HELLO), headers={"content-type": "text/plain"})
    assert plain.status_code in (400, 406)  # what a page may send without being asked first


def test_one_persons_assistants_leave_the_others_their_turn(shared: Served, tokens: dict[str, str]) -> None:
    with ThreadPoolExecutor(60) as pool:
        jobs = [pool.submit(post, shared, authorization=f"Bearer {tokens['ana']}") for _ in range(60)]
        other = post(shared, authorization=f"Bearer {tokens['ben']}")
        found = {job.result().status_code for job in jobs}
    assert other.status_code == 200 and 200 in found and found <= {200, 429}
