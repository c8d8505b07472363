"""`chatmem sql`: the memory as SQL, through the same guard and journal as the models."""

from __future__ import annotations

import argparse
import sys

from ..context import Context, put_json, put_table, say


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sql",
        help="a statement on memory(id, subject, topic, fact, happened_on, said_at), - for stdin; a SELECT can read "
        "lines(id, speaker, text, said_at, session) too, and about('words') in it is how well a row fits the words",
    )
    parser.add_argument("--write", action="store_true", help="allow INSERT, UPDATE, DELETE; undo takes them back")
    parser.add_argument("--limit", type=int, default=200, metavar="N", help="most rows (200)")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(act=_sql)


def _sql(args: argparse.Namespace, context: Context) -> int:
    from ...memory.errors import Refused
    from ...memory.values import HUMAN

    sql = sys.stdin.read() if args.sql == "-" else args.sql
    with context.open_store(writes=args.write, search=True) as store:
        if args.write:
            result = store.write(store.user(context.settings.user).id, sql, author=HUMAN)
            if result.refused:
                raise Refused(result.refused)
            if args.json:
                put_json(result.entries)
            say(f"{len(result.entries)} rows written; `chatmem memory undo` takes them back.")
            return 0
        user = context.require_user(store)
        rows = store.read(user.id, sql, limit=args.limit)
    if args.json:
        put_json([dict(zip(rows.columns, row, strict=True)) for row in rows.rows])
    else:
        put_table(rows.columns, rows.rows)
    if rows.truncated:
        say(f"There are more rows than {args.limit}; --limit takes a higher number.")
    return 0
