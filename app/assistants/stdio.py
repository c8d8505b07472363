"""The tools on stdin and stdout, a message a line. The SDK drops in silence what it can't read; here it gets an answer.

Half a surrogate pair, as a text that was cut within an emoji holds, is JSON but no text: it becomes U+FFFD.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.shared.message import SessionMessage

NO_JSON = "That line is no JSON; write one message of JSON-RPC 2.0 a line."
NO_MESSAGE = "That is no message of JSON-RPC 2.0; write one with `jsonrpc`, `method` and, for an answer, `id`."


def serve_stdio(server: Server[Any]) -> None:
    """Answers on stdin and stdout until stdin ends."""
    import anyio
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        to_server, told = anyio.create_memory_object_stream[Any](0)
        async with stdio_server() as (read, write), anyio.create_task_group() as tasks:
            tasks.start_soon(_relay, read, to_server, write)
            await server.run(told, write, server.create_initialization_options())

    anyio.run(serve)


async def _relay(read: Any, to_server: Any, write: Any) -> None:
    """Hands on what can be read, and answers what can't: the SDK gives that as pydantic's ValidationError."""
    async with to_server:
        async for item in read:
            if not isinstance(item, ValueError):
                await to_server.send(item)
            elif message := mended(item):
                await to_server.send(message)
            elif not _is_empty(item):
                await write.send(answer_to(item))


def mended(error: Any) -> SessionMessage | None:
    """The message that a line is without its halves of surrogate pairs; None where it is none then, either."""
    from mcp import types
    from mcp.shared.message import SessionMessage

    fault = error.errors()[0]
    if fault["type"] != "json_invalid":
        return None
    try:
        text = json.dumps(json.loads(fault["input"]), ensure_ascii=False)
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(whole, by_name=False))
    except (ValueError, RecursionError):
        return None


def answer_to(error: Any) -> SessionMessage:
    """What is answered to a line that is no message; with its id, where it has one."""
    from mcp import types
    from mcp.shared.message import SessionMessage

    faults = error.errors()
    ids = [one["input"].get("id") for one in faults if isinstance(one["input"], dict)]
    known = next((one for one in ids if type(one) in (int, str)), None)
    no_json = faults[0]["type"] == "json_invalid"
    code, text = (types.PARSE_ERROR, NO_JSON) if no_json else (types.INVALID_REQUEST, NO_MESSAGE)
    told = types.ErrorData(code=code, message=text)
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=known, error=told))


def _is_empty(error: Any) -> bool:
    line = error.errors()[0]["input"]
    return isinstance(line, str) and not line.strip()
