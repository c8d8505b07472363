"""Where the passphrase or key of an encrypted database comes from; never from the config file, never from a flag.

In this order: --passphrase-file, CHATMEM_PASSPHRASE, the system's keychain, the person at the terminal.
"""

from __future__ import annotations

import getpass
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ...memory.database import keychain
from ...memory.database.key import Key, Secret, new_secret
from ...memory.errors import InputError, StoreSealed, WrongUsage
from ...memory.repair import encrypting

VARIABLE = "CHATMEM_PASSPHRASE"
SHORTEST = 8
TRIES = 3
NEEDED = f"give its passphrase in {VARIABLE}, with --passphrase-file FILE, or at a terminal"
MARK = "\ufeff"
"""With which some editors begin a file; no letter of the passphrase, for nobody could type it."""
LOST = "Who loses the passphrase or key loses the memory: nobody can recover it."


def given(environ: Mapping[str, str], file: str | None) -> Secret | None:
    """The passphrase that was handed over without asking; None when there is none. Raises InputError."""
    if file:
        return _of_file(file)[0]
    words = environ.get(VARIABLE, "")
    return Secret(words) if words else None


def _of_file(file: str) -> tuple[Secret, Secret | None]:
    """The passphrase in a file's first line, and that line with its mark, if it has one. Read once: pipes are."""
    try:
        line = Path(file).expanduser().read_text(encoding="utf-8").split("\n", 1)[0].rstrip("\r")
    except (OSError, UnicodeDecodeError):
        raise WrongUsage(f"{file} can't be read as a passphrase: check --passphrase-file.") from None
    if not (words := line.removeprefix(MARK)):
        raise WrongUsage(f"{file} has an empty first line: write the passphrase there.")
    return Secret(words), Secret(line) if line != words else None


def can_ask() -> bool:
    """Whether a person is at a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def to_open(path: Path, salt: bytes, environ: Mapping[str, str], file: str | None) -> Secret:
    """What opens an encrypted database. Raises StoreSealed when nothing does; then it may be tried again."""
    told, marked = _of_file(file) if file else (given(environ, None), None)
    if marked is not None:
        with suppress(StoreSealed):  # a memory that was encrypted when the mark still counted
            return tried(path, marked, salt)
    found = told or keychain.secret_of(salt)
    if found is not None:
        return tried(path, found, salt)
    if not can_ask():
        raise StoreSealed(f"{path} is encrypted: {NEEDED}.")
    for left in range(TRIES - 1, -1, -1):
        typed = Secret(_asked(f"Passphrase of {path}: "))
        with suppress(StoreSealed):
            return tried(path, typed, salt)
        if left:
            print("That does not open it; try again.", file=sys.stderr)
    raise StoreSealed(f"the passphrase doesn't open {path}: nothing was changed, try again.")


def tried(path: Path, secret: Secret, salt: bytes) -> Secret:
    """The secret, if it opens the file. Raises StoreSealed."""
    if not encrypting.opens(path, secret.key(salt)):
        raise StoreSealed(f"the passphrase or key doesn't open {path}: nothing was changed, try another.")
    return secret


def for_new(
    path: Path, environ: Mapping[str, str], file: str | None, how: str | None = None
) -> tuple[Secret, Key, str]:  # fmt: skip
    """What a file is going to be encrypted with, its key, and where it is kept: "keychain" or "passphrase".

    `how` None: a passphrase that was handed over, else the keychain where there is one, else a passphrase that is asked
    for. A key of the keychain is there before this returns. Raises InputError where there is none of them.
    """
    handed = given(environ, file) if how != "keychain" else None
    if handed is None and how != "passphrase":
        made = new_secret()
        key = made.new_key()
        if keychain.keep(made, key.salt):
            return made, key, "keychain"
        if how == "keychain":
            raise InputError("this system has no keychain that `keyring` can use: take a passphrase (--passphrase).")
    secret = handed or _chosen(path, how)
    _long_enough(secret)
    key = secret.new_key()
    return Secret(secret.words(), key.salt), key, "passphrase"


def _chosen(path: Path, how: str | None) -> Secret:
    if not can_ask():
        lacks = "" if how else ", and there is no keychain"
        raise WrongUsage(f"{path} is to be encrypted{lacks}: {NEEDED}.")
    print(LOST, file=sys.stderr)
    typed = _asked(f"New passphrase for {path}: ")
    if typed != _asked("The same again: "):
        raise InputError("the two passphrases are not the same: nothing was changed.")
    return Secret(typed)


def _long_enough(secret: Secret) -> None:
    if len(secret.words()) < SHORTEST:
        raise InputError(f"a passphrase has at least {SHORTEST} characters, better four words: nothing was changed.")


def _asked(prompt: str) -> str:
    try:
        return getpass.getpass(prompt, stream=sys.stderr)
    except EOFError:
        raise InputError("no passphrase was given: nothing was changed.") from None
