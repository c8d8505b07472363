"""The allow-list of writes: INSERT, UPDATE and DELETE on the view, written anew with each value checked.

Like `read_rules`, it imports sqlglot: import this module late.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from ..errors import Refused
from ..values import Moment
from .parsing import literal, only, parse, pattern, plain_name, table
from .shape import check_shape
from .tokens import Statement, check_characters, fold, quote, tidy
from .view import COLUMNS, VIEW, WRITABLE

MAX_SUBJECT = 100
MAX_TOPIC = 100
MAX_FACT = 2_000
KINDS = ("insert", "update", "delete")

_LENGTHS = {"subject": MAX_SUBJECT, "topic": MAX_TOPIC, "fact": MAX_FACT, "happened_on": 40}
_DATE = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?")


class Writer:
    """Writes INSERT, UPDATE and DELETE on the view anew, values checked; counts the rows that a batch names."""

    def __init__(self, subjects: tuple[str, ...] | None, said_at: Moment | None, max_rows: int) -> None:
        self._subjects = None if subjects is None else {fold(subject): subject for subject in subjects}
        self._said_at = said_at
        self._max_rows = max_rows
        self._rows = 0

    def statement(self, statement: Statement) -> str:
        first = statement.tokens[0].text.lower()
        if first not in KINDS:
            raise Refused(f"only INSERT, UPDATE and DELETE can write, not {first.upper()[:30]}")
        check_shape(statement.tokens, ())
        node = parse(statement.text)
        if isinstance(node, exp.Insert):
            return self._insert(node)
        if isinstance(node, exp.Update):
            return self._update(node)
        if isinstance(node, exp.Delete):
            return self._delete(node)
        raise Refused(f"this {first.upper()} can't be understood")

    def _count(self, rows: int) -> None:
        self._rows += rows
        if self._rows > self._max_rows:
            raise Refused(f"too many rows at once (more than {self._max_rows})")

    def _insert(self, node: exp.Insert) -> str:
        only(node, "this", "expression")
        schema, values = node.this, node.expression
        if not isinstance(schema, exp.Schema) or not isinstance(values, exp.Values):
            raise Refused("an INSERT names its columns and gives VALUES: INSERT INTO memory (subject, topic, fact) ...")
        only(schema, "this", "expressions")
        only(values, "expressions")
        _plain_view(schema.this)
        columns = [_writable(plain_name(column)) for column in schema.expressions]
        if len(set(columns)) != len(columns) or not {"subject", "fact"} <= set(columns):
            raise Refused("an INSERT names subject and fact, and each column once")
        self._count(len(values.expressions))
        rows = ", ".join(self._row(columns, row) for row in values.expressions)
        return f"INSERT INTO memory ({', '.join(columns)}) VALUES {rows}"

    def _row(self, columns: list[str], node: Any) -> str:
        if not isinstance(node, exp.Tuple) or len(node.expressions) != len(columns):
            raise Refused(f"each row gives {len(columns)} values, one for each column")
        only(node, "expressions")
        return f"({', '.join(self._value(*pair) for pair in zip(columns, node.expressions, strict=True))})"

    def _update(self, node: exp.Update) -> str:
        only(node, "this", "expressions", "where")
        _plain_view(node.this)
        changes: dict[str, str] = {}
        for change in node.expressions:
            if not isinstance(change, exp.EQ) or not isinstance(change.this, exp.Column):
                raise Refused("SET gives columns plain values: SET fact = 'Ana has three cats.'")
            only(change, "this", "expression")
            only(change.this, "this")
            column = _writable(plain_name(change.this.this))
            if column in changes:
                raise Refused(f"SET gives {column} twice")
            changes[column] = self._value(column, change.expression)
        sets = ", ".join(f"{column} = {value}" for column, value in changes.items())
        return f"UPDATE memory SET {sets} WHERE {self._where(node)}"

    def _delete(self, node: exp.Delete) -> str:
        only(node, "this", "where")
        _plain_view(node.this)
        return f"DELETE FROM memory WHERE {self._where(node)}"

    def _where(self, node: exp.Expr) -> str:
        where = node.args.get("where")
        if where is None:
            raise Refused("a WHERE must name ids or a subject: WHERE id = 3")
        only(where, "this")
        parts = list(_conjunction(where.this))
        if not any(_names_rows(part) for part in parts):
            raise Refused("the WHERE must name ids or a subject: WHERE id = 3, or WHERE subject = 'Ana'")
        return " AND ".join(self._condition(part) for part in parts)

    def _condition(self, node: Any) -> str:
        """One comparison of a column with plain values."""
        if isinstance(node, exp.Not) and isinstance(node.this, exp.Is):
            only(node, "this")
            return self._condition(node.this).replace(" IS NULL", " IS NOT NULL")
        column = _compared(node)
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            only(node, "this", "expression")
            return f"{column} IS NULL"
        if isinstance(node, exp.In) and node.expressions:
            only(node, "this", "expressions")
            if column == "id":
                self._count_ids(node)
            return f"{column} IN ({', '.join(self._compare(column, item) for item in node.expressions)})"
        if isinstance(node, exp.Like):
            only(node, "this", "expression")
            return f"{column} LIKE {pattern(node.expression)}"
        if isinstance(node, exp.EQ):
            only(node, "this", "expression")
            return f"{column} = {self._compare(column, node.expression)}"
        raise Refused("the WHERE of a write compares columns with =, IN, LIKE or IS NULL, joined by AND")

    def _count_ids(self, node: exp.In) -> None:
        if len(node.expressions) > self._max_rows:
            raise Refused(f"too many rows at once (more than {self._max_rows})")

    def _compare(self, column: str, node: Any) -> str:
        if not isinstance(node, exp.Literal) or node.is_string == (column == "id"):
            kind = "a number" if column == "id" else "a text in single quotes"
            raise Refused(f"{column} is compared with {kind}")
        if column == "subject":
            return quote(self._subject(tidy(str(node.this))))
        if column == "id" and not str(node.this).isdigit():
            raise Refused("an id is a whole number")
        return literal(node) if column == "id" else quote(tidy(str(node.this)))

    def _value(self, column: str, node: Any) -> str:
        if isinstance(node, exp.Null) and column == "happened_on":
            return "NULL"
        if not isinstance(node, exp.Literal) or not (node.is_string or column == "happened_on"):
            raise Refused(f"{column} takes a plain text in single quotes")
        text = str(node.this)
        check_characters(text, column)
        text = tidy(text)
        if len(text) > _LENGTHS[column]:
            raise Refused(f"{column} is too long ({len(text)} characters; {_LENGTHS[column]} are allowed)")
        if column == "happened_on":
            return quote(self._date(text)) if text else "NULL"
        if column != "topic" and not any(char.isalnum() for char in text):
            raise Refused(f"{column} is empty")
        return quote(self._subject(text) if column == "subject" else text)

    def _subject(self, text: str) -> str:
        if self._subjects is None:
            return text
        known = self._subjects.get(fold(text))
        if known is None:
            raise Refused(
                f"{text!r} is not among those that may be written about: {', '.join(self._subjects.values())}"
            )
        return known

    def _date(self, text: str) -> str:
        if _is_date(text):
            return text
        if self._said_at is not None:
            from ..language import dates

            resolved = dates.resolve(text, self._said_at)
            if resolved is not None and _is_date(resolved):
                return resolved
        raise Refused(f"happened_on is {text!r}, which is not a date, month or year (2026-05-08, 2026-05, 2026)")


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text) or text.startswith("0000"):
        return False
    try:
        datetime.date.fromisoformat(text if len(text) == 10 else "2000-01-01")
    except ValueError:
        return False
    return True


def _plain_view(node: Any) -> None:
    if table(node) != (VIEW, VIEW) or node.args.get("alias") is not None:
        raise Refused("a write takes no other name for memory")


def _writable(name: str) -> str:
    if name not in WRITABLE:
        raise Refused(f"{name!r} can't be written; there are {', '.join(WRITABLE)}")
    return name


def _conjunction(node: Any) -> Iterator[Any]:
    if isinstance(node, exp.Paren):
        only(node, "this")
        yield from _conjunction(node.this)
    elif isinstance(node, exp.And):
        only(node, "this", "expression")
        yield from _conjunction(node.this)
        yield from _conjunction(node.expression)
    else:
        yield node


def _compared(node: Any) -> str:
    left = node.args.get("this")
    if not isinstance(left, exp.Column):
        raise Refused("the WHERE of a write compares columns with plain values")
    only(left, "this")
    name = plain_name(left.this)
    if name not in COLUMNS:
        raise Refused(f"there is no column {name!r}; there are {', '.join(COLUMNS)}")
    return name


def _names_rows(node: Any) -> bool:
    return isinstance(node, (exp.EQ, exp.In)) and _compared(node) in ("id", "subject")
