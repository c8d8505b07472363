"""The allow-list of reads: a parsed SELECT is written anew, part by part, from what is known to be harmless.

Nothing of the original text reaches SQLite. A kind of node that is not listed, or an unexpected part of a listed one,
is refused; so what the parser learns in a later version stays refused too. Imports sqlglot: import this module late.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlglot import exp

from ..errors import Refused
from .parsing import literal, new_name, only, pattern, plain_name, table
from .tokens import check_characters, fold
from .view import LINES, TABLES, VIEW

ABOUT = "about"
ABOUT_LINE = "about_line"
"""What `about` becomes on `lines`."""
FUNCTIONS = {
    "abs": (1, 1), "avg": (1, 1), "coalesce": (2, 6), "count": (1, 1), "date": (1, 4), "datetime": (1, 4),
    "group_concat": (1, 2), "ifnull": (2, 2), "iif": (3, 3), "instr": (2, 2), "julianday": (1, 4), "length": (1, 1),
    "lower": (1, 1), "ltrim": (1, 1), "max": (1, 4), "min": (1, 4), "nullif": (2, 2), "round": (1, 2),
    "rtrim": (1, 1), "strftime": (2, 5), "substr": (2, 3), "substring": (2, 3), "sum": (1, 1), "total": (1, 1),
    "trim": (1, 1), "upper": (1, 1),
}  # fmt: skip
"""Functions of reads with the least and most arguments: none reads files or changes anything."""
_LONG = "group_concat"
MAX_SELECTS = 4
MAX_ABOUT = 4
MAX_DEPTH = 50
"""How deep expressions may nest; `a OR b OR c` nests too."""

_BINARY: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=", exp.And: "AND", exp.Or: "OR",
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.DPipe: "||",
}  # fmt: skip
_CASTS = {"INT": "INTEGER", "INTEGER": "INTEGER", "REAL": "REAL", "FLOAT": "REAL", "TEXT": "TEXT"}


class _Scope(NamedTuple):
    """One SELECT: the name its table goes by, the table (both empty behind a UNION), and the names it makes itself."""

    alias: str
    table: str
    made: frozenset[str]


class Select:
    """Writes one SELECT (with its sub-selects) anew; `about` gathers the words of its about() calls by table, `tables`
    what its rows come from."""

    def __init__(self, subjects: Sequence[str] = ()) -> None:
        self.about: dict[str, list[str]] = {name: [] for name in TABLES}
        self.tables: set[str] = set()
        self._subjects = {fold(subject): subject for subject in subjects}
        self._selects = 0
        self._depth = 0
        self._scopes: list[_Scope] = []

    def query(self, node: exp.Expr) -> str:
        if isinstance(node, exp.Union):
            return self._union(node)
        if isinstance(node, exp.Select):
            return self._select(node)
        raise Refused("only a SELECT can be used here")

    def _union(self, node: exp.Union) -> str:
        only(node, "this", "expression", "distinct", "order", "limit", "offset")
        arms = (self.query(node.this), self._select(node.expression))
        names = node.this.named_selects if isinstance(node.this, exp.Select) else []
        made = {str(name).lower() for name in names}.union(*TABLES.values())  # those of a star, which SQLite checks
        self._scopes.append(_Scope("", "", frozenset(made)))
        tail = self._order(node) + self._limits(node)
        self._scopes.pop()
        return f" UNION{'' if node.args.get('distinct') else ' ALL'} ".join(arms) + tail

    def _select(self, node: exp.Expr) -> str:
        if not isinstance(node, exp.Select):
            raise Refused("only plain SELECTs can be joined by UNION")
        only(node, "expressions", "from_", "where", "group", "having", "order", "distinct", "limit", "offset")
        self._selects += 1
        if self._selects > MAX_SELECTS:
            raise Refused(f"too many SELECTs in one statement (more than {MAX_SELECTS})")
        source = node.args.get("from_")
        if source is None or not node.expressions:
            raise Refused(f"a SELECT reads columns FROM {VIEW} or {LINES}")
        only(source, "this")
        name, alias = table(source.this, TABLES)
        if not self._scopes:
            self.tables.add(name)
        named = [e for e in node.expressions if isinstance(e, exp.Alias)]
        made = frozenset(new_name(e.args["alias"]) for e in named if not _joins_rows(e.this))
        self._scopes.append(_Scope(alias, name, made))
        text = self._clauses(node)
        self._scopes.pop()
        return text

    def _clauses(self, node: exp.Select) -> str:
        alias, name, _ = self._scopes[-1]
        head = "SELECT DISTINCT " if self._distinct(node.args.get("distinct")) else "SELECT "
        parts = [head + ", ".join(self._output(e) for e in node.expressions), f' FROM {name} AS "{alias}"']
        for key, word in (("where", "WHERE"), ("group", "GROUP BY"), ("having", "HAVING")):
            clause = node.args.get(key)
            if clause is None:
                continue
            only(clause, "expressions" if key == "group" else "this")
            items = clause.expressions if key == "group" else [clause.this]
            parts.append(f" {word} " + ", ".join(self.expression(e) for e in items))
        return "".join(parts) + self._order(node) + self._limits(node)

    def _distinct(self, node: exp.Expr | None) -> bool:
        if node is not None:
            only(node)
        return node is not None

    def _output(self, node: exp.Expr) -> str:
        if isinstance(node, exp.Alias):
            only(node, "this", "alias")
            return f'{self.expression(node.this)} AS "{new_name(node.args["alias"])}"'
        if isinstance(node, exp.Star):
            only(node)
            return "*"
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            only(node, "this", "table")
            return f'"{self._qualifier(node)}".*'
        return self.expression(node)

    def _order(self, node: exp.Expr) -> str:
        clause = node.args.get("order")
        if clause is None:
            return ""
        only(clause, "expressions")
        return " ORDER BY " + ", ".join(self._ordered(e) for e in clause.expressions)

    def _ordered(self, node: exp.Expr) -> str:
        if not isinstance(node, exp.Ordered):
            return self.expression(node)
        only(node, "this", "desc", "nulls_first")
        descending, first = bool(node.args.get("desc")), bool(node.args.get("nulls_first"))
        text = self.expression(node.this) + (" DESC" if descending else "")
        if first == descending:  # SQLite's own order is the other way: nulls are its least values
            text += " NULLS FIRST" if first else " NULLS LAST"
        return text

    def _limits(self, node: exp.Expr) -> str:
        text = ""
        for key, word in (("limit", "LIMIT"), ("offset", "OFFSET")):
            clause = node.args.get(key)
            if clause is None:
                continue
            only(clause, "expression")
            if not isinstance(clause.expression, exp.Literal) or not str(clause.expression.this).isdigit():
                raise Refused(f"{word} takes a whole number")
            text += f" {word} {literal(clause.expression)}"
        return text

    def expression(self, node: Any) -> str:
        """Any allowed expression, written anew with its own parentheses."""
        operator, write = _BINARY.get(type(node)), _WRITERS.get(type(node))
        if operator is None and write is None:
            raise Refused(f"{_called(node)} can't be used")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Refused(f"the statement nests too deep (more than {MAX_DEPTH} parts in one another)")
        text = self._binary(node, operator) if operator else write(self, node) if write else ""
        self._depth -= 1
        return text

    def _binary(self, node: exp.Expr, operator: str) -> str:
        only(node, "this", "expression", "safe", "typed")
        left, right = node.this, node.expression
        if operator == "=" and isinstance(left, exp.Column) and left.name.lower() in ("subject", "speaker"):
            right = self._known_subject(right)
        return f"({self.expression(left)} {operator} {self.expression(right)})"

    def _known_subject(self, node: Any) -> Any:
        known = self._subjects.get(fold(str(node.this))) if isinstance(node, exp.Literal) and node.is_string else None
        return exp.Literal.string(known) if known else node

    def _column(self, node: exp.Column) -> str:
        only(node, "this", "table")
        name = plain_name(node.this)
        if node.args.get("table") is not None:
            alias = self._qualifier(node)
            columns = next(TABLES[scope.table] for scope in reversed(self._scopes) if scope.alias == alias)
            if name not in columns:
                raise Refused(f"there is no column {name!r}; there are {', '.join(columns)}")
            return f'"{alias}".{name}'
        columns = TABLES.get(self._scopes[-1].table, ())
        if name in columns or any(name in TABLES.get(scope.table, ()) for scope in self._scopes):
            return name
        if any(name in scope.made for scope in self._scopes):
            return f'"{name}"'
        known = columns or sorted(self._scopes[-1].made)
        raise Refused(f"there is no column {name!r}; there are {', '.join(known)} (texts take single quotes)")

    def _qualifier(self, node: exp.Column) -> str:
        name = plain_name(node.args.get("table"))
        if name not in {scope.alias for scope in self._scopes if scope.table}:
            raise Refused(f"there is no table {name!r}; there are {VIEW} and {LINES}")
        return name

    def _literal(self, node: exp.Literal) -> str:
        return literal(node)

    def _constant(self, node: exp.Expr) -> str:
        only(node, "this")
        return "NULL" if isinstance(node, exp.Null) else str(int(bool(node.this)))

    def _today(self, node: exp.Expr) -> str:
        only(node)
        return "CURRENT_DATE" if isinstance(node, exp.CurrentDate) else "CURRENT_TIMESTAMP"

    def _unary(self, node: exp.Expr) -> str:
        only(node, "this")
        inner = self.expression(node.this)
        if isinstance(node, exp.Paren):
            return inner
        return f"(NOT {inner})" if isinstance(node, exp.Not) else f"(- {inner})"

    def _is(self, node: exp.Is) -> str:
        only(node, "this", "expression")
        if not isinstance(node.expression, (exp.Null, exp.Boolean)):
            raise Refused("IS compares with NULL only")
        return f"({self.expression(node.this)} IS {self.expression(node.expression)})"

    def _like(self, node: exp.Like) -> str:
        only(node, "this", "expression", "negate")
        negate = "NOT " if node.args.get("negate") else ""
        return f"({self.expression(node.this)} {negate}LIKE {pattern(node.expression)})"

    def _escape(self, node: exp.Escape) -> str:
        only(node, "this", "expression")
        char = node.expression
        if not isinstance(node.this, exp.Like) or not isinstance(char, exp.Literal) or len(str(char.this)) != 1:
            raise Refused("ESCAPE takes one character after a LIKE")
        return f"{self._like(node.this)[:-1]} ESCAPE {literal(char)})"

    def _between(self, node: exp.Between) -> str:
        only(node, "this", "low", "high")
        low, high = self.expression(node.args["low"]), self.expression(node.args["high"])
        return f"({self.expression(node.this)} BETWEEN {low} AND {high})"

    def _in(self, node: exp.In) -> str:
        only(node, "this", "expressions", "query")
        query = node.args.get("query")
        if query is not None:
            only(query, "this")
            return f"({self.expression(node.this)} IN ({self.query(query.this)}))"
        items = node.expressions
        if isinstance(node.this, exp.Column) and node.this.name.lower() in ("subject", "speaker"):
            items = [self._known_subject(item) for item in items]
        return f"({self.expression(node.this)} IN ({', '.join(self.expression(e) for e in items)}))"

    def _subquery(self, node: exp.Subquery) -> str:
        only(node, "this")
        return f"({self.query(node.this)})"

    def _case(self, node: exp.Case) -> str:
        only(node, "this", "ifs", "default")
        text = "CASE" + (f" {self.expression(node.this)}" if node.this is not None else "")
        for branch in node.args["ifs"]:
            only(branch, "this", "true")
            text += f" WHEN {self.expression(branch.this)} THEN {self.expression(branch.args['true'])}"
        default = node.args.get("default")
        return f"({text}{'' if default is None else ' ELSE ' + self.expression(default)} END)"

    def _cast(self, node: exp.Expr) -> str:
        only(node, "this", "to", "safe")
        kind = node.args["to"]
        only(kind, "this", "expressions", "nested")
        name = _CASTS.get(getattr(kind.this, "name", ""))
        if name is None or kind.expressions:
            raise Refused("CAST makes INTEGER, REAL or TEXT only")
        return f"CAST({self.expression(node.this)} AS {name})"

    def _collate(self, node: exp.Collate) -> str:
        only(node, "this", "expression")
        if str(node.expression.name).upper() != "NOCASE":
            raise Refused("COLLATE takes NOCASE only")
        return f"({self.expression(node.this)} COLLATE NOCASE)"

    def _function(self, node: exp.Anonymous) -> str:
        only(node, "this", "expressions")
        name = str(node.this).lower()
        if name == ABOUT:
            return self._about(node)
        if name not in FUNCTIONS:
            raise Refused(f"the function {name!r} is not on the list; there are {ABOUT}, {', '.join(FUNCTIONS)}")
        if _joins_rows(node) and self._depth > 1:
            raise Refused(f"{_LONG} stands alone as a column of its SELECT: its text may be long")
        least, most = FUNCTIONS[name]
        if not least <= len(node.expressions) <= most:
            raise Refused(f"the function {name!r} does not take {len(node.expressions)} arguments")
        return f"{name}({', '.join(self._argument(name, e) for e in node.expressions)})"

    def _argument(self, name: str, node: exp.Expr) -> str:
        if name == "count" and isinstance(node, exp.Star):
            only(node)
            return "*"
        if isinstance(node, exp.Distinct) and name in ("count", "sum", "avg", "group_concat"):
            only(node, "expressions")
            if len(node.expressions) == 1:
                return f"DISTINCT {self.expression(node.expressions[0])}"
        return self.expression(node)

    def _about(self, node: exp.Anonymous) -> str:
        words = node.expressions[0] if len(node.expressions) == 1 else None
        if not isinstance(words, exp.Literal) or not words.is_string or not str(words.this).strip():
            raise Refused("about takes some words in single quotes: about('sister name')")
        check_characters(str(words.this), "about")
        alias, name, _ = self._scopes[-1]
        if not name:
            raise Refused("about can't be used here")
        asked = self.about[name]
        if words.this not in asked:
            asked.append(str(words.this))
        if sum(map(len, self.about.values())) > MAX_ABOUT:
            raise Refused("too many about() calls")
        return f'{ABOUT if name == VIEW else ABOUT_LINE}({asked.index(words.this)}, "{alias}".id)'


def _joins_rows(node: Any) -> bool:
    """Whether it is the one function that makes long texts: those are shown, and nothing is computed from them."""
    return isinstance(node, exp.Anonymous) and str(node.this).lower() == _LONG


def _called(node: Any) -> str:
    words = re.findall(r"[A-Z][a-z]*", type(node).__name__) or ["this"]
    return " ".join(words).upper()


_WRITERS: dict[type[exp.Expr], Callable[[Select, Any], str]] = {
    exp.Column: Select._column, exp.Literal: Select._literal, exp.Null: Select._constant,
    exp.Boolean: Select._constant, exp.CurrentDate: Select._today, exp.CurrentTimestamp: Select._today,
    exp.Neg: Select._unary, exp.Not: Select._unary, exp.Paren: Select._unary, exp.Is: Select._is,
    exp.Like: Select._like, exp.Escape: Select._escape, exp.Between: Select._between, exp.In: Select._in,
    exp.Subquery: Select._subquery, exp.Case: Select._case, exp.Cast: Select._cast, exp.Collate: Select._collate,
    exp.Anonymous: Select._function,
}  # fmt: skip
