"""Runs what the guard let through, on a connection that can do nothing else for that time.

It does not rely on the guard: an authorizer denies all but the view (and what the view's own triggers do), reads run
under `query_only`, a progress handler ends what takes too long, SQLite's own limits bound lengths and depths, rows and
bytes are capped, and a savepoint makes each batch all or nothing. Afterwards the connection is as it was before.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..database.driver import errors, errors_and, set_limit
from ..errors import Refused
from ..values import LINE_LIMIT, Rows, Verdict
from . import view
from .tokens import fold, quote
from .view import WriteContext

__all__ = ["ReadLimits", "WriteContext", "run_read", "run_write"]

About = Callable[[str], Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Caps of one run: rows and bytes that a read returns (more is cut off), and the seconds that it may compute.

    Computing is what is counted, so that a busy machine refuses nothing honest; by the clock, sixty times as long.
    """

    rows: int = 200
    bytes: int = 256_000
    seconds: float = 0.2


FUNCTIONS = frozenset((
    "about", "about_line", "abs", "avg", "coalesce", "count", "current_date", "current_timestamp", "date", "datetime",
    "group_concat", "ifnull", "iif", "instr", "julianday", "length", "like", "lower", "ltrim", "max", "min", "nullif",
    "round", "rtrim", "strftime", "substr", "substring", "sum", "total", "trim", "upper",
))  # fmt: skip
"""What a read may call; SQLite itself asks for `like` when it meets the operator."""
_TRIGGER_FUNCTIONS = frozenset(("coalesce", "json", "json_group_array", "json_object", "length", "max", "typeof"))
_TRIGGER_WRITES = frozenset(("memories", "memory_evidence", "journal"))

_READ_SHAPE = re.compile(r"\s*SELECT\b", re.IGNORECASE)
_WRITE_SHAPE = re.compile(
    r"\s*(INSERT\s+INTO\s+memory\b|UPDATE\s+memory\s+SET\b|DELETE\s+FROM\s+memory\b)", re.IGNORECASE
)
_SAVEPOINT = "chatmem_sandbox"
_STEPS = (8, 400)
"""How many steps of SQLite's machine between two looks at the clock: at least, at most."""
_LIKE_WORK = 2_000
"""Steps between two looks, times the characters of the longest literal: a LIKE is one step, and costs its pattern's
length for each character that it looks at."""
_ABOUT = re.compile(r'\babout(_line)?\((\d{1,4}), "\w+"\.id\)')
_LITERAL = re.compile(r"'(?:[^']|'')*+'")

_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 4 * LINE_LIMIT + 100_000,  # bytes: what the store keeps can be read
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 60_000, sqlite3.SQLITE_LIMIT_COLUMN: 64,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100, sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 8,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 32, sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 300, sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 2, sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}  # fmt: skip
_REFUSALS = {
    sqlite3.SQLITE_AUTH: "it reaches for something that is not the memory",
    sqlite3.SQLITE_READONLY: "a read can't change anything",
    sqlite3.SQLITE_TOOBIG: "a text in it grows too long, or was stored too long (`chatmem doctor` tells)",
    sqlite3.SQLITE_NOMEM: "it needs too much memory",
    sqlite3.SQLITE_CONSTRAINT: "",
    sqlite3.SQLITE_MISMATCH: "a value is of the wrong kind",
    sqlite3.SQLITE_RANGE: "it has parameters without values",
    sqlite3.SQLITE_ERROR: "",
}
"""SQLite's result codes that are the statement's fault; "": SQLite's own words say it best."""


