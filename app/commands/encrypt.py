"""`chatmem encrypt` and `chatmem decrypt`: the database of this person encrypted, with another key, or plain again."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...eval.arguments import PLACE_NAME
from ...memory.errors import InputError, NotFound, WrongUsage
from ..context import Context, confirm, say

if TYPE_CHECKING:
    from ...memory.database.key import Key


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="don't ask")
    if parser.prog.endswith("decrypt"):
        parser.set_defaults(act=_decrypt)
        return
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--keychain", action="store_true", help="a new key, kept by the system's keychain")
    how.add_argument("--passphrase", action="store_true", help="a passphrase that you choose")
    parser.add_argument(
        "--new-passphrase-file", type=PLACE_NAME, metavar="FILE",
        help="a file whose first line is the passphrase to change to",
    )  # fmt: skip
    parser.set_defaults(act=_encrypt)


def _encrypt(args: argparse.Namespace, context: Context) -> None:
    from ...memory.database import keychain
    from ...memory.database.driver import cipher
    from ..config import at_rest, unlocking

    if args.keychain and args.new_passphrase_file:
        raise WrongUsage("The keychain takes no passphrase: leave out --keychain or --new-passphrase-file.")
    path, salt, old = _there(context)
    cipher()
    how = "keychain" if args.keychain else "passphrase" if args.passphrase or args.new_passphrase_file else None
    if salt is None:
        confirm(f"Encrypt {path}? {unlocking.LOST}", args.yes)
        _, key, where = unlocking.for_new(path, os.environ, args.new_passphrase_file or args_file(args), how)
        at_rest.change(path, None, key, context.paths, say)
    else:
        if how is None:
            raise InputError(f"{path} is encrypted already; --passphrase or --keychain changes what opens it.")
        if how == "passphrase" and not args.new_passphrase_file and not unlocking.can_ask():
            raise WrongUsage(
                f"{path} is encrypted: give the new passphrase with --new-passphrase-file FILE, or at a terminal."
            )
        confirm(f"Change what opens {path}? {unlocking.LOST}", args.yes)
        # What opens it now must not be taken for what is to open it.
        _, key, where = unlocking.for_new(path, {}, args.new_passphrase_file, how)
        at_rest.change(path, old, key, context.paths, say)
        keychain.drop(salt)
    kept = "in the system's keychain" if where == "keychain" else "made from your passphrase"
    say(f"Its key is {kept}. {unlocking.LOST}")
    if not context.settings.encrypt:
        say(f"Write `encrypt = true` into {context.config_file}, so that new databases are encrypted too.")


def args_file(args: argparse.Namespace) -> str | None:
    """The file that --passphrase-file names, if it was given."""
    found: str | None = getattr(args, "passphrase_file", None)
    return found


def _decrypt(args: argparse.Namespace, context: Context) -> None:
    from ...memory.database import keychain
    from ..config import at_rest

    path, salt, old = _there(context)
    if salt is None:
        raise InputError(f"{path} is not encrypted.")
    if context.settings.encrypt:
        raise InputError("the setting `encrypt` is on, so it would be encrypted again: set encrypt = false first.")
    confirm(f"Keep {path} as a file that whoever has this disk can read?", args.yes)
    at_rest.change(path, old, None, context.paths, say)
    keychain.drop(salt)


def _there(context: Context) -> tuple[Path, bytes | None, Key | None]:
    """The database, its salt and its key (None for a plain one). Raises NotFound, StoreSealed."""
    from ...memory.database.handles import salt_of_database
    from ...memory.repair import encrypting
    from ..config import unlocking

    path = context.database_file
    encrypting.clear(path)
    if not path.is_file():
        raise NotFound(f"there is no database at {path} yet; with `encrypt = true` the first chat makes it encrypted.")
    salt = salt_of_database(path)
    if salt is None:
        return path, None, None
    secret = unlocking.to_open(path, salt, os.environ, context.flags.get("passphrase_file"))
    return path, salt, secret.key(salt)
