"""`chatmem paths`: where everything is, how large it is, and emptying the cache."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ...models.files.model_files import cache_folder
from ..admin import caches
from ..context import Context, confirm, put_json, put_table, say


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON; sizes are bytes")
    text = "remove what is in the cache; all of it is made or fetched again when it is needed"
    parser.add_argument("--empty-cache", action="store_true", help=text)
    parser.add_argument("--yes", action="store_true", help="don't ask")
    parser.set_defaults(act=_paths, lenient=True)


def _paths(args: argparse.Namespace, context: Context) -> None:
    found = caches.caches()
    if args.empty_cache:
        _empty(found, args.yes)
        return
    told = {"config_file": str(context.config_file), "database": str(context.database_file)}
    paths = context.paths.as_dict() | told | {"cache": str(cache_folder())}
    sizes = {name: caches.size_of(Path(path)) for name, path in paths.items() if Path(path).exists()}
    if args.json:
        put_json(paths | {"sizes": sizes, "caches": found})
        return
    rows = [(name, path, caches.megabytes(sizes[name]) if name in sizes else "not there yet", "")
            for name, path in paths.items()]  # fmt: skip
    rows += [(f"cache: {one.path.name}", str(one.path), caches.megabytes(one.size), one.what) for one in found]
    put_table(("what", "where", "size", "what it holds"), rows)
    if found and sys.stderr.isatty():
        say("`chatmem paths --empty-cache` empties the cache; what is needed again is made or fetched again.")
    for fault in context.faults:
        say(f"Not taken from the settings: {fault}")


def _empty(found: list[caches.Cache], yes: bool) -> None:
    if not found:
        say(f"The cache is empty: nothing of chatmem's is in {cache_folder()}.")
        return
    size = caches.megabytes(sum(one.size for one in found))
    confirm(f"Remove {', '.join(str(one.path) for one in found)} ({size})?", yes)
    say(f"Freed {caches.megabytes(caches.empty(found))}.")
