"""`chatmem train AGENT`: hands over to the trainers; for `--from-journal` it says which memory and whose it is."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...eval.arguments import PLACE_NAME
from ...memory.errors import SettingsError
from ..context import Context, say


def register(parser: argparse.ArgumentParser) -> None:
    from ...training import cli

    agents = parser.add_subparsers(dest="agent", metavar="AGENT", required=True)
    cli.register(agents)
    storage = agents.choices["storage"]
    own = storage.add_argument_group("a personal adapter")
    text = "learn from the edits, undos and /remember of your own journal, going on from the adapter that ships"
    own.add_argument("--from-journal", action="store_true", help=text)
    own.add_argument("--name", default="my-storage", metavar="NEW", help="what it is called (%(default)s)")
    own.add_argument("--db", type=PLACE_NAME, default=argparse.SUPPRESS, metavar="FILE", help="the database")
    own.add_argument("--user", default=argparse.SUPPRESS, metavar="NAME", help="whose corrections")
    storage.set_defaults(act=_storage)


def _storage(args: argparse.Namespace, context: Context) -> int:
    if not args.from_journal:
        return int(args.run(args))
    from ...models.embedder.lazy import LazyEmbedder
    from ...training import cli
    from ..admin.adapters import personal_folder

    if args.rows:
        raise SettingsError("--rows and --from-journal are two sources of rows; give one of them.")
    if args.valid_rows:
        raise SettingsError("--valid-rows doesn't go with --from-journal, which holds corrections back; leave it out.")
    args.install = personal_folder(context, args.name)
    with context.open_store(writes=False, there=True) as store:
        args.person = context.require_user(store).name
    args.database, args.embedder, args.secret = context.database, LazyEmbedder(), context.secret()
    args.out = args.out or Path("runs") / args.name
    if args.secret is not None:
        say("Warning: the rows and the adapter of a training hold words of the memory, and are not encrypted.")
    return cli.run_trainer(args, "storage.personal")
