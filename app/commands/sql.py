"""`chatmem sql`: the memory as SQL, through the same guard and journal as the models."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ...eval.arguments import COUNT, TEXT
from ..context import Context, put, put_json, put_table, say


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sql",
        type=TEXT,
        help="a statement on memory(id, subject, topic, fact, happened_on, said_at), - for stdin; a SELECT can read "
        "lines(id, speaker, text, said_at, session) too, and about('words') in it is how well a row fits the words",
    )
    parser.add_argument("--write", action="store_true", help="allow INSERT, UPDATE, DELETE; undo takes them back")
    parser.add_argument("--limit", type=COUNT, default=200, metavar="N", help="most rows (200)")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(act=_sql)


def _sql(args: argparse.Namespace, context: Context) -> int:
    from ..shown.hints import refused_read

    sql = sys.stdin.read() if args.sql == "-" else args.sql
    if args.write:
        return _write(sql, args, context)
    with context.open_store(writes=False, search=True) as store:
        user = context.require_user(store)
        with refused_read(sql, "--write lets a statement change the memory, and `chatmem memory undo` takes it back"):
            rows = store.facts.read(user.id, sql, limit=args.limit)
    if args.json:
        put_json([dict(zip(_keys(rows.columns), row, strict=True)) for row in rows.rows])
    else:
        put_table(rows.columns, rows.rows)
    if rows.truncated:
        say(f"There are more rows than {args.limit}; --limit takes a higher number.")
    return 0


def _keys(columns: Sequence[str]) -> list[str]:
    """Column names as keys of an object, which holds each but once: a second `id` is `id:1`."""
    keys: list[str] = []
    for name in columns:
        tries = (f"{name}:{number}" if number else name for number in range(len(columns)))
        keys.append(next(key for key in tries if key not in keys))
    return keys


def _write(sql: str, args: argparse.Namespace, context: Context) -> int:
    from ...memory.errors import Refused
    from ...memory.values import HUMAN
    from ..shown.hints import written
    from ..shown.render import chips

    with context.open_store(search=True) as store:
        result = store.facts.write(store.users.get(context.settings.user).id, sql, author=HUMAN)
    if result.refused:
        raise Refused(result.refused)
    if args.json:
        put_json(result.entries)
    else:
        for line in chips(result.entries):
            put(line)
    say(written(len(result.entries), "`chatmem memory undo`"))
    return 0
