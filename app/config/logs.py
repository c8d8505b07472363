"""The log file: what failed and where, without a word of what was said, and readable by its owner alone.

An exception's message may hold a row (SQLite quotes what it can't decode, a KeyError its key), so the log has its type,
the code of SQLite or the system, and the lines of the program that it passed through, never the message.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import traceback
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from .paths import Paths

_PRIVATE = 0o600
_Info = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def told(error: BaseException) -> str:
    """The types, codes and places of an exception and of what led to it."""
    parts: list[str] = []
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        frames = "".join(traceback.format_tb(one.__traceback__))
        parts.append(f"{frames}{type(one).__module__}.{type(one).__qualname__}{_code(one)}\n")
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
    return "\nwhich led to:\n".join(reversed(parts))


def _code(error: BaseException) -> str:
    if isinstance(error, sqlite3.Error) or hasattr(error, "sqlite_errorname"):  # SQLCipher's are classes of their own
        return f" ({getattr(error, 'sqlite_errorname', None) or 'no code'})"
    if isinstance(error, OSError):
        return f" ({error.strerror})"
    return f" ({error.name})" if isinstance(error, ImportError) else ""


def open_log(path: Path) -> IO[str]:
    """The log, at its end, made private also where an older version left it readable to others. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, _PRIVATE)
    with contextlib.suppress(OSError, AttributeError):  # no such thing on Windows
        os.fchmod(handle, _PRIVATE)
    return os.fdopen(handle, "a", encoding="utf-8")


class LogFile(logging.FileHandler):
    """A log that a full disk cuts short, instead of a traceback in the middle of the chat."""

    def _open(self) -> TextIOWrapper:
        log: Any = open_log(Path(self.baseFilename))
        return log  # type: ignore[no-any-return]

    def handleError(self, record: logging.LogRecord) -> None:
        return


class _Formatter(logging.Formatter):
    def formatException(self, ei: _Info) -> str:
        return told(ei[1]) if ei[1] is not None else ""


def log_to(paths: Paths) -> None:
    """What threads have to report goes to the log file, which is made at its first line."""
    logger = logging.getLogger("chatmem")
    with contextlib.suppress(OSError):
        paths.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = LogFile(paths.log, encoding="utf-8", delay=True)
        handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        for older in logger.handlers:
            older.close()
        logger.handlers = [handler]
    logger.propagate = False
