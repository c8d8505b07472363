"""`chatmem backup`: a copy of the whole database while it is at work, and the way back."""

from __future__ import annotations

import argparse
import os
from datetime import datetime
from pathlib import Path

from ...eval.arguments import PLACE
from ...memory.errors import InputError, NotFound
from ..context import Context, confirm, say
from .caches import megabytes


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=PLACE, help="the backup: everything of all users, readable by you alone")
    parser.add_argument(
        "--restore", action="store_true", help="bring back what FILE holds; what is there now is kept beside it"
    )
    parser.add_argument("--yes", action="store_true", help="don't ask")
    parser.set_defaults(act=_backup)


def stamp() -> str:
    """For the names of files that are kept."""
    return datetime.now().strftime("%Y%m%d-%H%M%S")


def _backup(args: argparse.Namespace, context: Context) -> None:
    from ...memory.repair.copies import backup
    from ...memory.transfer.target import landing

    path = args.file.expanduser()
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file in it.")
    here = context.database_file
    if path.exists() and here.exists() and path.samefile(here):
        raise InputError(f"{path} is the database itself: choose another place.")
    if args.restore:
        _restore(path, args.yes, context)
        return
    with context.open_store(there=True) as store:
        target = landing(path)
        if target.exists():
            confirm(f"{path} exists; write over it?", args.yes)
        say(f"Wrote {megabytes(backup(store, target))} to {path}.")


def _restore(path: Path, yes: bool, context: Context) -> None:
    from ...memory.repair import encrypting
    from ...memory.repair.copies import restore

    here = context.database_file
    if not path.is_file():
        raise NotFound(f"there is no file {path}: check the name.")
    encrypting.clear(here)
    if not here.exists() or not here.stat().st_size:
        _restore_new(path, yes, context)
        return
    with context.open_store(there=True) as store:
        if not store.users.all():
            confirm(f"Bring what {path} holds into {here}, which is empty?", yes)
            say(f"Restored {megabytes(restore(store, path, keep=None))}. Start open chats anew.")
            return
        confirm(f"Replace everything in {here} by {path}?", yes)
        keep = here.with_name(f"{here.name}.before-restore-{stamp()}")
        size = restore(store, path, keep=keep)
        say(f"Restored {megabytes(size)}; what was there is in {keep}. Start open chats anew.")


def _restore_new(path: Path, yes: bool, context: Context) -> None:
    """Where there is no database, nothing is made before the backup was looked through. That of an encrypted memory
    comes back with the key that it had."""
    from ...memory.database.key import Secret, salt_of
    from ...memory.repair.copies import looked_through, restore_new
    from ..config import unlocking

    here, salt, secret = context.database_file, salt_of(path), None
    confirm(f"There is no database at {here}: make it from {path}?", yes)
    if salt:
        opens = unlocking.to_open(path, salt, os.environ, context.flags.get("passphrase_file"))
        secret = Secret(opens.words(), salt)
    looked_through(path, secret.key(salt) if secret and salt else None)
    if secret is None:
        secret = context.secret()
    size = restore_new(here.resolve(), path, secret)
    say(f"Restored {megabytes(size)} into {here}, where there was nothing.")
