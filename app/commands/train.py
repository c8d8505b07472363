"""`chatmem train AGENT`: hands over to the trainers."""

from __future__ import annotations

import argparse


def register(parser: argparse.ArgumentParser) -> None:
    from ...training import cli

    cli.register(parser.add_subparsers(dest="agent", metavar="AGENT", required=True))
