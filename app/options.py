"""Options that every command takes, at any place on the command line."""

from __future__ import annotations

import argparse
from typing import Any


def common_options() -> argparse.ArgumentParser:
    """A parent parser. What isn't given is left out, so that an inner parser never hides what an outer one read."""
    options = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    group = options.add_argument_group("settings")
    group.add_argument("--config", metavar="FILE", help="the config file")
    group.add_argument("--db", metavar="FILE", help="the database")
    group.add_argument("--user", metavar="NAME", help="whose memory it is")
    return options


def add_action(actions: Any, name: str, text: str, act: Any, *, json: bool = False) -> argparse.ArgumentParser:
    """An action of a command, such as `list` of `memory`: its help, its `--json`, and what does it."""
    action: argparse.ArgumentParser = actions.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}.", parents=[common_options()], allow_abbrev=False
    )
    if json:
        action.add_argument("--json", action="store_true", help="as JSON")
    action.set_defaults(act=act)
    return action
