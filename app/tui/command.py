"""`chatmem tui`: the chat in a terminal window, with the memory beside it."""

from __future__ import annotations

import argparse
import sys

from ...eval.arguments import PORT
from ...memory.errors import InputError
from ..config.options import SESSION_ID
from ..context import Context
from ..line.command import FLAGS, add_settings


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--incognito", action="store_true", help="read and write nothing")
    parser.add_argument("--resume", type=SESSION_ID, metavar="ID", help="go on in the session ID")
    parser.add_argument("--serve", action="store_true", help="in a browser on this machine instead of this terminal")
    parser.add_argument("--port", type=PORT, default=8765, metavar="N", help="of --serve (8765)")
    add_settings(parser, (*(name for name in FLAGS if name != "color"), "theme"))
    parser.set_defaults(act=_tui)


def _tui(args: argparse.Namespace, context: Context) -> int:
    from ...models.files.spec import parse

    settings = context.settings
    for spec in (settings.model, settings.answer_model, settings.storage_model, settings.retrieval_model):
        if spec:  # a name that is no model is told here, not in a window that then can't talk
            parse(spec)
    if args.serve:
        from .serve import serve

        return serve(args, context)
    if not can_draw():
        raise InputError("chatmem tui needs a terminal to draw in; in a pipe, use chatmem chat.")
    from .run import TuiOptions, run_tui

    return run_tui(context, TuiOptions(args.resume, args.incognito))


def can_draw() -> bool:
    """Whether there is a terminal to read keys from and, on stderr, to draw on, as Textual does."""
    from ..line.input import at_terminal

    return at_terminal() and sys.stderr is not None and sys.stderr.isatty()
