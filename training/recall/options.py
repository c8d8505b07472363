"""The options of `chatmem train recall`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...eval.arguments import COUNT, NUMBER

ALONE = {
    "--known": "what counts as an answer, from the talks that ship",
    "--reader": "which told sentence answers, from the talks that ship",
    "--cross-encoder": "the small model that reads a question together with a told sentence",
    "--later": "when a later line is told beside what is read out, since it holds in its place",
    "--asking": "which lines ask without the form of a question",
    "--ended": "the small model that reads a line together with a fact that it may end",
    "--wished": "the small model that tells a line that wishes something forgotten, and what it means",
}
"""Parts that can be trained by themselves."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `train recall`."""
    for name, help_ in ALONE.items():
        parser.add_argument(name, action="store_true", help=f"only {help_}; needs no data")
    parser.add_argument(
        "--locomo", type=Path, metavar="FILE", help="LoCoMo's conversations, JSON (without the options above)"
    )
    parser.add_argument(
        "--beam", type=Path, metavar="FILE", help="BEAM's chats: its folder, or a file in LoCoMo's form"
    )
    parser.add_argument("--dmr", type=Path, metavar="FILE", help="MSC-Self-Instruct (DMR), JSON lines")
    parser.add_argument(
        "--dmr-rows", type=NUMBER, default=300, metavar="N", help="its first rows, the rest is held back (300)"
    )
    parser.add_argument("--msc", type=Path, metavar="FILE", help="Multi-Session Chat, JSON lines, for --questions")
    parser.add_argument("--questions", type=Path, metavar="FILE", help="questions written about --msc's chats")
    parser.add_argument(
        "--out", type=Path, default=Path("runs/recall"), metavar="DIR", help="where all goes (runs/recall)"
    )
    parser.add_argument(
        "--folds", type=COUNT, default=3, metavar="N", help="groups of conversations, each held back once (3)"
    )
    parser.add_argument("--epochs", type=COUNT, default=5, metavar="N", help="of the question encoder (5)")
    parser.add_argument("--model", type=Path, metavar="DIR", help="MiniLM's safetensors (default: the package's)")
    parser.add_argument(
        "--start",
        type=Path,
        metavar="DIR",
        help="go on from what is there (for --cross-encoder, --ended, --wished and --later)",
    )
    parser.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="of order and weights (0)")
