"""The guard: may this SQL, written by a language model or typed by a person, be run? A verdict, with the reason.

Pure: it touches no database. The order: length, characters and tokens (`tokens`), what stands in one another (`shape`),
then a parse in counted steps (`parsing`) whose tree is written anew from an allow-list (`read_rules` for reads,
`write_rules` for writes). What passes is run in the `sandbox`, which does not trust this page: it denies all else by
itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from ..errors import Refused
from ..values import Moment, Verdict
from .tokens import is_nothing, statements
from .view import LINES, VIEW

MAX_READ = 4_000
"""Characters of a SELECT."""
MAX_WRITE = 40_000
"""Characters of a batch of writes."""
MAX_READ_TOKENS = 400
MAX_ROWS = 20

_Kind = Literal["insert", "update", "delete", ""]
_KINDS: dict[str, _Kind] = {"insert": "insert", "update": "update", "delete": "delete"}
_TOO_DEEP = "the statement nests too deep"


def check_read(sql: str, *, subjects: Sequence[str] = ()) -> Verdict:
    """May this SELECT be run? `subjects`, the known ones, mend the case of `subject = 'ana'`; they limit nothing."""
    return _read(sql, tuple(subjects))


def check_write(
    sql: str, *, subjects: Sequence[str] | None = None, max_rows: int = MAX_ROWS, said_at: Moment | None = None
) -> Verdict:
    """May these INSERTs, UPDATEs and DELETEs be run? A lone `-- nothing` is allowed and does nothing (`sql` is empty).

    `subjects`: the only ones that may be written about (case is mended); None: any. `said_at`: the moment against which
    words like "yesterday" in `happened_on` are resolved; without it only dates, months and years are allowed.
    """
    return _write(sql, None if subjects is None else tuple(subjects), max_rows, said_at)


@lru_cache(maxsize=512)
def _read(sql: str, subjects: tuple[str, ...]) -> Verdict:
    try:
        found = statements(sql, MAX_READ)
        if len(found) != 1:
            raise Refused("a read is one SELECT, not several statements")
        first = found[0].tokens[0].text.lower()
        if first != "select":
            raise Refused(f"only a SELECT can read, not {first.upper()[:30]}")
        if len(found[0].tokens) > MAX_READ_TOKENS:
            raise Refused(f"the statement has too many parts (more than {MAX_READ_TOKENS})")
        from . import parsing, read_rules, shape

        shape.check_shape(found[0].tokens, (read_rules.ABOUT, "cast", *read_rules.FUNCTIONS))
        writer = read_rules.Select(subjects)
        text = writer.query(parsing.parse(found[0].text))
    except Refused as refused:
        return Verdict(False, refused.reason, "select")
    except RecursionError:
        return Verdict(False, _TOO_DEEP, "select")
    about, about_lines = (tuple(writer.about[name]) for name in (VIEW, LINES))
    table = writer.tables.pop() if len(writer.tables) == 1 else ""
    steps = ((text, found[0].text),)
    return Verdict(True, "", "select", text, steps, about, about_lines=about_lines, table=table)


@lru_cache(maxsize=512)
def _write(sql: str, subjects: tuple[str, ...] | None, max_rows: int, said_at: Moment | None) -> Verdict:
    if is_nothing(sql):
        return Verdict(True, "nothing to write", subjects=subjects, max_rows=max_rows)
    kind: _Kind = ""
    try:
        found = statements(sql, MAX_WRITE)
        kind = _KINDS.get(found[0].tokens[0].text.lower(), "")
        from . import write_rules

        writer = write_rules.Writer(subjects, said_at, max_rows)
        steps = tuple((writer.statement(statement), statement.text) for statement in found)
    except Refused as refused:
        return Verdict(False, refused.reason, kind)
    except RecursionError:
        return Verdict(False, _TOO_DEEP, kind)
    return Verdict(True, "", kind, "; ".join(step for step, _ in steps), steps, (), subjects, max_rows)
