"""The options of `chatmem train recall`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...eval.arguments import COUNT, NUMBER, PLACE
from ...memory.errors import InputError, WrongUsage

ALONE = {
    "--known": "what counts as an answer, from the talks that ship",
    "--reader": "which told sentence answers, from the talks that ship",
    "--cross-encoder": "the small model that reads a question together with a told sentence",
    "--later": "when a later line is told beside what is read out, since it holds in its place",
    "--asking": "which lines ask without the form of a question",
    "--ended": "the small model that reads a line together with a fact that it may end",
    "--wished": "the small model that tells a line that wishes something forgotten, and what it means",
    "--punctuation": "the small model that puts marks back into a line that has none",
}
"""Parts that can be trained by themselves."""

GOING_ON = ("--cross-encoder", "--ended", "--wished", "--later", "--punctuation")
"""Those that `--start` is for."""
DATA = ("locomo", "beam", "dmr", "msc", "questions")


def check(args: argparse.Namespace) -> None:
    """Raises WrongUsage, InputError for what would be passed over, or be missed when all else is done."""
    alone = [name for name in ALONE if getattr(args, name.removeprefix("--").replace("-", "_"))]
    given = [f"--{name}" for name in DATA if getattr(args, name)]
    if len(alone) > 1:
        raise WrongUsage(f"{' and '.join(alone)} are trained one at a time; give one of them.")
    if alone and given:
        raise WrongUsage(f"{alone[0]} needs no data; leave {' and '.join(given)} out.")
    if not alone and args.locomo is None:
        raise WrongUsage(
            f"Give --locomo FILE (LoCoMo's conversations), or one of {', '.join(ALONE)}, which need no data."
        )
    if bool(args.msc) != bool(args.questions):
        raise WrongUsage("--msc and --questions belong together; give both or neither.")
    if args.start and not set(alone) & set(GOING_ON):
        raise WrongUsage(f"--start goes with {', '.join(GOING_ON)}; give one of them, or leave it out.")
    if args.start and not args.start.is_dir():
        raise InputError(f"There is no folder {args.start}; check the path after --start.")
    if args.model and not any(args.model.glob("*.safetensors")):
        raise InputError(f"{args.model} holds no model (*.safetensors); check the path after --model.")
    if args.out.exists() and not args.out.is_dir():
        raise InputError(f"{args.out} is a file; name a folder with --out.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `train recall`."""
    for name, help_ in ALONE.items():
        parser.add_argument(name, action="store_true", help=f"only {help_}; needs no data")
    parser.add_argument(
        "--locomo", type=PLACE, metavar="FILE", help="LoCoMo's conversations, JSON (without the options above)"
    )
    parser.add_argument(
        "--beam", type=PLACE, metavar="FILE", help="BEAM's chats: its folder, or a file in LoCoMo's form"
    )
    parser.add_argument("--dmr", type=PLACE, metavar="FILE", help="MSC-Self-Instruct (DMR), JSON lines")
    parser.add_argument(
        "--dmr-rows", type=NUMBER, default=300, metavar="N", help="its first rows, the rest is held back (300)"
    )
    parser.add_argument("--msc", type=PLACE, metavar="FILE", help="Multi-Session Chat, JSON lines, for --questions")
    parser.add_argument("--questions", type=PLACE, metavar="FILE", help="questions written about --msc's chats")
    parser.add_argument(
        "--out", type=PLACE, default=Path("runs/recall"), metavar="DIR", help="where all goes (runs/recall)"
    )
    parser.add_argument(
        "--folds", type=COUNT, default=3, metavar="N", help="groups of conversations, each held back once (3)"
    )
    parser.add_argument("--epochs", type=COUNT, default=5, metavar="N", help="of the question encoder (5)")
    parser.add_argument("--model", type=PLACE, metavar="DIR", help="MiniLM's safetensors (default: the package's)")
    parser.add_argument(
        "--start",
        type=PLACE,
        metavar="DIR",
        help=f"go on from what is there (for {', '.join(GOING_ON[:-1])} and {GOING_ON[-1]})",
    )
    parser.add_argument("--seed", type=NUMBER, default=0, metavar="N", help="of order and weights (0)")
