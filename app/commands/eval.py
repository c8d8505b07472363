"""`chatmem eval WHAT`: hands over to the evaluators."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...eval.agents.trust.talks import Source


def register(parser: argparse.ArgumentParser) -> None:
    from ...eval import cli

    cli.register(parser.add_subparsers(dest="what", metavar="WHAT", required=True), _talks)


def _talks() -> Source:
    """The talks that ship, which the trainers learn from and hold back."""
    from ...training.material.asked_after import asked_after

    return asked_after
