"""`chatmem chat`: the line-mode chat."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ..config.options import SESSION_ID
from ..config.settings import describe
from ..context import Context

FLAGS = ("model", "answer_model", "storage_model", "retrieval_model",
         "prompts", "token_budget", "recall_words", "reply_tokens", "temperature", "threads", "color")  # fmt: skip
"""Settings that are flags of the chat; the others are set in the config file or the environment."""


def register(parser: argparse.ArgumentParser) -> None:
    add_options(parser)
    parser.add_argument("--resume", type=SESSION_ID, metavar="ID", help="go on in the session ID")
    parser.set_defaults(act=_chat)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a chat, also those of `sessions resume`."""
    parser.add_argument("--incognito", action="store_true", help="read and write nothing")
    parser.add_argument("--json", action="store_true", help="events as JSON lines")
    parser.add_argument("--yes", action="store_true", help="answer yes where it would ask")
    parser.add_argument("--quiet", action="store_true", help="only the replies")
    parser.add_argument(
        "--think", choices=("once", "hops"), action=_Think, default=argparse.SUPPRESS,
        help="look questions up once, or in several steps (the setting hops)",
    )  # fmt: skip
    add_settings(parser)


class _Think(argparse.Action):
    """The setting `hops` in a word."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        namespace.hops = values == "hops"


def add_settings(parser: argparse.ArgumentParser, names: Sequence[str] = FLAGS) -> None:
    """Settings as flags."""
    known = {setting.name: setting for setting in describe()}
    for name in names:
        setting = known[name]
        parser.add_argument(
            setting.flag, type=setting.type, choices=setting.choices or None, default=argparse.SUPPRESS,
            metavar=None if setting.choices else _metavar(name, setting.type),
            help=f"{setting.help} ({setting.default})" if setting.default != "" else setting.help,
        )  # fmt: skip


def _chat(args: argparse.Namespace, context: Context) -> int:
    return start(args, context, resume=args.resume)


def start(args: argparse.Namespace, context: Context, resume: int | None) -> int:
    """Runs the chat until the user leaves; the exit code."""
    from .line_chat import ChatOptions, run_chat

    if not args.incognito:
        context.secret()  # a passphrase is asked for before the first prompt
    return run_chat(context, ChatOptions(resume, args.incognito, args.json, args.yes, args.quiet))


def _metavar(name: str, kind: type) -> str:
    """What stands for a setting's value in the help."""
    return "FILE" if name == "prompts" else {str: "SPEC", int: "N", float: "X"}[kind]
