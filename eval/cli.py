"""The arguments of `chatmem eval ...`. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from . import (
    arguments,
    chat_cli,
    compare,
    editor_cli,
    generation_cli,
    judge_cli,
    report_cli,
    retrieval_cli,
    storage_cli,
)

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
    text = "records as Markdown, JSON and charts"
    parser = subparsers.add_parser("report", help=text, description=f"{text[0].upper()}{text[1:]}.")
    report_cli.add_arguments(parser)
    parser.set_defaults(run=report_cli.run)
    chat_cli.add_arguments(
        _add(subparsers, "chat", "tell it twelve facts, start again, ask twelve questions", chat_cli.run)
    )


def _add(subparsers: Any, name: str, text: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + "."
    )
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep each finished row in FILE, as JSON lines")
    parser.set_defaults(run=run)
    return parser
