"""Passwords as they are kept: Argon2id, which costs a guesser memory as well as time.

19 MiB, two passes, one lane (what OWASP's cheat sheet on password storage asks for): some 30 ms a guess. What an
earlier version kept (scrypt, RFC 7914) still matches, and is made anew at the next sign-in. Without the package
argon2-cffi, which comes with the page's extra, scrypt is used: the command line needs no extra to add a user.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import unicodedata
from importlib.util import find_spec
from typing import Any

SHORTEST = 8
LONGEST = 1_000
N, R, P, BYTES = 16_384, 8, 1, 32
KIB, PASSES, LANES = 19 * 1024, 2, 1
_ARGON2 = "$argon2id$"


def hashed(password: str) -> str:
    """A password as it is kept: another salt, and so another text, each time."""
    if _has_argon2():
        return str(_hasher().hash(_plain(password)))
    salt = secrets.token_bytes(16)
    return "$".join(("scrypt", str(N), str(R), str(P), _text(salt), _text(_scrypt(password, salt, N, R, P))))


def matches(password: str, kept: str) -> bool:
    """Whether this is the password behind `kept`; takes the same time for a wrong one."""
    if len(password) > LONGEST:
        return False
    if kept.startswith(_ARGON2):
        return _has_argon2() and _argon2_matches(password, kept)
    try:
        kind, n, r, p, salt, key = kept.split("$")
        if kind != "scrypt":
            return False
        return hmac.compare_digest(_scrypt(password, base64.b64decode(salt), int(n), int(r), int(p)),
                                   base64.b64decode(key))  # fmt: skip
    except ValueError:
        return False


def is_old(kept: str) -> bool:
    """Whether a hash should be made anew, now that its password is at hand."""
    if not _has_argon2():
        return False
    return not kept.startswith(_ARGON2) or bool(_hasher().check_needs_rehash(kept))


def _argon2_matches(password: str, kept: str) -> bool:
    from argon2.exceptions import Argon2Error, InvalidHashError

    try:
        return bool(_hasher().verify(kept, _plain(password)))
    except (Argon2Error, InvalidHashError):
        return False


def _has_argon2() -> bool:
    return find_spec("argon2") is not None


def _hasher() -> Any:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=PASSES, memory_cost=KIB, parallelism=LANES)


def _plain(password: str) -> bytes:
    """The same bytes whichever way a keyboard makes the letters."""
    return unicodedata.normalize("NFKC", password).encode()


def _scrypt(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(_plain(password), salt=salt, n=n, r=r, p=p, maxmem=256 * n * r * p, dklen=BYTES)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
