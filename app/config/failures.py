"""Failures in plain words: what `chatmem` says, and the exit code it ends on. What is unforeseen goes into the log."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from ...memory.database import disk_full
from ...memory.errors import ChatmemError, StoreError
from .logs import open_log, told
from .paths import find_paths

OURS = __name__.partition(".")[0]
"""The package that all of this is part of: where a module of it is missing, no installing helps."""


def explain(error: Exception, words: Sequence[str], environ: Mapping[str, str]) -> tuple[str, int]:
    """One sentence for people and the exit code."""
    if isinstance(error, ChatmemError):
        return error.at_a_terminal, error.exit_code
    if disk_full.says_full(error):
        return "The disk is full; free some space and try again, what was acknowledged is safe.", 1
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}; check the path and its permissions.", 1
    part = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if part and part != OURS:
        return f"This needs the package {part!r}, which is not installed; `chatmem doctor` tells what to install.", 1
    kept = _log(error, words, environ)
    if damage := _damage(environ):
        return f"{damage}; `chatmem doctor --repair` saves what can be read. {kept[0].upper()}{kept[1:]}", 1
    return f"Something went wrong inside chatmem ({type(error).__name__}); {kept}", 1


def _damage(environ: Mapping[str, str]) -> str:
    """Damaged rows of the database, which make what nobody foresaw; empty when there are none."""
    from ...memory.repair.rescue import examine
    from .settings import load_what_is_right

    flags = {"db": sys.argv[sys.argv.index("--db") + 1]} if "--db" in sys.argv[:-1] else {}
    settings, _ = load_what_is_right(find_paths(environ), environ, flags)
    path = Path(settings.db.removeprefix("sqlite:///")).expanduser() if settings.db else find_paths(environ).database
    with suppress(StoreError):
        return f"Rows of {path} are damaged" if path.is_file() and examine(path) else ""
    return ""


def _log(error: Exception, words: Sequence[str], environ: Mapping[str, str]) -> str:
    """Adds where it failed to the log (only the command's first word: the rest may be private)."""
    path = find_paths(environ).log
    try:
        with open_log(path) as log:
            log.write(f"{datetime.now(UTC).isoformat()} chatmem {' '.join(words[:1])}\n")
            log.write(told(error))
    except OSError:
        return "the log can't be written, so the details are lost."
    return f"the details are in {path}."