def run_read(
    db: sqlite3.Connection, user_id: int, verdict: Verdict, about: About | None = None,
    limits: ReadLimits | None = None, *, about_lines: About | None = None,
) -> Rows:  # fmt: skip
    """Run an allowed SELECT on the user's views. Raises Refused; other errors of the database come through as they are.

    `about` gives the scores of `about('words')` by row id, `about_lines` those of lines; rows they do not name score 0.
    They are called here, before the connection is restricted, so they may use the database.
    """
    limits = limits or ReadLimits()
    _check(verdict, _READ_SHAPE)
    scores = {"about": _scores(verdict.about, about), "about_line": _scores(verdict.about_lines, about_lines)}
    with _prepared(db), _scoring(db, scores):
        view.set_reader(db, user_id)
        if "instr(" in verdict.sql:  # it stays on the connection: SQLite gives its own one back to no one
            db.create_function("instr", 2, _instr, deterministic=True)
        db.execute("PRAGMA query_only = ON")
        looks = _steps(verdict.sql)
        with _restricted(db, _reading, _clock(limits.seconds), looks), _refusing(limits.seconds, reading=True):
            rows = _fetch(db, verdict.sql, limits)
        return replace(rows, columns=tuple(_heading(name, verdict) for name in rows.columns), table=verdict.table)


def _heading(name: str, verdict: Verdict) -> str:
    """A column as the person named it: SQLite calls it what the guard made of `about('words')`."""

    def written(found: re.Match[str]) -> str:
        words = verdict.about_lines if found[1] else verdict.about
        number = int(found[2])
        return f"about({quote(words[number])})" if number < len(words) else found[0]

    return _ABOUT.sub(written, name)


def _scores(wanted: Sequence[str], about: About | None) -> list[dict[int, float]]:
    if wanted and about is None:
        raise Refused("about() can't be used here, since there is no search behind it")
    return [dict(about(words)) for words in wanted] if about else []


def run_write(
    db: sqlite3.Connection, user_id: int, verdict: Verdict, context: WriteContext, limits: ReadLimits | None = None
) -> list[int]:
    """Run an allowed batch of writes on the user's view, all or nothing; returns the ids of its journal entries.

    Runs in the caller's transaction, in a savepoint of its own (without a transaction it makes one and commits it).
    Search indexes are the caller's to bring up to date. Raises Refused; then nothing has changed.
    """
    limits = limits or ReadLimits()
    steps = verdict.steps or ((verdict.sql, verdict.sql),) if verdict.allowed and verdict.sql else ()
    for canonical, _ in steps:
        _check(verdict, _WRITE_SHAPE, canonical)
    if not steps:
        _check(verdict, re.compile(""))
        return []
    late = _clock(limits.seconds)
    with _prepared(db, keep=True):
        last = db.execute("SELECT coalesce(max(id), 0) FROM main.journal").fetchone()[0]
        for canonical, written in steps:
            view.set_writer(db, user_id, context, written)
            with _restricted(db, _writing, late), _refusing(limits.seconds):
                _run(db, canonical)
            _check_rows(db, last, verdict)
        view.clear(db)
        return [row[0] for row in db.execute("SELECT id FROM main.journal WHERE id > ? ORDER BY id", (last,))]


def _check(verdict: Verdict, shape: re.Pattern[str], sql: str | None = None) -> None:
    if not verdict.allowed:
        raise Refused(verdict.reason)
    if not shape.match(verdict.sql if sql is None else sql):
        raise Refused("only a SELECT can read, and only INSERT, UPDATE and DELETE on memory can write")


def _check_rows(db: sqlite3.Connection, last: int, verdict: Verdict) -> None:
    """The rows that were really touched: not too many, and of the subjects that may be written about."""
    rows = db.execute(
        "SELECT coalesce(json_extract(\"before\", '$.subject'), ''), memory_id FROM main.journal WHERE id > ?", (last,)
    ).fetchmany(verdict.max_rows + 1)
    if len(rows) > verdict.max_rows:
        raise Refused(f"it would change too many rows (more than {verdict.max_rows})")
    if verdict.subjects is not None:
        known = {"", *map(fold, verdict.subjects)}
        for subject, _ in rows:
            if fold(subject) not in known:
                raise Refused(f"it would change a row about {subject}, which is not what this is about")


