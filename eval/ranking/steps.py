"""Steps over rows: each finished row is on the disk at once, and the same command goes on after an interruption.

A step's record holds what it found of each row by its key; at the end rows and findings are written together, in the
order of the rows. So it doesn't matter how many workers there were, or how often they were killed: the file is the
same.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from ...memory.errors import ChatmemError
from ..runs.progress import make_progress
from ..runs.provenance import code
from ..runs.records import Records, begin_anew, kept, must_be_new
from ..runs.spread import map_rows
from ..runs.work import Work
from .rows import Row, write_rows

Make = Callable[[], Work[Row, dict[str, Any]]]


def run_step(
    name: str, make: Make, rows: Sequence[Row], record: Path, settings: Mapping[str, Any], *,
    workers: int = 1, ray: bool = False, fresh: bool = False,
) -> list[Row]:  # fmt: skip
    """The rows with what this step finds; those that `record` holds aren't worked on again.

    Raises InputError for a record of another run, and what the step raises: what is done by then is kept.
    """
    if fresh:
        begin_anew(record, step=name)
    with Records(record, {"step": name, **settings, "rows": _stamp(rows), **code()}) as records:
        left = [row for row in rows if row.key not in records.done]
        tell = make_progress(name, len(rows))
        done = len(rows) - len(left)
        try:
            with closing(cast(Any, map_rows(make, left, workers=workers, ray=ray, group=_together))) as results:
                for place, found in results:
                    records.add({"key": left[place].key, **found})
                    done += 1
                    tell(done)
        except ChatmemError as error:
            raise type(error)(f"{error}{kept(done, len(rows), 'rows', record)}") from error
        except KeyboardInterrupt:
            print(f"\n{kept(done, len(rows), 'rows', record).strip()}", file=sys.stderr)
            raise
        found_of = {str(row["key"]): {k: v for k, v in row.items() if k != "key"} for row in records.rows}
    return [row.told(found_of[row.key]) for row in rows]


def to_file(
    name: str, make: Make, rows: Sequence[Row], out: Path, settings: Mapping[str, Any], **more: Any
) -> list[Row]:
    """As `run_step`, with the record beside `out`, and the rows written to it. A file that no such step wrote is left
    as it is: InputError."""
    record = out.with_name(f"{out.name}.record")
    if not record.exists():
        must_be_new(out)
    done = run_step(name, make, rows, record, settings, **more)
    write_rows(out, done)
    return done


def _together(row: Row) -> str:
    return row.haystack.stamp


def _stamp(rows: Sequence[Row]) -> str:
    """Tells these rows from others: their keys, questions and sessions, and what the steps before found."""
    whole = hashlib.sha256()
    for row in rows:
        told = (
            row.key,
            row.question,
            row.answer,
            row.haystack.stamp,
            sorted(row.found.items(), key=lambda pair: pair[0]),
        )
        whole.update(repr(told).encode("utf-8", "replace"))
    return whole.hexdigest()[:16]
