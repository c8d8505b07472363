"""`chatmem paths`: where everything is."""

from __future__ import annotations

import argparse

from ..context import Context, put_json, put_table


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(act=_paths)


def _paths(args: argparse.Namespace, context: Context) -> None:
    paths = context.paths.as_dict() | {"database": str(context.database_file)}
    if args.json:
        put_json(paths)
    else:
        put_table(("what", "where"), paths.items())