@contextmanager
def _prepared(db: sqlite3.Connection, *, keep: bool = False) -> Iterator[None]:
    """The view, in a savepoint that is undone at the end (with `keep`: only when something went wrong)."""
    read_only = bool(db.execute("PRAGMA query_only").fetchone()[0])
    try:
        if read_only:
            db.execute("PRAGMA query_only = OFF")
        view.install(db)
        db.execute(f"SAVEPOINT {_SAVEPOINT}")
        try:
            yield
        except BaseException:
            keep = False
            raise
        finally:
            if not keep:
                db.execute(f"ROLLBACK TO {_SAVEPOINT}")
            db.execute(f"RELEASE {_SAVEPOINT}")
    finally:
        db.execute(f"PRAGMA query_only = {int(read_only)}")


def _clock(seconds: float) -> Callable[[], bool]:
    """Says whether this thread has computed for so long since now (or waited for sixty times as long)."""
    work, wall = time.thread_time() + seconds, time.monotonic() + 60 * seconds
    return lambda: time.thread_time() > work or time.monotonic() > wall


@contextmanager
def _scoring(db: sqlite3.Connection, scores: Mapping[str, list[dict[int, float]]]) -> Iterator[None]:
    """The functions behind `about('words')`, which the guard rewrote to `about(number of the words, id)`."""
    used = {name: found for name, found in scores.items() if found}
    for name, found in used.items():
        db.create_function(name, 2, partial(_score, found), deterministic=True)
    try:
        yield
    finally:
        for name in used:
            db.create_function(name, 2, None)


def _score(scores: Sequence[Mapping[int, float]], words: int, row: int) -> float:
    return float(scores[words].get(row, 0.0))


def _instr(text: Any, part: Any) -> int | None:
    """SQLite's own compares at each place anew (two texts of 190,000 characters: seconds); this goes over them once."""
    if text is None or part is None:
        return None
    if isinstance(text, bytes) and isinstance(part, bytes):
        return text.find(part) + 1
    return _text(text).find(_text(part)) + 1


def _text(value: Any) -> str:
    """A value as SQLite writes it out."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, float):
        short = f"{value:.15g}"
        return short if not short.lstrip("-").isdigit() else short + ".0"
    return str(value)


def _steps(sql: str) -> int:
    longest = max((len(text) for text in _LITERAL.findall(sql)), default=1)
    return max(_STEPS[0], min(_STEPS[1], _LIKE_WORK // longest))


Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]


@contextmanager
def _restricted(
    db: sqlite3.Connection, authorizer: Authorizer, late: Callable[[], bool], steps: int = _STEPS[1]
) -> Iterator[None]:
    """Authorizer, clock and limits on; as they were afterwards."""
    before = {limit: set_limit(db, limit, value) for limit, value in _LIMITS.items()}
    db.set_progress_handler(late, steps)
    db.set_authorizer(authorizer)
    try:
        yield
    finally:
        db.set_authorizer(None)
        db.set_progress_handler(None, 0)
        for limit, value in before.items():
            set_limit(db, limit, value)


@contextmanager
def _refusing(seconds: float, *, reading: bool = False) -> Iterator[None]:
    """Errors that are the statement's fault become Refused; a full disk or a lock stays what it is."""
    try:
        yield
    except errors("Warning") as warning:  # Python 3.11 says so when there is a second statement, 3.12 ProgrammingError
        raise Refused("one statement at a time") from warning
    except errors("DataError") as error:  # so Python calls SQLITE_TOOBIG
        raise Refused(_REFUSALS[sqlite3.SQLITE_TOOBIG]) from error
    except errors_and(UnicodeEncodeError, ValueError, name="ProgrammingError") as error:
        raise Refused("it can't be run as one plain statement") from error
    except errors() as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            raise Refused(f"it takes too long (more than {seconds:g} seconds of work)") from error
        if code not in _REFUSALS or (code == sqlite3.SQLITE_READONLY and not reading):
            raise
        raise Refused(_REFUSALS[code] or _mask(str(error))) from error


