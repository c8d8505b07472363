"""`chatmem mcp`: the memory for other assistants, over the Model Context Protocol on stdin and stdout."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from ...memory.errors import InputError
from ..context import Context


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--read-only", action="store_true", help="only what reads, such as search and why; nothing can be changed"
    )
    parser.set_defaults(act=_mcp)


def _mcp(args: argparse.Namespace, context: Context) -> int:
    if find_spec("mcp") is None:
        raise InputError("chatmem mcp needs a package that is not installed: pip install 'chatmem[mcp]'.")
    from ..config.logs import log_to
    from .mcp_server import make_server
    from .stdio import serve_stdio

    log_to(context.paths)
    with context.open_store(writes=not args.read_only, search=True, read_only=args.read_only) as store:
        # Found or made now, so that a wrong name is told before an assistant starts to talk.
        user = context.require_user(store) if args.read_only else store.users.get(context.settings.user)
        serve_stdio(make_server(lambda: store, lambda opened: opened.users.by_id(user.id), read_only=args.read_only))
    return 0
