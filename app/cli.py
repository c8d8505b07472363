"""The command `chatmem`: parses, runs one command, and turns every failure into one sentence and an exit code.

Exit codes: 0 done (or the reader of a pipe had enough), 1 it failed, 2 wrong usage or settings, 130 interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from .. import __version__
from .config.options import common_options

COMMANDS = {
    "chat": "talk; it remembers",
    "ask": "one answer from what is remembered; nothing of it is kept unless --keep",
    "tui": "talk in a terminal window with the memory beside it",
    "web": "talk in a browser, with the memory beside it; adduser lets others sign in",
    "memory": "see, search, correct, undo, forget, export what is remembered",
    "sessions": "list, show, search, rename, delete, resume conversations",
    "tidy": "merge what is said twice, close what is overtaken, drop junk; all of it can be undone",
    "sql": "query the memory in SQL, read-only unless --write",
    "backup": "copy the whole database while it is at work; --restore brings a copy back",
    "encrypt": "keep the database encrypted, with a key of the keychain or a passphrase; also changes it",
    "decrypt": "keep the database as a plain file again",
    "mcp": "the memory for other assistants: a Model Context Protocol server on stdio",
    "models": "list, check, fetch models",
    "adapters": "list and show the trained adapters",
    "data": "make data sets for training and measuring",
    "train": "train an agent",
    "rank": "choose the earlier sessions that a question needs, by a small model, for one that is dear",
    "checkpoints": "those of a training run as folders that other programs read, and the average of several",
    "optimize": "tune what the agents are told to your model; show, compare and use tuned prompts",
    "eval": "measure agents and search",
    "deploy": "rent a GPU: serve a model or train on it (RunPod)",
    "doctor": "what works here, what is missing, and what to do",
    "paths": "where settings, memory, logs and caches are, and how large; --empty-cache makes room",
}
ROOMS = {
    "chat": "line.command", "tui": "tui.command", "web": "web.command", "mcp": "assistants.command",
    "models": "admin.models_command", "adapters": "admin.adapters_command", "doctor": "admin.doctor_command",
    "checkpoints": "commands.runs.checkpoints", "rank": "commands.runs.rank",
    "backup": "admin.backup_command", "deploy": "admin.deploy.command", "decrypt": "commands.encrypt",
}  # fmt: skip
"""Where a command lies that has a room of its own; the others are in `commands`."""
EPILOG = "Start with `chatmem chat`. Settings: flags, then CHATMEM_* in the environment, then the config file."


def build_parser(wanted: Sequence[str]) -> argparse.ArgumentParser:
    """The parser, with the arguments of the `wanted` commands; the other commands are named but not loaded."""
    parser = argparse.ArgumentParser(
        prog="chatmem", description="A chatbot that remembers people in SQL that they can read, correct and undo.",
        epilog=EPILOG, parents=[common_options()], allow_abbrev=False,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"chatmem {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, text in COMMANDS.items():
        command = commands.add_parser(
            name, help=text, description=f"{text[0].upper()}{text[1:]}.", parents=[common_options()], allow_abbrev=False
        )
        if name in wanted:
            importlib.import_module(f".{ROOMS.get(name, f'commands.{name}')}", __package__).register(command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line; the process's exit code.

    The program itself (no `argv`) leaves at once when a model is still at work; a caller's process is the caller's.
    """
    # numpy's second thread spins beside the embedder: a search takes 22.7 ms with it, 15.4 without
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = _guarded(list(sys.argv[1:] if argv is None else argv))
    if argv is None and _threads_alive():
        _silence()
        os._exit(code)
    return code


def _guarded(words: list[str]) -> int:
    if sys.stdout is None:  # closed by the caller: nobody listens
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    _take_any_text(sys.stdout)
    try:
        code = _run(words)
    except KeyboardInterrupt:
        code = 130
    except SystemExit as leaving:  # argparse
        code = leaving.code if isinstance(leaving.code, int) else 2
    except Exception as error:  # noqa: BLE001 - the outermost edge: never a traceback at a person
        if not (isinstance(error, BrokenPipeError) and _reader_left()):
            return _explained(error, words)
        code = 0
    return _flushed(code, words)


def _flushed(code: int, words: list[str]) -> int:
    """The exit code, once all is written: the same whether a reader that had enough left before or after that."""
    try:
        _flush()
    except BrokenPipeError:
        _silence()
    except (OSError, ValueError) as error:
        return _explained(error, words)
    return code


def _reader_left() -> bool:
    """Whether it is stdout that is broken: its reader, such as `head`, had enough, which is no failure."""
    import select

    if not hasattr(select, "poll"):
        return True
    with contextlib.suppress(OSError, ValueError):
        watch = select.poll()
        watch.register(sys.stdout.fileno(), 0)  # errors are told unasked
        return bool(watch.poll(0))
    return False


def _take_any_text(out: TextIO) -> None:
    """Lets an output hold what people wrote: Windows has its code page for what is redirected, a terminal maybe ASCII.

    A file or a pipe gets UTF-8, as an export has it. A terminal shows what it can, and the rest as an escape.
    """
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(encoding=None if out.isatty() else "utf-8", errors="backslashreplace")


def _run(words: list[str]) -> int:
    parser = build_parser(words)
    args = parser.parse_args(words)
    if args.command is None:
        parser.print_help()
        return 0
    _warn_of_variables()
    act = getattr(args, "act", None)
    if act is not None:
        from .context import Context

        return int(act(args, Context.of(vars(args))) or 0)
    task: Any = getattr(args, "run", None)  # a trainer or an evaluator: it knows no settings of the app
    if task is None:
        parser.error(f"chatmem {args.command} needs to be told what to do; see chatmem {args.command} --help")
    return int(task(args) or 0)


def _warn_of_variables() -> None:
    """A mistyped CHATMEM_USR would be no setting, and nobody would hear of it."""
    if any(name.startswith("CHATMEM_") for name in os.environ):
        from .config.settings import strange_variables
        from .context import say

        for name, near in strange_variables(os.environ).items():
            say(f"chatmem: {name} is no setting; {near}")


def _explained(error: Exception, words: list[str]) -> int:
    from .config.failures import explain

    sentence, code = explain(error, words, os.environ)
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"chatmem: {sentence}", file=sys.stderr, flush=True)
    _silence()
    return code


def _flush() -> None:
    sys.stdout.flush()


def _silence() -> None:
    """What can't be written any more must not be tried again when Python ends."""
    try:
        _flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _threads_alive() -> bool:
    """A model that is still in native code would crash if Python were taken down under it."""
    import threading

    return any(thread.name.startswith("chatmem-") for thread in threading.enumerate())
