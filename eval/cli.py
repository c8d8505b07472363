"""The arguments of `chatmem eval ...`. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .agents import chat_cli, editor_cli, retrieval_cli, storage_cli
from .agents.asked import cli as asked_cli
from .agents.changes import cli as changes_cli
from .agents.lives import cli as lives_cli
from .agents.quotes import cli as quotes_cli
from .agents.trust import cli as trust_cli
from .answers import cli as answers_cli
from .answers import options
from .arguments import PLACE
from .judge import cli as judge_cli
from .report import cli as report_cli
from .report import compare

if TYPE_CHECKING:
    from .agents.trust.talks import Source

ANSWERED = {
    "msc": "questions about earlier sessions (MSC-Self-Instruct, DMR)",
    "locomo": "questions about long conversations (LoCoMo)",
    "longmemeval": "questions about some fifty sessions with an assistant (LongMemEval)",
    "beam": "questions about long chats with an assistant (BEAM)",
    "personamem": "which of several replies fits a person best (PersonaMem)",
}


def register(subparsers: Any, talks: Callable[[], Source] | None = None) -> None:
    """Adds the evaluators below `chatmem eval`. `talks`: what `eval trust` asks after, which lies a floor above; None:
    it isn't wanted."""
    text = "what the storage agent writes, against human notes"
    storage_cli.add_arguments(_add(subparsers, "storage", text, storage_cli.run))
    text = "whether the retrieval agent's SELECT brings the evidence (LoCoMo)"
    retrieval_cli.add_arguments(_add(subparsers, "retrieval", text, retrieval_cli.run))
    text = "questions that count, list, date or order: what search shows, and what a SELECT adds"
    asked_cli.add_arguments(_add(subparsers, "asked", text, asked_cli.run))
    text = "what a new line does to what is known: replaced what it should, and nothing else"
    changes_cli.add_arguments(_add(subparsers, "changes", text, changes_cli.run))
    text = "whole lives told line by line: facts kept, lost to other lines, changed"
    lives_cli.add_arguments(_add(subparsers, "lives", text, lives_cli.run))
    text = "whose words a line holds: what is quoted is never taken for the speaker's own"
    quotes_cli.add_arguments(_add(subparsers, "quotes", text, quotes_cli.run))
    for name, what in ANSWERED.items():
        options.add_arguments(_add(subparsers, name, what, answers_cli.RUNS[name]), name)
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
    if talks is not None:
        text = "one report on trust: wrong overwrites, twelve facts, and how sure it is beside how right"
        parser = subparsers.add_parser("trust", help=text, description=f"{text[0].upper()}{text[1:]}.")
        trust_cli.add_arguments(parser, talks)
        parser.set_defaults(run=trust_cli.run)


def _add(subparsers: Any, name: str, text: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + "."
    )
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--out", type=PLACE, metavar="FILE", help="keep each finished row in FILE, as JSON lines")
    parser.set_defaults(run=run)
    return parser
