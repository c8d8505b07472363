"""The options of `chatmem train all`. Nothing heavy is imported."""

from __future__ import annotations

import argparse
from pathlib import Path

from ....eval.arguments import ABOVE_ZERO, COUNT, NUMBER, PLACE

REHEARSAL = {"steps": 2, "talks": 2, "prompts": 4, "samples": 4, "max_rows": 24, "eval_rows": 2}
"""What `--rehearse` makes of everything that is not given."""
USUAL = {"steps": 600, "talks": 400, "prompts": 400, "samples": 4, "max_rows": 20_000, "eval_rows": 200}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `train all`."""
    data = parser.add_argument_group("data (the templates are always there; the ranker needs --ranked or --locomo)")
    data.add_argument("--msc", type=PLACE, metavar="FILE", help="Multi-Session Chat with persona facts, JSON lines")
    data.add_argument("--locomo", type=PLACE, metavar="FILE", help="LoCoMo's conversations, JSON")
    data.add_argument("--dmr", type=PLACE, metavar="FILE", help="MSC-Self-Instruct (DMR), JSON lines")
    data.add_argument("--questions", type=PLACE, metavar="FILE", help="questions written about --msc's chats")
    data.add_argument("--ranked", type=PLACE, metavar="DIR", help="ranker: what `chatmem data rank` wrote")
    data.add_argument("--talks", type=NUMBER, help="talks made from the templates (400)")
    data.add_argument("--max-rows", type=COUNT, metavar="N", help="most training rows of an agent (20000)")
    _add_run(parser.add_argument_group("run"))


def _add_run(run: argparse._ArgumentGroup) -> None:
    run.add_argument("--minutes", type=ABOVE_ZERO, default=25, help="for all of it, shared among the agents (25)")
    run.add_argument("--agents", metavar="A,B", help="only these, in this order (all)")
    run.add_argument("--out", type=PLACE, default=Path("runs/all"), metavar="DIR", help="where all goes (runs/all)")
    run.add_argument("--base", default="embedded", metavar="SPEC", help="embedded, or hf:NAME_OR_FOLDER[:4bit]")
    run.add_argument("--steps", type=COUNT, help="most steps of a stage (600)")
    run.add_argument("--batch-tokens", type=COUNT, help="tokens of a batch (1536; on a card 12000)")
    run.add_argument("--prompts", type=COUNT, help="sampled in a round (400)")
    run.add_argument("--samples", type=COUNT, help="completions of a prompt (4)")
    run.add_argument(
        "--eval-rows", type=COUNT, metavar="N", help="most held-back rows that an agent is measured on (200)"
    )
    run.add_argument(
        "--answers", default="embedded+answer", metavar="SPEC", help="ranker: whose answers are the reward"
    )
    run.add_argument("--threads", type=COUNT, help="of llama.cpp, which samples and measures")
    run.add_argument("--seed", type=NUMBER, default=0, help="of data, order and weights (0)")
    run.add_argument(
        "--rehearse", action="store_true", help="two steps of each stage, the ranker's too: does all run here?"
    )
    run.add_argument("--plan", action="store_true", help="only tell the stages, their minutes, and what must be there")
    run.add_argument("--fresh", action="store_true", help="begin anew; else what is done in --out is gone on with")


def settle(args: argparse.Namespace) -> None:
    """Fills in what wasn't given."""
    for name, value in (REHEARSAL if args.rehearse else USUAL).items():
        if getattr(args, name) is None:
            setattr(args, name, value)
