"""`chatmem data ...`: hands over to the builders of data sets."""

from __future__ import annotations

import argparse


def register(parser: argparse.ArgumentParser) -> None:
    from ...training.editor import cli

    cli.register(parser.add_subparsers(dest="data", metavar="WHAT", required=True))
