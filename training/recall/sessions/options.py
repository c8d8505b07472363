"""The options of `chatmem train ranker` beside those that all agents have."""

from __future__ import annotations

import argparse

from ....eval.arguments import ABOVE_ZERO, COUNT, NUMBER, PLACE

DEFAULTS = {
    "max_length": 4096,
    "batch_tokens": 4096,
    "samples": 6,
    "max_rows": 2_000,
    "eval_rows": 20,
    "reply_tokens": None,
}
"""Where a ranker differs: a prompt holds twelve digests (about 2,000 tokens), a group six replies
(DAPO, n = 6), whose length hangs on the form;
each held-back row is answered six times by the frozen model."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the rows and the reward's frozen model."""
    some = parser.add_argument_group("sessions (ranker)")
    some.add_argument("--ranked", type=PLACE, metavar="DIR", help="what `chatmem data rank` wrote; else --locomo")
    some.add_argument(
        "--form", choices=("auto", "digest", "whole"), default="auto",
        help="how sessions are told (auto: digests to a window below 16384 tokens)",
    )  # fmt: skip
    some.add_argument(
        "--answers", default="embedded+answer", metavar="SPEC",
        help="the frozen model whose answers are the reward (embedded+answer); none: NDCG@10 alone",
    )  # fmt: skip
    some.add_argument("--tokens", type=COUNT, default=8_192, metavar="N", help="of sessions that it reads (8192)")
    some.add_argument(
        "--warm-up", type=NUMBER, metavar="N",
        help="steps in which the reward goes from NDCG@10 to what the answers earn (half of all)",
    )  # fmt: skip
    some.add_argument("--per-minute", type=ABOVE_ZERO, metavar="N", help="most requests to an endpoint a minute")
    parser.set_defaults(**DEFAULTS)
