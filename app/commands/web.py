"""`chatmem web`: the page in the browser; `adduser`, who may sign in there; `token`, for their other assistants."""

from __future__ import annotations

import argparse
import gc
import getpass
import signal
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ...memory.errors import InputError, StoreLocked
from ..context import Context, put, say
from ..options import add_action
from .chat import FLAGS, add_settings

if TYPE_CHECKING:
    from ...memory.store import Store
    from ..accounts import Accounts
    from ..web.house import House

SEATS = 4
RETRY_SECONDS = 1.0


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=False)
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="where to listen (127.0.0.1)")
    parser.add_argument("--port", type=int, default=7860, metavar="N", help="the port (7860); 0: any that is free")
    parser.add_argument("--name", action="append", default=[], metavar="HOST",
                        help="another name of this machine, as a proxy before the page uses it")  # fmt: skip
    parser.add_argument("--auth", type=Path, metavar="FILE", help="who may sign in, each with their own memory")
    parser.add_argument("--seats", type=int, default=SEATS, metavar="N", help=f"replies written at once ({SEATS})")
    parser.add_argument("--incognito", action="store_true", help="begin in incognito")
    add_settings(parser, (*(name for name in FLAGS if name != "color"), "reports"))
    parser.set_defaults(act=_web)
    adding = add_action(actions, "adduser", "let somebody sign in; asks for the password", _add_user)
    adding.add_argument("file", type=Path, help="the file of users, made if there is none")
    adding.add_argument("name", help="the name to sign in with, which is also the name of the memory")
    adding.add_argument("--replace", action="store_true", help="give a user who is there a new password")

    giving = add_action(actions, "token", "let another assistant use somebody's memory; prints its token", _token)
    giving.add_argument("file", type=Path, help="the file of users")
    giving.add_argument("name", help="whose memory it may use")
    giving.add_argument("--revoke", action="store_true", help="end the token that was given")


def _web(args: argparse.Namespace, context: Context) -> int:
    from ..web.server import Address, Server, check

    if find_spec("gradio") is None:
        raise InputError("chatmem web needs its extra: pip install 'chatmem[web]'")
    address = Address(args.host, args.port, tuple(args.name))
    accounts = check(address, args.auth)  # before anything is loaded
    say("Starting ...")
    server, stop = Server(_house(args, context, accounts), address), threading.Event()
    # An exception out of Ctrl+C can get lost in whatever runs just then; an event can't.
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    try:
        say(f"chatmem is at {server.url} (Ctrl+C ends it).")
        if server.tools:
            say(f"Tools for other assistants (MCP) are at {server.url}/mcp.")
        gc.freeze()  # what is loaded stays; going through it would hold up everybody for a tenth of a second
        server.wait(stop)
        say("Bye.")
    finally:
        server.close()
    return 0


def _house(args: argparse.Namespace, context: Context, accounts: Accounts | None) -> House:
    from ..loading import AgentLoader
    from ..web.house import House
    from ..web.seats import Seats

    store = _opened(context)
    warm = AgentLoader(context.settings, lambda: store)
    warm.check()
    warm.begin()  # it holds the models, and so those of all windows stay loaded
    reports = Path(context.settings.reports) if context.settings.reports else context.paths.data / "reports"
    return House(
        store, context.settings, lambda settings: AgentLoader(settings, lambda: store), Seats(max(1, args.seats)),
        accounts, reports.expanduser(), args.incognito, keep=warm,
    )  # fmt: skip


def _opened(context: Context) -> Store:
    """The memory. While another program holds it this says so, once, and waits."""
    told = False
    while True:
        try:
            return context.open_store(search=True)
        except StoreLocked as error:
            if not told:
                say(f"{error} The page opens when it is free (Ctrl+C ends the wait).")
            told = True
            time.sleep(RETRY_SECONDS)


def _add_user(args: argparse.Namespace, context: Context) -> int:
    from ..accounts import add
    from ..controller import valid_name

    name = valid_name(args.name)
    new = add(args.file, name, _password(), replace=args.replace)
    say(f"{name} may sign in now." if new else f"{name} has a new password.")
    return 0


def _token(args: argparse.Namespace, context: Context) -> int:
    from ..accounts import give_token, take_token

    if args.revoke:
        ended = take_token(args.file, args.name)
        say(f"{args.name}'s token is ended." if ended else f"{args.name} has no token.")
        return 0
    put(give_token(args.file, args.name))
    say("It is shown this once; an earlier one is ended. A client sends it as Authorization: Bearer TOKEN.")
    return 0


def _password() -> str:
    """Typed twice at a terminal, or the first line of a pipe. Raises InputError."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first, second = getpass.getpass("Password: "), getpass.getpass("Again: ")
    if first != second:
        raise InputError("The two passwords differ; nothing was changed.")
    return first
