"""Opening a database that is encrypted, or is to be: what the setting `encrypt` means at a start."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...memory.database.driver import cipher
from ...memory.database.handles import salt_of_database
from ...memory.database.key import Key, Secret
from ...memory.repair import encrypting
from . import unlocking
from .paths import Paths

Say = Callable[[str], None]


def secret(
    path: Path, wanted: bool, flags: Mapping[str, Any], paths: Paths, read_only: bool, say: Say
) -> Secret | None:  # fmt: skip
    """What opens the database. `wanted`: the setting; a plain database is encrypted now, unless it may only be read.

    Raises StoreSealed, InputError, StoreError.
    """
    file = flags.get("passphrase_file")
    if not read_only:
        encrypting.clear(path)
    if salt := salt_of_database(path):
        cipher()
        return unlocking.to_open(path, salt, os.environ, file)
    if not wanted:
        if file:
            say(f"{path} is not encrypted, and --passphrase-file doesn't change that: `chatmem encrypt` does.")
        return None
    cipher()
    if not path.exists() or not path.stat().st_size:
        made, _, where = unlocking.for_new(path, os.environ, file)
        say(f"{path} is kept encrypted ({where}). {unlocking.LOST}")
        return made
    if read_only:
        return None
    made, key, where = unlocking.for_new(path, os.environ, file)
    change(path, None, key, paths, say)
    say(f"Its key is in the {where}. {unlocking.LOST}" if where == "keychain" else unlocking.LOST)
    return made


def change(path: Path, old: Key | None, new: Key | None, paths: Paths, say: Say) -> None:
    """Encrypts, decrypts or changes the key of a database, and says how far it is and what stays in the open."""
    what = "Decrypting" if new is None else "Encrypting"
    say(f"{what} {path} ({path.stat().st_size / 1e6:.1f} MB); it can be stopped at any time ...")
    try:
        exports = encrypting.change(path, old, new, _progress(what))
    finally:
        _line("")
    typed = sorted(paths.history.iterdir()) if new is not None and paths.history.is_dir() else []
    for one in typed:
        encrypting.wipe(one)
    say(f"Done: {path} is {'not encrypted any more' if new is None else 'encrypted'}.")
    if typed:
        say("The lines typed at the prompt, which lay in files beside it, were overwritten and removed.")
    plain = [str(one) for one in exports if old is None and new is not None and one.exists()]
    if plain:
        say(f"Files that you exported or backed up before are as they were, remove them: {', '.join(plain)}.")


def _progress(what: str) -> encrypting.Told:
    return lambda part: _line(f"{what}: {part:4.0%}")


def _line(text: str) -> None:
    """A line on a terminal's stderr that the next one takes the place of."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
