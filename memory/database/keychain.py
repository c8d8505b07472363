"""The system's keychain, which keeps the keys of encrypted databases: one entry a file, by the file's salt.

`keyring` was taken since it speaks to all of them (macOS, Windows, Secret Service, KWallet). Its makeshifts, which keep
nothing or keep it in the open, are not taken for a keychain.
"""

from __future__ import annotations

import importlib
from contextlib import suppress
from typing import Any

from .key import Secret

SERVICE = "chatmem"
REAL = {"keyring.backends." + name for name in ("macOS", "Windows", "SecretService", "kwallet", "libsecret")}
"""The modules of backends that are a keychain of the system."""


def backend() -> Any:
    """The system's keychain; None where there is none, or `keyring` isn't installed."""
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        return None
    with suppress(*_errors()):
        ring = keyring.get_keyring()
        for one in (ring, *getattr(ring, "backends", ())):
            if type(one).__module__ in REAL:
                return one
    return None


def secret_of(salt: bytes) -> Secret | None:
    """The key that the keychain has for a file; None where it has none, or doesn't give it."""
    ring = backend()
    if ring is not None:
        with suppress(*_errors()):
            found = ring.get_password(SERVICE, salt.hex())
            return Secret(found) if found else None
    return None


def keep(secret: Secret, salt: bytes) -> bool:
    """Puts a file's key into the keychain; whether it is there now."""
    ring = backend()
    if ring is not None:
        with suppress(*_errors()):
            ring.set_password(SERVICE, salt.hex(), secret.words())
            return bool(ring.get_password(SERVICE, salt.hex()) == secret.words())
    return False


def drop(salt: bytes) -> None:
    """Takes a file's key out of the keychain, if it is there."""
    ring = backend()
    if ring is not None:
        with suppress(*_errors()):
            ring.delete_password(SERVICE, salt.hex())


def _errors() -> tuple[type[Exception], ...]:
    """What backends raise: keyring's own errors, and OSError where a bus or a service isn't there."""
    errors = importlib.import_module("keyring.errors")
    return errors.KeyringError, OSError, RuntimeError
