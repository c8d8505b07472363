"""Who may sign in: names with hashed passwords in one private file, made by `chatmem web adduser FILE NAME`.

The file is JSON: {"users": {"ana": "scrypt$16384$8$1$SALT$HASH"}, "tokens": {"ana": "sha256$HASH"}}, salt and hash in
base64. scrypt (RFC 7914) costs 16 MB and some 50 ms for each guess. A token is what a program shows instead of a
password; it has 256 random bits, which nobody guesses, so a plain hash of it is enough.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..memory.errors import InputError, NotFound, SettingsError

TOKEN = "chatmem_"
"""How a token begins, so that people and scanners of leaked secrets know it."""
SHORTEST = 8
LONGEST = 1_000
N, R, P, BYTES = 16_384, 8, 1, 32
_NOBODY = "scrypt$16384$8$1$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
"""What a name that nobody has is checked against, so that it takes as long as one that somebody has."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the file holds: hashes of passwords and of tokens, by name."""

    users: Mapping[str, str]
    tokens: Mapping[str, str]


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

    A new password ends the user's token. The file is made if there is none, readable by its owner alone, and written
    whole or not at all. Raises InputError.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise InputError(f"A password has at least {SHORTEST} characters; choose a longer one.")
    kept = read(path) if path.exists() else Kept({}, {})
    if name in kept.users and not replace:
        raise InputError(f"{path} has a user {name!r} already; --replace gives them a new password.")
    _write(path, Kept({**kept.users, name: hashed(password)}, _without(kept.tokens, name)))
    return name not in kept.users


def give_token(path: Path, name: str) -> str:
    """A new token for a user of the file; one that they had is no good any more. Raises NotFound, SettingsError."""
    kept = _knowing(path, name)
    token = TOKEN + secrets.token_urlsafe(32)
    _write(path, Kept(kept.users, {**kept.tokens, name: _of_token(token)}))
    return token


def take_token(path: Path, name: str) -> bool:
    """Ends the token of a user; False when there was none. Raises NotFound, SettingsError."""
    kept = _knowing(path, name)
    _write(path, Kept(kept.users, _without(kept.tokens, name)))
    return name in kept.tokens


def _knowing(path: Path, name: str) -> Kept:
    kept = read(path)
    if name not in kept.users:
        raise NotFound(f"{path} has no user {name!r}; there are {', '.join(sorted(kept.users)) or 'none'}.")
    return kept


def _of_token(token: str) -> str:
    return "sha256$" + _text(hashlib.sha256(token.encode()).digest())


def _without(tokens: Mapping[str, str], name: str) -> dict[str, str]:
    return {each: token for each, token in tokens.items() if each != name}


def _write(path: Path, kept: Kept) -> None:
    value = {"users": kept.users} | ({"tokens": kept.tokens} if kept.tokens else {})
    try:
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp makes it private
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(value, out, ensure_ascii=False, indent=1)
            out.write("\n")
        os.replace(draft, path)
    except OSError as error:
        raise InputError(f"{path} can't be written ({error.strerror}); choose another place.") from error


def read(path: Path) -> Kept:
    """What a file holds. Raises NotFound, SettingsError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        users, tokens = found["users"], found.get("tokens", {})
        if _texts(users) and _texts(tokens):
            return Kept(users, tokens)
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; `chatmem web adduser FILE NAME` makes it.") from None
    except OSError as error:
        raise SettingsError(f"{path} can't be read ({error.strerror}); check its permissions.") from error
    except (ValueError, KeyError, TypeError):
        pass
    raise SettingsError(f"{path} holds no users; make it anew with `chatmem web adduser FILE NAME`.")


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


class Accounts:
    """The users of a file, as it stands now: one who is taken out of it is signed out at their next click."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int] | None = None
        self._kept = Kept({}, {})
        self._lock = threading.Lock()
        if not self._current().users:
            raise SettingsError(f"{path} has no users yet; `chatmem web adduser FILE NAME` adds one.")

    def knows(self, name: str) -> bool:
        return name in self._current().users

    def allows(self, name: str, password: str) -> bool:
        """Whether this is a user with that password."""
        return matches(password, self._current().users.get(name, _NOBODY))

    def of_token(self, token: str) -> str | None:
        """Whose token this is; None: nobody's."""
        kept, wanted = self._current(), _of_token(token)
        found = [name for name, hash in kept.tokens.items() if hmac.compare_digest(hash.encode(), wanted.encode())]
        return found[0] if found and found[0] in kept.users else None

    def _current(self) -> Kept:
        with self._lock:
            try:
                found = self._path.stat()
            except OSError:
                found = None
            stamp = (found.st_mtime_ns, found.st_ino) if found else None
            if stamp is None or stamp != self._stamp:
                self._kept = read(self._path)
                self._stamp = stamp
            return self._kept
