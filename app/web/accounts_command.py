"""`chatmem web adduser`, `users` and `token`: who may sign in, where they are signed in, and their assistants."""

from __future__ import annotations

import argparse
import getpass
import sys
from typing import Any

from ...eval.arguments import PLACE
from ...memory.errors import InputError, NotFound, WrongUsage
from ..config.options import add_action
from ..config.zone import clock
from ..context import Context, confirm, put, put_json, put_table, say


def register(actions: Any) -> None:
    adding = add_action(actions, "adduser", "let somebody sign in; asks for the password", _add_user)
    adding.add_argument("file", type=PLACE, help="the file of users, made if there is none")
    adding.add_argument("name", help="the name to sign in with, which is also the name of the memory")
    adding.add_argument("--replace", action="store_true",
                        help="give a user who is there a new password; it signs them out everywhere")  # fmt: skip

    listing = add_action(actions, "users", "who may sign in, and where they are signed in", _users, json=True)
    listing.add_argument("file", type=PLACE, help="the file of users")
    listing.add_argument("name", nargs="?", help="only this user: each browser in which they are signed in")
    listing.add_argument("--sign-out", metavar="ID", help="end that sign-in of the user, or `all`")
    listing.add_argument("--remove", action="store_true", help="take the user out of the file; their memory stays")
    listing.add_argument("--yes", action="store_true", help="don't ask")

    giving = add_action(actions, "token", "let another assistant use somebody's memory; prints its token", _token)
    giving.add_argument("file", type=PLACE, help="the file of users")
    giving.add_argument("name", help="whose memory it may use")
    giving.add_argument("--revoke", action="store_true", help="end the token that was given")


def _add_user(args: argparse.Namespace, context: Context) -> int:
    from ..admin.accounts import add, taking
    from ..admin.names import neat
    from ..chat.state import valid_name

    name = valid_name(args.name) if args.replace else neat(valid_name(args.name))
    taking(args.file, name, args.replace)  # before a password is typed twice
    new = add(args.file, name, _password(), replace=args.replace)
    say(f"{name} may sign in now." if new else f"{name} has a new password, and is signed out everywhere.")
    return 0


def _users(args: argparse.Namespace, context: Context) -> int:
    from ..admin.accounts import Accounts, remove

    accounts = Accounts(args.file)
    try:
        if args.name is None:
            if args.sign_out or args.remove:
                raise WrongUsage("Say whose: chatmem web users FILE NAME --sign-out ID, or --remove.")
            return _list_users(accounts, args.json)
        if not accounts.knows(args.name):
            raise NotFound(f"{args.file} has no user {args.name!r}; `chatmem web users {args.file}` lists them.")
        if args.remove:
            confirm(f"Take {args.name} out of {args.file}?", args.yes)
            remove(args.file, args.name)
            accounts.sign_ins.end(args.name)
            say(f"{args.name} can't sign in any more, and is signed out everywhere; the memory stays.")
        elif args.sign_out:
            _sign_out(accounts, args.name, args.sign_out)
        else:
            _list_sign_ins(accounts, args.name, args.json)
    finally:
        accounts.sign_ins.close()
    return 0


def _list_users(accounts: Any, as_json: bool) -> int:
    counts: dict[str, int] = dict.fromkeys(accounts.names(), 0)
    for one in accounts.sign_ins.all():
        counts[one.name] = counts.get(one.name, 0) + 1
    if as_json:
        put_json([{"name": name, "sign_ins": count} for name, count in counts.items()])
    else:
        put_table(("name", "sign-ins"), counts.items())
    return 0


def _list_sign_ins(accounts: Any, name: str, as_json: bool) -> None:
    found = accounts.sign_ins.all(name)
    if as_json:
        wanted = ("id", "name", "began", "seen", "address", "browser")
        put_json([{field: getattr(one, field) for field in wanted} for one in found])
        return
    rows = [(one.id, clock(one.began), clock(one.seen), one.address, one.browser) for one in found]
    put_table(("id", "since", "last seen", "from", "browser"), rows)


def _sign_out(accounts: Any, name: str, which: str) -> None:
    if which != "all" and not (which.isascii() and which.isdigit() and len(which) < 19):
        raise InputError(
            f"{which!r} is no number of a sign-in; `chatmem web users FILE {name}` lists them, or say `all`."
        )
    ended = accounts.sign_ins.end(name, None if which == "all" else int(which))
    if not ended and which != "all":
        raise NotFound(f"{name} has no sign-in {which}; `chatmem web users FILE {name}` lists them.")
    say(f"Ended: {ended} of {name}'s sign-ins.")


def _token(args: argparse.Namespace, context: Context) -> int:
    from ..admin.accounts import give_token, take_token

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
