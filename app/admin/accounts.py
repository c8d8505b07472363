"""Who may sign in: names with hashed passwords in one private file, made by `chatmem web adduser FILE NAME`.

The file is JSON: {"users": {"ana": "$argon2id$..."}, "tokens": {"ana": "sha256$HASH"}, "marks": {"ana": "x1Y..."}}. A
token is what a program shows instead of a password; it has 256 random bits, which nobody guesses, so a plain hash of it
is enough. A mark is new with each password; what was begun under another one (`sign_ins`) has ended.
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
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...memory.errors import InputError, NotFound, SettingsError
from ...memory.repair.placing import put_in_place
from ...memory.transfer.target import landing
from .names import clash
from .passwords import LONGEST, SHORTEST, hashed, is_old, matches
from .sign_ins import SignIns

TOKEN = "chatmem_"
"""How a token begins, so that people and scanners of leaked secrets know it."""
LOCK_SECONDS = 5.0
"""How long one waits for another program that changes the file; a lock that is older was left by one that crashed."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the file holds, by name: hashes of passwords and of tokens, and marks ("": an older version had none)."""

    users: Mapping[str, str]
    tokens: Mapping[str, str]
    marks: Mapping[str, str] = field(default_factory=dict)


def add(path: Path, name: str, password: str, *, replace: bool = False) -> bool:
    """Adds a user to the file, or with `replace` gives one a new password; True when the name was new.

    A new password ends the user's token and all their sign-ins. The file is made if there is none, readable by its
    owner alone, and written whole or not at all. Raises InputError.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise InputError(f"A password has at least {SHORTEST} characters; choose a longer one.")
    hash = hashed(password)
    with _changing(path):
        kept = taking(path, name, replace)
        marks = {**kept.marks, name: secrets.token_urlsafe(12)}
        _write(path, Kept({**kept.users, name: hash}, _without(kept.tokens, name), marks))
    return name not in kept.users


def taking(path: Path, name: str, replace: bool) -> Kept:
    """What the file holds, where it can take the user. Raises InputError, and SettingsError where it holds no users."""
    kept = read(path) if path.exists() else Kept({}, {})
    if name in kept.users and not replace:
        raise InputError(f"{path} has a user {name!r} already; --replace gives them a new password.")
    if name not in kept.users and (other := clash(name, kept.users)):
        raise InputError(f"{name!r} looks like {other!r}, who may sign in already; choose a name that differs more.")
    return kept


def remove(path: Path, name: str) -> None:
    """Takes a user out of the file, with their token; their memory stays. Raises NotFound, SettingsError."""
    with _changing(path):
        kept = _knowing(path, name)
        _write(path, Kept(*(_without(each, name) for each in (kept.users, kept.tokens, kept.marks))))


def give_token(path: Path, name: str) -> str:
    """A new token for a user of the file; one that they had is no good any more. Raises NotFound, SettingsError."""
    with _changing(path):
        kept = _knowing(path, name)
        token = TOKEN + secrets.token_urlsafe(32)
        _write(path, replace(kept, tokens={**kept.tokens, name: _of_token(token)}))
    return token


def take_token(path: Path, name: str) -> bool:
    """Ends the token of a user; False when there was none. Raises NotFound, SettingsError."""
    with _changing(path):
        kept = _knowing(path, name)
        _write(path, replace(kept, tokens=_without(kept.tokens, name)))
    return name in kept.tokens


@contextmanager
def _changing(path: Path) -> Iterator[None]:
    """One program at a time changes the file. Raises InputError."""
    lock, until = path.with_name(path.name + ".lock"), time.monotonic() + 2 * LOCK_SECONDS
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            break
        except FileExistsError:
            with suppress(OSError):
                if time.time() - lock.stat().st_mtime > LOCK_SECONDS:
                    lock.unlink()
            if time.monotonic() > until:
                raise InputError(f"Another program is changing {path}; try again, or delete {lock}.") from None
            time.sleep(0.02)
        except OSError as error:
            raise InputError(f"{path} can't be written ({error.strerror}); choose another place.") from error
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _knowing(path: Path, name: str) -> Kept:
    kept = read(path)
    if name not in kept.users:
        raise NotFound(f"{path} has no user {name!r}; there are {', '.join(sorted(kept.users)) or 'none'}.")
    return kept


def _of_token(token: str) -> str:
    return "sha256$" + base64.b64encode(hashlib.sha256(token.encode()).digest()).decode("ascii")


def _without(tokens: Mapping[str, str], name: str) -> dict[str, str]:
    return {each: token for each, token in tokens.items() if each != name}


def _write(path: Path, kept: Kept) -> None:
    value = {"users": kept.users}
    value |= {name: each for name, each in (("tokens", kept.tokens), ("marks", kept.marks)) if each}
    path = landing(path)
    try:
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp makes it private
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(value, out, ensure_ascii=False, indent=1)
            out.write("\n")
        put_in_place(Path(draft), path)
    except OSError as error:
        raise InputError(f"{path} can't be written ({error.strerror}); choose another place.") from error


def read(path: Path) -> Kept:
    """What a file holds. Raises NotFound, SettingsError, InputError for a folder."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        kept = found["users"], found.get("tokens", {}), found.get("marks", {})
        if all(_texts(each) for each in kept):
            return Kept(*kept)
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; `chatmem web adduser FILE NAME` makes it.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; name a file.") from None
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
        self.sign_ins = SignIns(path, self.mark)
        self._nobody = hashed(secrets.token_urlsafe(16))
        if not self._current().users:
            raise SettingsError(f"{path} has no users yet; `chatmem web adduser FILE NAME` adds one.")

    def knows(self, name: str) -> bool:
        return name in self._current().users

    def names(self) -> list[str]:
        return sorted(self._current().users)

    def clashes(self) -> list[tuple[str, str]]:
        """Pairs of names that look alike, which an older version let in."""
        names = self.names()
        pairs = ((name, clash(name, names[:at])) for at, name in enumerate(names))
        return [(name, other) for name, other in pairs if other is not None]

    def mark(self, name: str) -> str | None:
        """What is new with each password of a user; None: there is no such user."""
        kept = self._current()
        return kept.marks.get(name, "") if name in kept.users else None

    def allows(self, name: str, password: str) -> bool:
        """Whether this is a user with that password; a hash of an older kind is made anew then.

        A name that nobody has takes as long as one that somebody has.
        """
        kept = self._current().users.get(name)
        if not matches(password, kept or self._nobody):
            return False
        if kept is None:
            return False
        if is_old(kept):
            self._renew(name, kept, hashed(password))
        return True

    def _renew(self, name: str, old: str, new: str) -> None:
        with suppress(InputError), _changing(self._path):  # a file that can't be written keeps the hash that it has
            kept = read(self._path)
            if kept.users.get(name) == old:
                _write(self._path, replace(kept, users={**kept.users, name: new}))

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
