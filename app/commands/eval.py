"""`chatmem eval WHAT`: hands over to the evaluators."""

from __future__ import annotations

import argparse


def register(parser: argparse.ArgumentParser) -> None:
    from ...eval import cli

    cli.register(parser.add_subparsers(dest="what", metavar="WHAT", required=True))
