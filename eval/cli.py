"""The arguments of `chatmem eval ...`. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import arguments, compare, editor_cli, generation_cli, judge_cli, retrieval_cli, storage_cli
from .progress import make_progress

ANSWERED = {
    "msc": "questions about earlier sessions (MSC-Self-Instruct, DMR)",
    "locomo": "questions about long conversations (LoCoMo)",
    "longmemeval": "questions about some fifty sessions with an assistant (LongMemEval)",
}


def register(subparsers: Any) -> None:
    """Adds the evaluators below `chatmem eval`."""
    text = "what the storage agent writes, against human notes"
    storage_cli.add_arguments(_add(subparsers, "storage", text, storage_cli.run))
    text = "whether the retrieval agent's SELECT brings the evidence (LoCoMo)"
    retrieval_cli.add_arguments(_add(subparsers, "retrieval", text, retrieval_cli.run))
    for name, what in ANSWERED.items():
        arguments.add_arguments(_add(subparsers, name, what, generation_cli.RUNS[name]), name)
    judge_cli.add_arguments(_add(subparsers, "judge", "a model judges answers, and is tried itself", judge_cli.run))
    editor_cli.add_arguments(
        _add(subparsers, "editor", "what tidying does to memories spoiled on purpose", editor_cli.run)
    )
    compare.add_arguments(_add(subparsers, "compare", "two records of the same questions, in pairs", compare.run))
    _chat_arguments(_add(subparsers, "chat", "tell it twelve facts, start again, ask twelve questions", _chat))


def _add(subparsers: Any, name: str, text: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + "."
    )
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep each finished row in FILE, as JSON lines")
    parser.set_defaults(run=run)
    return parser


def _chat_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--script", type=Path, action="append", metavar="FILE", help="a script; may be given again")
    parser.add_argument(
        "--set", dest="group", choices=("dev", "held", "all"), default="all", help="which shipped scripts (all)"
    )
    parser.add_argument("--model", metavar="SPEC", help="the model of all roles (the chat's own default)")


def _chat(args: argparse.Namespace) -> int:
    from . import chat

    paths = args.script or chat.shipped(args.group)
    scripts = [chat.load_script(path) for path in paths]
    options = ["--model", args.model] if args.model else []
    tell, runs = make_progress("scripts", len(scripts)), []
    for number, script in enumerate(scripts, 1):
        runs.append(chat.run_script(script, options=options))
        tell(number)
    _put(args, "chat", "Twelve facts in twenty lines", {"value": chat.measures(runs)}, runs)
    if not args.json:
        for run in runs:
            for asked in run.asked:
                mark = "ok " if asked.answered else "-- "
                print(f"{mark}{'' if asked.found else '(not findable) '}{asked.ask.question} -> {asked.reply}")
    return 0


def _put(args: argparse.Namespace, what: str, title: str, columns: Any, records: Sequence[Any]) -> None:
    from . import report

    if args.out:
        report.write_records(args.out, records)
    if args.json:
        print(report.as_json(what, columns))
    else:
        report.show(title, columns)
