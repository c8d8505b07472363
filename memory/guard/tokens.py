"""The text of a statement before any parser sees it: allowed characters, strict tokens, statements told apart.

Only the part of SQL's lexical grammar that the memory needs is known here, and everything outside of it is refused.
So no two parsers can disagree on what is a string, a comment or the end of a statement.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import Refused

MAX_DEPTH = 12
"""How deep parentheses may nest."""
MAX_TOKENS = 1200
"""How many words, strings and signs one text may hold."""

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]++)
    |(?P<string>'(?:[^']|'')*+')
    |(?P<name>"[A-Za-z_][A-Za-z0-9_]{0,62}+"|[A-Za-z_][A-Za-z0-9_]{0,62}+(?!['"A-Za-z0-9_]))
    |(?P<number>[0-9]{1,18}+(?:\.[0-9]{1,9}+)?+(?![A-Za-z0-9_.'"]))
    |(?P<sign><=|>=|<>|!=|==|\|\||[=<>(),.;*+%]|/(?!\*)|-(?!-))""",
    re.VERBOSE,
)
_NOTHING = re.compile(r"\s*--[ \t]*nothing\b[ \t.;]*\s*", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_ODD = re.compile("[\ud800-\udfff\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\ufeff\ufffe\uffff\u2028\u2029]")
"""Half characters, and signs that turn the order of what people read: a row must read as it is stored."""


class Token(NamedTuple):
    """One token: `kind` is string, name, number or sign; `text` as written."""

    kind: str
    text: str


class Statement(NamedTuple):
    """One statement of a text, as written (without its semicolon), and its tokens."""

    text: str
    tokens: tuple[Token, ...]


def is_nothing(sql: str) -> bool:
    """Whether the text is the lone `-- nothing` with which a storage LM says that there is nothing to keep."""
    return len(sql) < 100 and _NOTHING.fullmatch(sql) is not None


def check_characters(text: str, where: str) -> None:
    """Refuse what no person types: NUL and other control characters, half surrogates, signs that reorder text."""
    if control := _CONTROL.search(text):
        raise Refused(f"{where} holds a control character (U+{ord(control[0]):04X})")
    if odd := _ODD.search(text):
        raise Refused(f"{where} holds a character that can't be kept (U+{ord(odd[0]):04X})")


def statements(sql: str, max_chars: int) -> list[Statement]:
    """Split a text into its statements; empty ones are dropped. Raises Refused with the reason."""
    if len(sql) > max_chars:
        raise Refused(f"the statement is too long ({len(sql)} characters; {max_chars} are allowed)")
    check_characters(sql, "the statement")
    found: list[Statement] = []
    start = 0
    tokens: list[Token] = []
    for token, begin, end in _tokens(sql):
        if token.text == ";" and token.kind == "sign":
            _add(found, sql[start:begin], tokens)
            start, tokens = end, []
        else:
            tokens.append(token)
    _add(found, sql[start:], tokens)
    if not found:
        raise Refused("there is no statement")
    return found


def fold(text: str) -> str:
    """A name as it is compared: without case, width and doubled spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def tidy(text: str) -> str:
    """A value as it is stored: composed characters, single spaces, no space at the ends."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def quote(text: str) -> str:
    """A text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def _add(found: list[Statement], text: str, tokens: list[Token]) -> None:
    if tokens:
        found.append(Statement(text.strip(), tuple(tokens)))


def _tokens(sql: str) -> Iterator[tuple[Token, int, int]]:
    at, depth, count = 0, 0, 0
    while at < len(sql):
        match = _TOKEN.match(sql, at)
        if match is None or match.lastgroup is None:
            raise Refused(_why_no_token(sql, at))
        text, kind = match.group(), match.lastgroup
        if kind == "sign":
            depth += (text == "(") - (text == ")")
            _check_depth(depth)
        if kind != "space":
            count += 1
            if count > MAX_TOKENS:
                raise Refused(f"the statement has too many parts (more than {MAX_TOKENS})")
            yield Token(kind, text), at, match.end()
        at = match.end()
    if depth:
        raise Refused("a parenthesis is not closed")


def _check_depth(depth: int) -> None:
    if depth < 0:
        raise Refused("a parenthesis is closed that was never opened")
    if depth > MAX_DEPTH:
        raise Refused(f"parentheses nest too deep (more than {MAX_DEPTH})")


def _why_no_token(sql: str, at: int) -> str:
    rest = sql[at : at + 2]
    if rest in ("--", "/*"):
        return "comments are not allowed"
    if rest[0] == "'":
        return "a string is not closed (a quote inside a string is doubled: 'Ana''s cat')"
    if rest[0] == '"':
        return "double quotes hold column names only; a text takes single quotes: 'Ana'"
    if rest[0].isdigit():
        return "a number is not written as digits"
    if rest[0].isascii() and (rest[0].isalpha() or rest[0] == "_"):
        return "a word and a quote run together, or a name is too long"
    return f"the character {rest[0]!r} can't stand outside of quotes"
