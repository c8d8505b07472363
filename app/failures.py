"""Failures in plain words: what `chatmem` says, and the exit code it ends on. What is unforeseen goes into the log."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from ..memory import disk
from ..memory.errors import ChatmemError
from .paths import find_paths


def explain(error: Exception, words: Sequence[str], environ: Mapping[str, str]) -> tuple[str, int]:
    """One sentence for people and the exit code."""
    if isinstance(error, ChatmemError):
        return str(error), error.exit_code
    if disk.says_full(error):
        return "The disk is full; free some space and try again, what was acknowledged is safe.", 1
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}; check the path and its permissions.", 1
    if isinstance(error, ModuleNotFoundError) and error.name:
        part = error.name.partition(".")[0]
        return f"This needs the package {part!r}, which is not installed; `chatmem doctor` tells what to install.", 1
    kept = _log(error, words, environ)
    return f"Something went wrong inside chatmem ({type(error).__name__}); {kept}", 1


def _log(error: Exception, words: Sequence[str], environ: Mapping[str, str]) -> str:
    """Adds the traceback to the log (only the command's first word: the rest may be private)."""
    path = find_paths(environ).log
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as log:
            log.write(f"{datetime.now(UTC).isoformat()} chatmem {' '.join(words[:1])}\n")
            log.write("".join(traceback.format_exception(error)))
    except OSError:
        return "the log can't be written, so the details are lost."
    return f"the details are in {path}."
