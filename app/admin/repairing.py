"""`chatmem doctor --repair`: a damaged database made whole, and in plain words what it cost."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict

from ...memory.errors import NotFound
from ..context import Context, confirm, put_json, say
from ..shown.hints import counted
from .backup_command import stamp

ONE = {
    "users": "user", "conversations": "conversation", "lines": "line", "memories": "memory", "writes": "write",
    "ties between memories and lines": "tie between a memory and a line",
    "ties between writes and lines": "tie between a write and a line", "names of exports": "name of an export",
}  # fmt: skip
"""What a repair counts, each as one of it is called."""


def repair(args: argparse.Namespace, context: Context) -> int:
    """Rescues what can be read. The exit code is 1 where something was lost."""
    from ...memory.repair import rescue

    path = context.database_file
    if not path.is_file():
        raise NotFound(f"There is no database at {path}; check the name.")
    confirm(f"Make {path} anew from what can be read of it? The damaged file is kept.", args.yes)
    done = rescue.repair(path, stamp())
    if args.json:
        put_json(
            {
                name: str(value) if name in ("damaged", "aside") and value else value
                for name, value in asdict(done).items()
            }
        )
    if done.damaged is None:
        say(f"Nothing in {path} is damaged: it is as it was.")
        return 0
    say(f"Kept {_counts(done.kept, rescue.NAMES)}.")
    if done.mended:
        say(f"Of these, damaged in part and mended: {_counts(done.mended, rescue.NAMES)}.")
    if done.lost:
        say(f"Lost: {_counts(done.lost, rescue.NAMES)}.")
    if done.aside:
        say(f"What is left of them is in {done.aside}, a line each.")
    say(f"The damaged file is {done.damaged}. Remove it when you miss nothing.")
    return int(bool(done.lost))


def _counts(counts: Mapping[str, int], names: Mapping[str, str]) -> str:
    told = (counted(count, ONE.get(names[table], names[table]), names[table]) for table, count in counts.items())
    return ", ".join(told) or "nothing"
