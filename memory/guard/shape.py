"""The shape of a statement, judged on its tokens before any parser sees it: which words, how many calls, how deep.

A parser's work grows with what stands in one another, not with the length, so each limit here is on that. All of it is
one look at each token. What is refused says the limit; what passes is parsed in counted steps (`parsing`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import Refused
from .tokens import Token

MAX_CALLS = 60
"""Function calls of one statement."""
MAX_CALL_DEPTH = 6
"""How deep calls may stand in one another."""
MAX_CONCATENATIONS = 8
"""`||` of one statement: a LIKE looks at each character of what they make."""
MAX_BRANCHES = 40
"""CASEs, and as many WHENs, of one statement; CASEs nest no deeper than calls."""

_MAY_PRECEDE = """
all and as between by case distinct else end escape from group having in like limit lines memory not offset on or order
select set then union values when where
"""
_BEFORE_PARENTHESIS = frozenset(_MAY_PRECEDE.split())
"""Words that may stand before a parenthesis and call nothing."""
_NO_JOIN = "JOIN can't be used here: each SELECT reads one table; put a SELECT into an IN (...) instead"
_NOT_HERE = {
    "join": _NO_JOIN, "lateral": _NO_JOIN, "apply": _NO_JOIN, "with": "WITH can't be used here",
    "over": "OVER can't be used here", "pivot": "PIVOT can't be used here", "unpivot": "UNPIVOT can't be used here",
    "interval": "INTERVAL can't be used here: write date(said_at, '+1 month')",
}  # fmt: skip
"""Words that begin what is never allowed; a column may go by one of them in double quotes."""


def check_shape(tokens: Sequence[Token], functions: Collection[str]) -> None:
    """Raises Refused, with the limit that was passed. `functions`: the names that may be called."""
    _check_concatenations(tokens)
    calls = branches = cases = 0
    opened: list[bool] = []  # of each open parenthesis, whether it is a call's
    before = ""
    for token in tokens:
        if token.kind == "name":
            before = token.text.lower()
            if before in _NOT_HERE:
                raise Refused(_NOT_HERE[before])
            branches += before in ("case", "when")
            cases = cases + 1 if before == "case" else max(cases - (before == "end"), 0)
            if branches > 2 * MAX_BRANCHES or cases > MAX_CALL_DEPTH:
                raise Refused(f"too many CASEs (more than {MAX_BRANCHES}, or {MAX_CALL_DEPTH} in one another)")
            continue
        if token.text == "(":
            opened.append(_calls(before.strip('"'), functions))
            calls += opened[-1]
            if calls > MAX_CALLS:
                raise Refused(f"too many function calls in one statement (more than {MAX_CALLS})")
            if sum(opened) > MAX_CALL_DEPTH:
                raise Refused(f"function calls nest too deep (more than {MAX_CALL_DEPTH} in one another)")
        elif token.text == ")" and opened:
            opened.pop()
        before = ""


def _check_concatenations(tokens: Sequence[Token]) -> None:
    if sum(token.text == "||" for token in tokens) > MAX_CONCATENATIONS:
        raise Refused(f"too many || in one statement (more than {MAX_CONCATENATIONS})")


def _calls(name: str, functions: Collection[str]) -> bool:
    """Whether a parenthesis after this word calls a function."""
    if not name or name in _BEFORE_PARENTHESIS:
        return False
    if name not in functions:
        told = f"the function {name[:30]!r} is not on the list; there are {', '.join(functions)}"
        raise Refused(told if functions else "a write calls no functions: give plain values")
    return True
