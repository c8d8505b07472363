"""The gate by itself: names, origins, paths and ids, with an app behind it that tells what reached it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from chatmem.app.web.gate.gate import Gate
from chatmem.app.web.gate.origin import Address, Hosts, foreign
from chatmem.app.web.gate.own_ids import WINDOWS, NotTheirs, OwnIds, TooManyWindows

HOST = "127.0.0.1:7860"


class Behind:
    """What reached the app behind the gate."""

    def __init__(self, answer: bytes = b"{}") -> None:
        self.seen: list[dict[str, Any]] = []
        self._answer = answer

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.seen.append(dict(scope))
        headers = [(b"access-control-allow-origin", b"https://evil.example"), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self._answer})


def ask(
    path: str, method: str = "GET", *, address: Address | None = None, scheme: str = "http", **headers: str
) -> tuple[int, dict[str, str], Behind]:
    """Status and headers of the answer, and the app behind."""
    behind, told = Behind(), list[Any]()
    sent = {"host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "scheme": scheme,
             "headers": [(name.encode(), value.encode()) for name, value in sent.items()]}  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        told.append(message)

    asyncio.run(Gate(behind, Hosts(address or Address()), None)(scope, receive, send))
    return told[0]["status"], {name.decode(): value.decode() for name, value in told[0]["headers"]}, behind


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/token",
        "/gradio_api/user",
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/proxy=http://evil.example",
        "/gradio_api/file=http://evil.example/x",
        "/monitoring",
        "/gradio_api/dev/reload",
        "/gradio_api/vibe-code",
        "/gradio_api/run-history/buckets",
        "/gradio_api/deep_link",
        "/gradio_api/queue/join",
        "/docs",
        "/openapi.json",
        "/login",
        "/signins",
        "/gradio_api/token/",
        "//gradio_api/token",
        "/gradio_api/info\n",
        "/mcp/",
    ],
)
def test_there_is_no_route_but_those_that_the_page_needs(path: str) -> None:
    status, _, behind = ask(path)
    assert status == 404 and not behind.seen


@pytest.mark.parametrize(
    "path", ["/", "/config", "/gradio_api/info", "/assets/index.js", "/gradio_api/queue/data", "/mcp"]
)
def test_the_page_itself_and_programs_come_in(path: str) -> None:
    assert ask(path)[0] == 200
    assert ask(path, sec_fetch_site="same-origin")[0] == 200
    assert ask(path, origin=f"http://{HOST}", sec_fetch_site="same-origin")[0] == 200
    assert ask(path, sec_fetch_site="none")[0] == 200


@pytest.mark.parametrize(
    "method, path",
    [
        ("GET", "/config"),
        ("GET", "/gradio_api/queue/data"),
        ("OPTIONS", "/config"),
        ("POST", "/gradio_api/queue/join"),
        ("POST", "/mcp"),
        ("GET", "/mcp"),
    ],
)
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:7861"},
        {"origin": "http://localhost:7860"},
        {"origin": "http://127.0.0.1"},
        {"origin": "ftp://127.0.0.1:7860"},
        {"origin": f"http://{HOST} http://{HOST}"},
        {"origin": f"http://{HOST}.evil.example"},
        {"origin": f"http://a@{HOST}"},
        {"origin": ""},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "new-word"},
        {"origin": f"http://{HOST}", "sec_fetch_site": "same-site"},
    ],
)
def test_what_a_browser_sends_for_another_page_is_turned_away(method: str, path: str, headers: dict[str, str]) -> None:
    status, _, behind = ask(path, method, **headers)
    assert status == 403 and not behind.seen


def test_a_link_may_lead_here_but_no_frame_and_no_form() -> None:
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    assert ask("/", **link)[0] == 200
    assert ask("/", **{**link, "sec_fetch_dest": "iframe"})[0] == 403
    assert ask("/config", **link)[0] == 403
    assert ask("/gradio_api/queue/join", "POST", **link)[0] == 403


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:7860",
        "127.0.0.1.evil.example",
        "",
        "127.0.0.1:7860@evil.example",
        "localhost:7860/x",
        "192.168.1.5",
        "127.0.0.1, evil.example",
        "evil.localhost",
    ],
)
def test_a_name_that_is_not_the_servers_is_turned_away(host: str) -> None:
    status, _, behind = ask("/", host=host)
    assert status == 400 and not behind.seen


def test_a_server_for_others_answers_by_address_and_by_the_names_it_was_told() -> None:
    hosts = Hosts(Address("0.0.0.0", names=("Chat.example",)))
    assert all(
        host in hosts
        for host in ("chat.example", "chat.example:8443", "192.168.1.5:7860", "[fe80::1]:7860", "localhost")
    )
    assert all(host not in hosts for host in ("evil.example", "chat.example.evil.example", "1.2.3.4.evil.example"))


def test_a_proxy_may_take_tls_away_and_not_add_it() -> None:
    assert not foreign({"host": "chat.example", "origin": "https://chat.example"}, "http")
    assert not foreign({"host": "chat.example", "origin": "https://chat.example:443"}, "https")
    assert foreign({"host": "chat.example", "origin": "http://chat.example"}, "https")
    assert foreign({"host": "chat.example:80", "origin": "https://chat.example"}, "http")


def test_every_answer_says_who_may_frame_and_read_it() -> None:
    for path in ("/", "/nowhere"):
        _, headers, _ = ask(path, origin=f"http://{HOST}")
        policy = {name: rest.split() for name, *rest in
                  (part.strip().split(maxsplit=1) for part in headers["content-security-policy"].split(";"))
                  for rest in [rest[0] if rest else ""]}  # fmt: skip
        assert policy["default-src"] == ["'self'"] and policy["frame-ancestors"] == ["'none'"]
        assert (
            policy["base-uri"] == ["'self'"]
            and policy["form-action"] == ["'self'"]
            and policy["object-src"] == ["'none'"]
        )
        assert headers["x-frame-options"] == "DENY" and headers["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in headers if name.startswith("access-control")]


def test_a_websocket_is_closed() -> None:
    told = list[Any]()

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        told.append(message)

    behind = Behind()
    asyncio.run(
        Gate(behind, Hosts(Address()), None)({"type": "websocket", "path": "/mcp", "headers": []}, receive, send)
    )
    assert told == [{"type": "websocket.close", "code": 1008}] and not behind.seen


def test_a_window_has_another_name_for_each_person_and_an_event_is_its_own_persons() -> None:
    ids = OwnIds()
    body = json.dumps({"session_hash": "w", "data": [1]}).encode()
    of = {name: json.loads(ids.body(body, name))["session_hash"] for name in ("ana", "ben")}
    assert of["ana"] != of["ben"] and ids.query(b"session_hash=w", "ana") == f"session_hash={of['ana']}".encode()
    assert ids.path("/gradio_api/heartbeat/w", "GET", "ben") == f"/gradio_api/heartbeat/{of['ben']}"
    ids.begun("e1", "ana")
    assert ids.path("/gradio_api/call/memories/e1", "GET", "ana")
    for path in ("/gradio_api/call/memories/e1", "/gradio_api/call/v2/memories/e1", "/gradio_api/call/memories/e2"):
        with pytest.raises(NotTheirs):
            ids.path(path, "GET", "ben")
    for _ in range(WINDOWS[0]):
        ids.body(b'{"data": []}', "ben", opens=True)
    with pytest.raises(TooManyWindows):
        ids.body(b'{"data": [], "session_hash": "new"}', "ben", opens=True)
    for _ in range(3 * WINDOWS[0]):
        ids.body(b'{"data": [], "session_hash": "one"}', "ana", opens=True)
    with pytest.raises(NotTheirs):
        ids.body(b'{"event_id": "e1", "session_hash": "w", "fn_index": 1}', "ben")
