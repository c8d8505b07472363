"""Who may sign in: names with hashed passwords in one private file, made by `chatmem web adduser FILE NAME`.

The file is JSON: {"users": {"ana": "scrypt$16384$8$1$SALT$HASH"}}, salt and hash in base64. scrypt (RFC 7914) costs
16 MB and some 50 ms for each guess.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import tempfile
import threading
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..memory.errors import InputError, NotFound, SettingsError

SHORTEST = 8
LONGEST = 1_000
N, R, P, BYTES = 16_384, 8, 1, 32
_NOBODY = "scrypt$16384$8$1$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
"""What a name that nobody has is checked against, so that it takes as long as one that somebody has."""


def hashed(password: str) -> str:
    """A password as it is kept: another salt, and so another text, each time."""
    salt = secrets.token_bytes(16)
    return "$".join(("scrypt", str(N), str(R), str(P), _text(salt), _text(_scrypt(password, salt, N, R, P))))


def matches(password: str, kept: str) -> bool:
    """Whether this is the password behind `kept`; takes the same time for a wrong one."""
    try:
        kind, n, r, p, salt, key = kept.split("$")
        if kind != "scrypt" or len(password) > LONGEST:
            return False
        return hmac.compare_digest(_scrypt(password, base64.b64decode(salt), int(n), int(r), int(p)),
                                   base64.b64decode(key))  # fmt: skip
    except ValueError:
        return False


def _scrypt(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    plain = unicodedata.normalize("NFKC", password).encode()
    return hashlib.scrypt(plain, salt=salt, n=n, r=r, p=p, maxmem=256 * n * r * p, dklen=BYTES)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def add(path: Path, name: str, password: str, *, replace: bool = False) -> bool:
    """Adds a user to the file, or with `replace` gives one a new password; True when the name was new.

    The file is made if there is none, readable by its owner alone, and written whole or not at all. Raises InputError.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise InputError(f"A password has at least {SHORTEST} characters; choose a longer one.")
    users = dict(read(path)) if path.exists() else {}
    if name in users and not replace:
        raise InputError(f"{path} has a user {name!r} already; --replace gives them a new password.")
    new = name not in users
    users[name] = hashed(password)
    _write(path, {"users": users})
    return new


def _write(path: Path, value: Any) -> None:
    try:
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp makes it private
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(value, out, ensure_ascii=False, indent=1)
            out.write("\n")
        os.replace(draft, path)
    except OSError as error:
        raise InputError(f"{path} can't be written ({error.strerror}); choose another place.") from error


def read(path: Path) -> Mapping[str, str]:
    """The users of a file. Raises NotFound, SettingsError."""
    try:
        users = json.loads(path.read_text(encoding="utf-8"))["users"]
        if isinstance(users, dict) and all(isinstance(kept, str) for kept in users.values()):
            return users
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; `chatmem web adduser FILE NAME` makes it.") from None
    except OSError as error:
        raise SettingsError(f"{path} can't be read ({error.strerror}); check its permissions.") from error
    except (ValueError, KeyError, TypeError):
        pass
    raise SettingsError(f"{path} holds no users; make it anew with `chatmem web adduser FILE NAME`.")


class Accounts:
    """The users of a file, as it stands now: one who is taken out of it is signed out at their next click."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int] | None = None
        self._users: Mapping[str, str] = {}
        self._lock = threading.Lock()
        if not self._current():
            raise SettingsError(f"{path} has no users yet; `chatmem web adduser FILE NAME` adds one.")

    def knows(self, name: str) -> bool:
        return name in self._current()

    def allows(self, name: str, password: str) -> bool:
        """Whether this is a user with that password."""
        return matches(password, self._current().get(name, _NOBODY))

    def _current(self) -> Mapping[str, str]:
        with self._lock:
            try:
                found = self._path.stat()
            except OSError:
                found = None
            stamp = (found.st_mtime_ns, found.st_ino) if found else None
            if stamp is None or stamp != self._stamp:
                self._users = read(self._path)
                self._stamp = stamp
            return self._users