def _mask(message: str) -> str:
    """SQLite's words without the hidden names."""
    return re.sub(r"(temp\.)?chatmem_\w+", view.VIEW, message)


def _fetch(db: sqlite3.Connection, sql: str, limits: ReadLimits) -> Rows:
    cursor = db.cursor()
    cursor.row_factory = None
    try:
        cursor.execute(sql)
        columns = tuple(column[0] for column in cursor.description or ())
        rows: list[tuple[Any, ...]] = []
        size = 0
        for row in cursor:
            size += sum(len(value) if isinstance(value, (str, bytes)) else 8 for value in row)
            if len(rows) >= limits.rows or size > limits.bytes:
                return Rows(columns, tuple(rows), truncated=True)
            rows.append(row)
        return Rows(columns, tuple(rows))
    finally:
        cursor.close()


def _run(db: sqlite3.Connection, sql: str) -> None:
    cursor = db.cursor()
    try:
        cursor.execute(sql)
        cursor.fetchall()  # of a RETURNING, which the guard refuses: a statement left open would block the rest
    finally:
        cursor.close()


def _reading(action: int, first: str | None, second: str | None, schema: str | None, source: str | None) -> int:
    """The authorizer of reads: the views, through the hidden ones, and functions of the list."""
    if action == sqlite3.SQLITE_SELECT:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ and _may_read(first, schema, source):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and second in FUNCTIONS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _may_read(table: str | None, schema: str | None, source: str | None) -> bool:
    name = view.names()
    if source in (name.hidden, name.hidden_lines):
        own = "memories" if source == name.hidden else "turns"
        return (table, schema) in ((own, "main"), (name.context, "temp"))
    if table in (name.hidden, name.hidden_lines):
        shown = view.VIEW if table == name.hidden else view.LINES
        return source is not None and source.lower() == shown  # SQLite names it as the statement wrote it
    return table in view.TABLES and schema in ("temp", None)


def _writing(action: int, first: str | None, second: str | None, schema: str | None, source: str | None) -> int:
    """The authorizer of writes: on the view what the triggers take, and in the triggers what they are made of."""
    if source in view.names().triggers:
        return sqlite3.SQLITE_OK if _in_trigger(action, first, second, schema) else sqlite3.SQLITE_DENY
    if action in (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_DELETE):
        allowed = (first, schema, source) == (view.VIEW, "temp", None)
    elif action == sqlite3.SQLITE_UPDATE:
        allowed = (first, schema, source) == (view.VIEW, "temp", None) and second in view.WRITABLE
    elif action == sqlite3.SQLITE_FUNCTION:
        allowed = second == "like"
    elif action == sqlite3.SQLITE_READ:
        lines = (view.LINES, view.names().hidden_lines)  # only reads see what was said
        allowed = first not in lines and source not in lines and _may_read(first, schema, source)
    else:
        allowed = action == sqlite3.SQLITE_SELECT
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _in_trigger(action: int, first: str | None, second: str | None, schema: str | None) -> bool:
    name = view.names()
    if action == sqlite3.SQLITE_READ:
        # Whatever refers to a memory, foreign keys have SQLite look at it on behalf of the trigger.
        return schema in ("main", None) or first in (view.VIEW, name.context, name.turns)
    if action == sqlite3.SQLITE_INSERT:
        return first in _TRIGGER_WRITES and schema == "main"
    if action == sqlite3.SQLITE_UPDATE:
        return (first, second, schema) == ("memories", "valid_to", "main")
    if action == sqlite3.SQLITE_FUNCTION:
        return second in _TRIGGER_FUNCTIONS
    return action == sqlite3.SQLITE_SELECT
