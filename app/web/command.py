"""`chatmem web`: the page in the browser."""

from __future__ import annotations

import argparse
import gc
import signal
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ...eval.arguments import COUNT, PLACE, PORT
from ...memory.errors import InputError, StoreLocked
from ..context import Context, say
from ..line.command import FLAGS, add_settings
from . import accounts_command

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ..admin.accounts import Accounts
    from .windows.locking import PageLock
    from .windows.windows import House

SEATS = 4
RETRY_SECONDS = 1.0


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=False)
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="where to listen (127.0.0.1)")
    parser.add_argument("--port", type=PORT, default=7860, metavar="N", help="the port (7860); 0: any that is free")
    parser.add_argument("--name", action="append", default=[], metavar="HOST",
                        help="another name of this machine, as a proxy uses it; only with --auth")  # fmt: skip
    parser.add_argument("--auth", type=PLACE, metavar="FILE", help="who may sign in, each with their own memory")
    parser.add_argument("--seats", type=COUNT, default=SEATS, metavar="N", help=f"replies written at once ({SEATS})")
    parser.add_argument("--incognito", action="store_true", help="begin in incognito")
    add_settings(parser, (*(name for name in FLAGS if name != "color"), "reports"))
    parser.set_defaults(act=_web)
    accounts_command.register(actions)


def _web(args: argparse.Namespace, context: Context) -> int:
    from .gate.origin import Address
    from .server import Server, check, listen

    if find_spec("gradio") is None:
        raise InputError("chatmem web needs its extra: pip install 'chatmem[web]'")
    address = Address(args.host, args.port, tuple(args.name))
    accounts = check(address, args.auth)  # before anything is loaded
    listen(address).close()  # nor is a memory made where the port is taken
    for one, other in accounts.clashes() if accounts else ():
        say(f"Warning: {one!r} and {other!r} look alike in {args.auth}, and may share a memory; remove one of them.")
    say("Starting ...")
    house = _house(args, context, accounts)
    server, stop = Server(house, address, _lock(house, context)), threading.Event()
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
    from ..chat.models import AgentLoader
    from .windows.queue import Seats
    from .windows.windows import House

    store = _opened(context)
    warm = AgentLoader(context.settings, lambda: house.store)
    warm.check()
    reports = Path(context.settings.reports) if context.settings.reports else context.paths.data / "reports"
    house = House(
        store, context.settings, lambda settings: AgentLoader(settings, lambda: house.store), Seats(max(1, args.seats)),
        accounts, reports.expanduser(), args.incognito, keep=warm,
    )  # fmt: skip
    warm.begin()  # it holds the models, and so those of all windows stay loaded
    return house


def _lock(house: House, context: Context) -> PageLock | None:
    """What locks the page; None for a plain memory, and where several people sign in: each may be there."""
    from .windows.locking import PageLock

    lock = context.lock() if house.accounts is None else None
    return PageLock(house, lock, lambda: context.open_store(search=True)) if lock is not None else None


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
