"""SQL to a tree, in a bounded number of steps, and the small checks that the allow-lists of reads and writes share.

sqlglot tries several readings of one text and goes back between them, so that some short texts cost it for ever. Here
its parser counts: each token that it takes, or takes again, is a step, and past a few steps for each token it stops.
Honest statements need 1.0 to 1.7. Counting happens in the parser's own thread and needs no other process.

Imports sqlglot, which is slow to load: import this module late.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection
from typing import Any, ClassVar

from sqlglot import TokenType, exp
from sqlglot.dialects.sqlite import SQLite
from sqlglot.errors import SqlglotError

from ..errors import Refused
from .tokens import check_characters, quote
from .view import VIEW

MAX_WILDCARDS = 8
MAX_PATTERN = 200
STEPS, STEPS_MORE = 3, 60
"""How often the parser may take a token: so many times for each of the statement's, and so many more."""
MAX_SECONDS = 0.15
"""Processor time of one parse, for a machine on which even the steps take long. It counts where no honest statement
comes: in a process as large as the page's, Python's own tidying of its memory takes as long in the midst of a parse."""
HONEST = 2
"""Steps for each token that an honest statement stays below."""

_BEGINS = re.compile(r"[\s(]*(?:select|insert|update|delete)\b", re.IGNORECASE)
_ALIAS = re.compile(r"[a-z_][a-z0-9_]{0,30}")
_PARTS = {
    "alias": "another name", "alternative": "OR after the verb", "catalog": "a database's name",
    "conflict": "ON CONFLICT", "db": "a database's name", "ignore": "OR IGNORE", "joins": "JOIN",
    "kind": "a kind of SELECT", "overwrite": "OVERWRITE",
}  # fmt: skip
"""What people call the parts of a statement that the parser names otherwise."""
# A parser is fed by a model here: whatever trips it makes a refusal, not a crash.
_TRIPS = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, KeyError, IndexError)


class Dialect(SQLite):
    """SQLite as sqlglot knows it, but functions stay as written instead of becoming what sqlglot makes of them."""

    class Parser(SQLite.Parser):  # type: ignore[misc, valid-type]
        FUNCTIONS: ClassVar[dict[str, Callable[..., Any]]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {"CAST": SQLite.Parser.FUNCTION_PARSERS["CAST"]}
        NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {
            "CASE": SQLite.Parser.NO_PAREN_FUNCTION_PARSERS["CASE"]
        }
        # Types stand in a CAST alone, so `date(` is a function at once, not a type that turns out to be none.
        NESTED_TYPE_TOKENS: ClassVar[set[TokenType]] = set()
        STRUCT_TYPE_TOKENS: ClassVar[set[TokenType]] = set()
        TYPE_TOKENS: ClassVar[set[TokenType]] = {TokenType.INT, TokenType.DOUBLE, TokenType.FLOAT, TokenType.TEXT}

        def reset(self) -> None:
            super().reset()
            self._left, self._honest, self._late = STEPS_MORE, 0, time.thread_time() + MAX_SECONDS

        def _advance_chunk(self) -> None:
            super()._advance_chunk()
            self._left += STEPS * len(self._tokens)
            self._honest = self._left - HONEST * len(self._tokens)

        def _advance(self, times: int = 1) -> None:
            self._left -= 1
            late = self._left < self._honest and self._left % 32 == 0 and time.thread_time() > self._late
            if self._left < 0 or late:
                raise Refused("it takes too long to read: write it with fewer parts in one another")
            super()._advance(times)


_dialect = Dialect()


def parse(sql: str) -> exp.Expr:
    """One statement as a tree. Raises Refused when it can't be parsed, or not in the steps that its length allows."""
    if not _BEGINS.match(sql):
        raise Refused("only SELECT, INSERT, UPDATE and DELETE can be understood")
    try:
        trees = _dialect.parse(sql)
    except _TRIPS as error:
        raise Refused("this is not SQL that can be understood") from error
    if len(trees) != 1 or trees[0] is None:
        raise Refused("one statement at a time, please")
    return trees[0]


def only(node: exp.Expr, *parts: str) -> None:
    """Refuse the node when it has parts other than these."""
    for key, value in node.args.items():
        if key not in parts and value not in (None, False) and value != []:
            raise Refused(f"{_PARTS.get(key) or key.strip('_').replace('_', ' ').upper()} can't be used here")


def plain_name(node: Any) -> str:
    """The lower-case name of an identifier."""
    if not isinstance(node, exp.Identifier) or not isinstance(node.this, str):
        raise Refused("a name was expected")
    return node.this.lower()


def table(node: Any, known: Collection[str] = (VIEW,)) -> tuple[str, str]:
    """Check that the node names one of the known views and nothing else; return its name and its alias (or again its
    name)."""
    told = f"only the table{'s' if len(known) > 1 else ''} {' and '.join(known)} can be used"
    if not isinstance(node, exp.Table):
        raise Refused(told)
    only(node, "this", "alias")
    if not isinstance(node.this, exp.Identifier) or plain_name(node.this) not in known:
        raise Refused(told)
    name, alias = plain_name(node.this), node.args.get("alias")
    if alias is None:
        return name, name
    only(alias, "this")
    return name, new_name(alias.this)


def new_name(node: Any) -> str:
    name = plain_name(node)
    if not _ALIAS.fullmatch(name):
        raise Refused(f"the name {name!r} can't be used")
    return name


def literal(node: exp.Literal) -> str:
    """A string or number, written anew."""
    only(node, "this", "is_string")
    text = str(node.this)
    if node.is_string:
        check_characters(text, "a string")
        return quote(text)
    if not re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,9})?", text):
        raise Refused(f"the number {text!r} can't be used")
    return text


def pattern(node: Any) -> str:
    """The pattern of a LIKE: a literal of sensible size."""
    if not isinstance(node, exp.Literal) or not node.is_string:
        raise Refused("LIKE takes a pattern in single quotes")
    if len(node.this) > MAX_PATTERN or node.this.count("%") > MAX_WILDCARDS:
        raise Refused(f"the LIKE pattern is too long or has more than {MAX_WILDCARDS} %")
    return literal(node)
