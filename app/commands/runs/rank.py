"""`chatmem rank STEP`: hands over to the steps of session ranking."""

from __future__ import annotations

import argparse


def register(parser: argparse.ArgumentParser) -> None:
    from ....eval.ranking import cli

    cli.register(parser.add_subparsers(dest="step", metavar="STEP", required=True))
