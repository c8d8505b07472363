"""The memory as a server of the Model Context Protocol: the tools of `tools.py` for any assistant that speaks it.

Over stdio one process serves one person (`chatmem mcp`). Over HTTP the same tools can be mounted in another web app:

    server = make_server(open_store, who)
    app = Starlette(routes=[Mount("/", http_app(server))], lifespan=lambda app: running(server))

The endpoint is then `/mcp`. `who` is asked at each call whose memory is meant, so an app with accounts can answer from
a context variable that its login sets (`web/assistants.py` does); `http_app` itself asks for no password.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from ... import __version__
from ...memory.database.disk_full import says_full
from ...memory.errors import ChatmemError
from ..web.gate.origin import foreign
from .tools import AUTHOR, Tool, call, listing, tools

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.lowlevel import Server
    from starlette.applications import Starlette

    from ...memory.store.store import Store
    from ...memory.values import User
    from ...models.api import Memory

log = logging.getLogger(__name__)
LOCAL = ("127.0.0.1", "localhost", "::1")
LISTING = "chatmem://memory"
"""The address of the resource that lists the memory."""
INSTRUCTIONS = (
    "The long-term memory of the person you talk with. Search it before you answer what they may have told before; "
    "remember lasting facts they tell. Forget only what they ask you to, after showing them what it is."
)
Who = Callable[["Store"], "User"]


def make_server(open_store: Callable[[], Store], who: Who, *, read_only: bool = False) -> Server[Any]:
    """A server over a store. With `read_only` it has no tool that changes anything."""
    from mcp import types
    from mcp.server.lowlevel import Server

    offered = tools(read_only=read_only)

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in offered.values()])

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await _off_loop(lambda: _called(offered, open_store, who, params))

    async def list_resources(_context: Any, _params: Any) -> types.ListResourcesResult:
        about = "The current memories, newest first, as JSON."
        one = types.Resource(uri=LISTING, name="memory", description=about, mime_type="application/json")
        return types.ListResourcesResult(resources=[one])

    async def read_resource(_context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await _off_loop(lambda: _read(open_store, who, str(params.uri)))

    return Server(
        "chatmem", version=__version__, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool,
        on_list_resources=list_resources, on_read_resource=read_resource,
    )  # fmt: skip


def http_app(server: Server[Any], *, path: str = "/mcp", hosts: Sequence[str] | None = LOCAL) -> Starlette:
    """The same tools as a streamable-HTTP app with its endpoint at `path`, to be mounted in another ASGI app.

    Answers only requests addressed to one of `hosts`, and from no other site's page, against pages that rebind names
    (None: to any, for an app that asks for a password first). A mounted app's own lifespan does not run: the outer app
    enters `running(server)` in its own.
    """
    app: Starlette = server.streamable_http_app(
        streamable_http_path=path, transport_security=_security(hosts), stateless_http=True, json_response=True
    )
    if hosts is not None:
        app.add_middleware(OwnOrigin)
    return app


class OwnOrigin:
    """ASGI middleware: a page of another site, and of another port of this machine, gets nothing."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        from starlette.responses import JSONResponse

        if scope["type"] == "http":
            headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
            if foreign(headers, scope["scheme"]):
                await JSONResponse({"error": "Another site's page asked for this."}, 403)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _security(hosts: Sequence[str] | None) -> Any:
    from mcp.server.transport_security import TransportSecuritySettings

    if hosts is None:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = [f"[{host}]" if ":" in host else host for host in hosts]
    allowed = [name + port for name in names for port in ("", ":*")]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in allowed]
    return TransportSecuritySettings(allowed_hosts=allowed, allowed_origins=origins)


def running(server: Server[Any]) -> AbstractAsyncContextManager[None]:
    """What must be entered while a mounted `http_app(server)` serves; only after `http_app` was called, and once."""
    entered: AbstractAsyncContextManager[None] = server.session_manager.run()
    return entered


async def _off_loop(work: Callable[[], Any]) -> Any:
    """The store waits for disks and other processes; the loop must not."""
    import anyio.to_thread

    return await anyio.to_thread.run_sync(work)


def _described(tool: Tool) -> types.Tool:
    from mcp import types

    hints = types.ToolAnnotations(
        title=tool.title, read_only_hint=not tool.writes, destructive_hint=tool.erases, idempotent_hint=True,
        open_world_hint=False,
    )  # fmt: skip
    return types.Tool(
        name=tool.name, title=tool.title, description=tool.description, input_schema=tool.schema, annotations=hints
    )


def _memory(open_store: Callable[[], Store], who: Who) -> Memory:
    from ...models.api import Memory

    store = open_store()
    return Memory.over(store, who(store), author=AUTHOR)


def _called(
    offered: dict[str, Tool], open_store: Callable[[], Store], who: Who, params: types.CallToolRequestParams
) -> types.CallToolResult:
    """The answer as text and as data; what goes wrong is an answer too, so that the assistant can mend its call."""
    tool = offered.get(params.name)
    if tool is None:
        return _failed(f"There is no tool {params.name[:40]!r} here; there are {', '.join(offered)}.")
    try:
        return _answer(call(tool, _memory(open_store, who), params.arguments or {}))
    except ChatmemError as error:
        return _failed(str(error))
    except Exception as error:
        if says_full(error):
            return _failed("The disk is full; free some space and try again.")
        log.exception("the tool %s failed", tool.name)
        return _failed(f"Something went wrong inside chatmem ({type(error).__name__}); its log has the details.")


def _answer(data: dict[str, Any], *, error: bool = False) -> types.CallToolResult:
    from mcp import types

    text = types.TextContent(type="text", text=json.dumps(data, ensure_ascii=False))
    return types.CallToolResult(content=[text], structured_content=data, is_error=error)


def _failed(sentence: str) -> types.CallToolResult:
    return _answer({"error": sentence}, error=True)


def _read(open_store: Callable[[], Store], who: Who, uri: str) -> types.ReadResourceResult:
    from mcp import types
    from mcp.shared.exceptions import MCPError

    if uri != LISTING:
        raise MCPError(types.INVALID_PARAMS, f"There is no resource {uri[:80]!r} here; there is {LISTING}.")
    try:
        rows = listing(_memory(open_store, who))
    except ChatmemError as error:
        raise MCPError(types.INTERNAL_ERROR, str(error)) from error
    text = json.dumps(rows, ensure_ascii=False, indent=1)
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=LISTING, mime_type="application/json", text=text)]
    )
