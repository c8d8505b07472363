"""`chatmem backup`: a copy of the whole database while it is at work, and the way back."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path

from ...memory.errors import InputError
from ..context import Context, confirm, say
from .caches import megabytes


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="the backup: everything of all users, readable by you alone")
    parser.add_argument(
        "--restore", action="store_true", help="bring back what FILE holds; what is there now is kept beside it"
    )
    parser.add_argument("--yes", action="store_true", help="don't ask")
    parser.set_defaults(act=_backup)


def stamp() -> str:
    """For the names of files that are kept."""
    return datetime.now().strftime("%Y%m%d-%H%M%S")


def _backup(args: argparse.Namespace, context: Context) -> None:
    from ...memory.repair.copies import backup, restore
    from ...memory.transfer.target import landing

    path = args.file.expanduser()
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file in it.")
    with context.open_store(there=not args.restore) as store:
        here = store.db.path
        if path.exists() and path.samefile(here):
            raise InputError(f"{path} is the database itself: choose another place.")
        if args.restore:
            confirm(f"Replace everything in {here} by {path}?", args.yes)
            keep = here.with_name(f"{here.name}.before-restore-{stamp()}")
            size = restore(store, path, keep=keep)
            say(f"Restored {megabytes(size)}; what was there is in {keep}. Start open chats anew.")
            return
        target = landing(path)
        if target.exists():
            confirm(f"{path} exists; write over it?", args.yes)
        say(f"Wrote {megabytes(backup(store, target))} to {path}.")
