"""The log file: what threads have to report, without a word of what was said."""

from __future__ import annotations

import contextlib
import logging

from .context import Context


class LogFile(logging.FileHandler):
    """A log that a full disk cuts short, instead of a traceback in the middle of the chat."""

    def handleError(self, record: logging.LogRecord) -> None:
        return


def log_to(context: Context) -> None:
    """What threads have to report goes to the log file, which is made at its first line."""
    logger = logging.getLogger("chatmem")
    with contextlib.suppress(OSError):
        context.paths.state.mkdir(parents=True, exist_ok=True)
        handler = LogFile(context.paths.log, encoding="utf-8", delay=True)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        logger.handlers = [handler]
    logger.propagate = False
