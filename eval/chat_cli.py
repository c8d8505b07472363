"""The arguments of `chatmem eval chat`, and its run."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .progress import make_progress
from .provenance import code

if TYPE_CHECKING:
    from .chat import ChatRun, Script


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `eval chat`."""
    parser.add_argument("--script", type=Path, action="append", metavar="FILE", help="a script; may be given again")
    parser.add_argument(
        "--set", dest="group", choices=("dev", "held", "all"), default="all", help="which shipped scripts (all)"
    )
    parser.add_argument("--model", metavar="SPEC", help="the model of all roles (the chat's own default)")


def run(args: argparse.Namespace) -> int:
    """Measures; with --out each finished script is kept, and the same command goes on after an interruption."""
    from . import chat, report

    scripts = [chat.load_script(path) for path in args.script or chat.shipped(args.group)]
    runs = _runs(args, scripts)
    if args.json:
        print(report.as_json("chat", {"value": chat.measures(runs)}))
        return 0
    report.show("Twelve facts in twenty lines", {"value": chat.measures(runs)})
    for one in runs:
        for asked in one.asked:
            mark = "ok " if asked.answered else "-- "
            print(f"{mark}{'' if asked.found else '(not findable) '}{asked.ask.question} -> {asked.reply}")
    return 0


def _runs(args: argparse.Namespace, scripts: Sequence[Script]) -> list[ChatRun]:
    from . import chat
    from .records import Records

    options = ["--model", args.model] if args.model else []
    tell, runs = make_progress("scripts told, searched and asked", chat.STAGES * len(scripts)), []
    with ExitStack() as stack:
        settings = {"eval": "chat", "model": args.model, **code()}
        records = stack.enter_context(Records(args.out, settings)) if args.out else None
        done = {str(row["key"]): row for row in records.rows} if records else {}
        for number, script in enumerate(scripts):
            key = f"{script.name} {_print(script)}"
            on = _after(chat.STAGES * number, tell)
            found = _read(done[key]) if key in done else chat.run_script(script, options=options, tell=on)
            if records and key not in done:
                records.add({"key": key, **asdict(found)})
            runs.append(found)
    return runs


def _after(before: int, tell: Callable[[int], None]) -> Callable[[int], None]:
    return lambda done: tell(before + done)


def _print(script: Script) -> str:
    """Of what a script says: one that was changed is another."""
    return hashlib.sha256(repr(script).encode()).hexdigest()[:8]


def _read(row: dict[str, Any]) -> ChatRun:
    from .chat import Ask, Asked, ChatRun

    asked = tuple(
        Asked(
            Ask(one["ask"]["question"], tuple(one["ask"]["keys"]), one["ask"]["find"]),
            one["reply"], one["answered"], one["found"],
        )
        for one in row["asked"]
    )  # fmt: skip
    return ChatRun(row["script"], asked, tuple(row["memories"]))
