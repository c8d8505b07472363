"""A draft: what a storage model wrote, as values. Parsed once where the reply comes in, rendered to SQL once.

In between, checks look at rows to add, to change and to close, never at the text of SQL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...memory.errors import Refused
from ...memory.guard.guard import MAX_WRITE
from ...memory.guard.tokens import is_nothing, quote, statements
from ...memory.language.dates import find_dates
from .messages import NOTHING, delete_sql, insert_sql

_STRING = re.compile(r"'(?:[^']|'')*(?:'|$)")
_LAST_ROW = re.compile(r"\)(?=, \()|\)(?=;)")
_FORMS = "a storage model writes INSERT, UPDATE ... WHERE id = N and DELETE ... WHERE id = N"

ANY_DAY = "2024-06-12T12:00:00Z"
"""The words for dates in a line are the same on any day; what they mean is resolved when the SQL is run."""


def date_words(text: str) -> str | None:
    """The first words for a date in a text, as they were said."""
    return next((words for words, _ in find_dates(text, ANY_DAY)), None)


@dataclass(frozen=True, slots=True)
class Add:
    """A new row. `when`: the words for its date as they were said; None: undated."""

    subject: str
    topic: str
    fact: str
    when: str | None = None

    def __str__(self) -> str:
        return f"{self.fact} {self.when}" if self.when else self.fact


@dataclass(frozen=True, slots=True)
class Change:
    """What a known row says from now on; None: as before, an empty `when`: undated."""

    id: int
    fact: str | None = None
    topic: str | None = None
    when: str | None = None

    def __str__(self) -> str:
        return f"#{self.id}: {self.fact or self.topic or self.when or ''}"

    def sql(self) -> str:
        given = (("topic", self.topic), ("fact", self.fact), ("happened_on", self.when))
        sets = ", ".join(f"{name} = {quote(value) if value else 'NULL'}" for name, value in given if value is not None)
        return f"UPDATE memory SET {sets} WHERE id = {self.id};"


@dataclass(frozen=True, slots=True)
class Close:
    """A known row that holds no more."""

    id: int

    def __str__(self) -> str:
        return f"#{self.id} is over"


Entry = Add | Change | Close


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be done, in order. `fault`: why `text`, the reply, can't be read as a draft; then nothing is in it.
    `broken`: its last row, where the token limit cut that."""

    entries: tuple[Entry, ...] = ()
    fault: str | None = None
    text: str = ""
    broken: str = ""

    def __bool__(self) -> bool:
        return bool(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    @property
    def added(self) -> list[Add]:
        return [entry for entry in self.entries if isinstance(entry, Add)]

    @property
    def changed(self) -> list[Change]:
        return [entry for entry in self.entries if isinstance(entry, Change)]

    @property
    def touched(self) -> list[int]:
        """The ids of the known rows that it changes or closes."""
        return [entry.id for entry in self.entries if not isinstance(entry, Add)]

    @property
    def facts(self) -> list[str]:
        """What the rows will say, each new one with the words for its date; what is closed says nothing."""
        changed = [entry.fact for entry in self.changed if entry.fact is not None]
        return [*(str(entry) for entry in self.added), *changed]

    def mapped(self, to: Callable[[Entry], Entry | None]) -> Draft:
        """With each entry as `to` gives it back; None: it goes."""
        return replace(self, entries=tuple(new for entry in self.entries if (new := to(entry)) is not None))

    def told(self, to: Callable[[str], str | None]) -> Draft:
        """With each fact as `to` gives it back; None: its entry goes."""

        def retold(entry: Entry) -> Entry | None:
            if isinstance(entry, Close) or entry.fact is None:
                return entry
            fact = to(entry.fact)
            return replace(entry, fact=fact) if fact is not None else None

        return self.mapped(retold)

    def plus(self, entries: Sequence[Entry]) -> Draft:
        """With these entries behind its own; a new fact that it tells already is none."""
        told = {_said(entry.fact) for entry in self.added}
        new = [entry for entry in entries if not isinstance(entry, Add) or _said(entry.fact) not in told]
        return replace(self, entries=(*self.entries, *new))

    def sql(self) -> str:
        """The statements for the guard; rows that are added one after the other share an INSERT."""
        return render(self.entries)


def _said(fact: str) -> str:
    """By which two facts are the same: "Ana is 41." says what "Ana is 41 years old." does."""
    return re.sub(r"(?<=\d)(?: years old| years of age)?\W*$", "", fact)


def render(entries: Sequence[Entry]) -> str:
    """The SQL of some entries; `-- nothing` for none."""
    done: list[str] = []
    rows: list[tuple[str, str, str, str | None]] = []
    for entry in (*entries, None):
        if isinstance(entry, Add):
            rows.append((entry.subject, entry.topic, entry.fact, entry.when))
            continue
        if rows:
            done.append(insert_sql(rows))
            rows = []
        if entry is not None:
            done.append(entry.sql() if isinstance(entry, Change) else delete_sql(entry.id))
    return " ".join(done) or NOTHING


def read_draft(text: str, *, cut: bool = False) -> Draft:
    """The draft in a reply: SQL, or SQL in JSON as endpoints send it. Never raises: what can't be read is its `fault`.

    `cut`: the token limit ended the reply, so its last, broken row is left out.
    """
    try:
        sql = whole_rows(text) if cut else _sql_of(text)
        rest = "" if not cut or is_nothing(text) else text if is_nothing(sql) else text[len(sql) - 1 :]
        broken = rest.strip(" ,;\n")
        if is_nothing(sql):
            return Draft(text=text, broken=broken)
        entries = tuple(entry for one in statements(sql, MAX_WRITE) for entry in _entries(one.text))
        return Draft(entries, text=text, broken=broken)
    except Refused as refused:
        return Draft(fault=refused.reason, text=text)


def whole_rows(sql: str) -> str:
    """SQL that was cut by the token limit, without its last, broken row; `-- nothing` when no row is whole."""
    outside = _STRING.sub(lambda text: "'" * len(text[0]), sql)  # a string that runs on may hold what ends a row
    cuts = list(_LAST_ROW.finditer(outside))
    done = outside.rfind(";")
    if not cuts or cuts[-1].end() <= done:
        return sql[: done + 1] if done >= 0 else NOTHING
    return sql[: cuts[-1].end()] + ";"


def unwrap(text: str) -> str:
    """The SQL of a reply, which endpoints wrap in JSON; `-- nothing` when the JSON holds none."""
    try:
        return _sql_of(text)
    except Refused:
        return NOTHING


def _sql_of(text: str) -> str:
    text = text.strip()
    if text.startswith("{"):
        try:
            return str(json.loads(text)["sql"]).strip() or NOTHING
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Refused('the reply is JSON without the SQL: {"sql": "..."} was asked for') from error
    return text or NOTHING


def _entries(sql: str) -> list[Entry]:
    """The entries of one statement. Raises Refused."""
    from sqlglot import exp  # slow to load, and not needed by every command

    from ...memory.guard.parsing import parse

    node = parse(sql)
    if isinstance(node, exp.Insert) and isinstance(node.this, exp.Schema) and isinstance(node.expression, exp.Values):
        names = [column.name.lower() for column in node.this.expressions]
        return [_add(names, row) for row in node.expression.expressions]
    if isinstance(node, exp.Update):
        given = {change.this.name.lower(): _value(change.expression) or "" for change in _sets(node)}
        if given.keys() - {"topic", "fact", "happened_on"} or not all(
            given.get(name, "?") for name in ("topic", "fact")
        ):
            raise Refused("an UPDATE gives topic, fact or happened_on a new text")
        return [Change(one, given.get("fact"), given.get("topic"), given.get("happened_on")) for one in _ids(node)]
    if isinstance(node, exp.Delete):
        return [Close(one) for one in _ids(node)]
    raise Refused(_FORMS)


def _add(names: Sequence[str], row: Any) -> Add:
    values = [_value(one) for one in getattr(row, "expressions", ())]
    given = dict(zip(names, values, strict=False))
    if len(values) != len(names) or given.keys() - {"subject", "topic", "fact", "happened_on"}:
        raise Refused("an INSERT gives each row a subject, a topic, a fact and a date")
    subject, fact = given.get("subject"), given.get("fact")
    if not subject or not fact:
        raise Refused("a row needs a subject and a fact")
    return Add(subject, given.get("topic") or "", fact, given.get("happened_on"))


def _sets(node: Any) -> list[Any]:
    from sqlglot import exp

    sets = list(node.expressions)
    if not all(isinstance(one, exp.EQ) and isinstance(one.this, exp.Column) for one in sets):
        raise Refused(_FORMS)
    return sets


def _value(node: Any) -> str | None:
    """A plain text; None for NULL and the empty one."""
    from sqlglot import exp

    if isinstance(node, exp.Null):
        return None
    if not isinstance(node, exp.Literal):
        raise Refused("a value is a plain text in single quotes, or NULL")
    return str(node.this) or None


def _ids(node: Any) -> list[int]:
    """The rows that a WHERE names by id."""
    from sqlglot import exp

    where = node.args.get("where")
    test = where.this if where is not None else None
    named = isinstance(test, exp.EQ | exp.In) and isinstance(test.this, exp.Column) and test.this.name.lower() == "id"
    values = (test.expressions if isinstance(test, exp.In) else [test.expression]) if named and test is not None else []
    if not values or not all(isinstance(one, exp.Literal) and str(one.this).isdigit() for one in values):
        raise Refused(_FORMS)
    return [int(str(one.this)) for one in values]
