"""Options that every command takes, at any place on the command line; and what several read alike: numbers, dates."""

from __future__ import annotations

import argparse
from functools import cache, partial
from pathlib import Path
from typing import Any

from ...eval.arguments import PLACE_NAME, day_words, number_of, option, past

MEMORY_ID = option(partial(number_of, what="memory", lists="`chatmem memory list`"))
SESSION_ID = option(partial(number_of, what="session", lists="`chatmem sessions list`"))
WRITE_ID = option(partial(number_of, what="write", lists="`chatmem memory journal`"))

STREAM = Path("-")
"""Stdout or stdin, named in the place of a file."""


def _day(text: str) -> str:
    from .zone import Here

    return day_words(text, Here())


def _past(text: str) -> str:
    from .zone import Here

    return past(text, Here())


DAY = option(_day)
"""A date in words or figures, as it was typed; what it means is told when it is kept."""
PAST = option(_past)
"""A past moment; what has no zone of its own is told by the clock here."""


@cache
def common_options() -> argparse.ArgumentParser:
    """A parent parser, one for all. What isn't given is left out, so that an inner parser never hides what an outer one
    read."""
    options = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    group = options.add_argument_group("settings")
    group.add_argument("--config", type=PLACE_NAME, metavar="FILE", help="the config file")
    group.add_argument("--db", type=PLACE_NAME, metavar="FILE", help="the database")
    group.add_argument("--user", metavar="NAME", help="whose memory it is")
    group.add_argument(
        "--passphrase-file", type=PLACE_NAME, metavar="FILE",
        help="a file whose first line opens an encrypted database",
    )  # fmt: skip
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
