"""The arguments of `chatmem eval ...`. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import compare, locomo_cli, storage_cli
from .progress import chosen_rows, data_arguments, drawn, good_rows, make_progress, spec_of


def register(subparsers: Any) -> None:
    """Adds the evaluators below `chatmem eval`."""
    text = "what the storage agent writes, against human notes"
    storage_cli.add_arguments(_add(subparsers, "storage", text, storage_cli.run))
    _msc_arguments(_add(subparsers, "msc", "questions about earlier sessions (MSC-Self-Instruct, DMR)", _msc))
    locomo_cli.add_arguments(_add(subparsers, "locomo", "questions about long conversations (LoCoMo)", locomo_cli.run))
    compare.add_arguments(_add(subparsers, "compare", "two records of the same questions, in pairs", compare.run))
    _chat_arguments(_add(subparsers, "chat", "tell it twelve facts, start again, ask twelve questions", _chat))


def _add(subparsers: Any, name: str, text: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + "."
    )
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write each prediction to FILE, as JSON lines")
    parser.set_defaults(run=run)
    return parser


def _msc_arguments(parser: argparse.ArgumentParser) -> None:
    data_arguments(parser, "MSC-Self-Instruct, one row a line")
    parser.add_argument("--num", type=int, default=0, metavar="N", help="rows drawn from the file (0: all)")
    parser.add_argument("--model", default="embedded", metavar="SPEC", help="the model that answers (embedded)")
    parser.add_argument("--adapter", default="answer", metavar="NAME", help="its adapter (answer); none: without one")
    parser.add_argument(
        "--compare", nargs="?", const="embedded", metavar="SPEC", help="a second model, by default the untrained base"
    )
    parser.add_argument("--no-answers", action="store_true", help="measure the recalled context alone")
    parser.add_argument(
        "--facts", choices=("none", "human", "agent"), default="none", help="memories beside the turns (none)"
    )
    parser.add_argument("--storage", metavar="SPEC", help="who writes them with --facts agent (embedded+storage)")
    parser.add_argument("--retrieval", metavar="SPEC", help="a retrieval agent; without one, plain search")
    parser.add_argument("--words", type=int, default=200, metavar="N", help="most words of recalled context (200)")


def _chat_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--script", type=Path, action="append", metavar="FILE", help="a script; may be given again")
    parser.add_argument(
        "--set", dest="group", choices=("dev", "held", "all"), default="all", help="which shipped scripts (all)"
    )
    parser.add_argument("--model", metavar="SPEC", help="the model of all roles (the chat's own default)")


def _msc(args: argparse.Namespace) -> int:
    from . import loaders, msc

    rows = drawn(chosen_rows(good_rows(loaders.load_dmr(args.data)), args.rows), args.num, args.seed)
    options = msc.MscOptions(
        answer=None if args.no_answers else spec_of(args.model, args.adapter),
        compare=None if args.no_answers else args.compare,
        storage=args.storage, retrieval=args.retrieval, facts=args.facts, words=args.words,
        threads=args.threads,
    )  # fmt: skip
    done = msc.predict(rows, options, tell=make_progress("rows", len(rows)))
    columns = {"value": msc.measures(done)}
    _put(args, "msc", f"DMR: {len(rows)} rows of {args.data.name}", columns, done)
    return 0


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
