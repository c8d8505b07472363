"""SQL in colours, for panels and the console: a few patterns are enough for one statement on one view."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.style import Style
from rich.text import Text

from ....memory.guard.view import COLUMNS, LINE_COLUMNS

OF_LINES = tuple(one for one in LINE_COLUMNS if one not in COLUMNS)
"""Columns that only `lines` has."""
_WORDS = """
SELECT DISTINCT FROM memory WHERE AND OR NOT IN LIKE BETWEEN IS NULL ORDER BY GROUP HAVING LIMIT OFFSET ASC DESC AS
COUNT INSERT INTO VALUES UPDATE SET DELETE UNION ALL CASE WHEN THEN ELSE END CAST COLLATE NOCASE lines
"""
WORDS = tuple(_WORDS.split())
STYLES = {
    "comment": Style(dim=True, italic=True),
    "string": Style(color="green"),
    "number": Style(color="yellow"),
    "keyword": Style(color="magenta", bold=True),
    "function": Style(color="cyan", bold=True),
    "column": Style(color="cyan"),
}
_TOKENS = re.compile(
    r"(?P<comment>--[^\n]*)|(?P<string>'(?:[^']|'')*'?)|(?P<number>\b\d+(?:\.\d+)?\b)"
    rf"|(?P<keyword>\b(?:{'|'.join(WORDS)})\b)|(?P<function>\babout\b)"
    rf"|(?P<column>\b(?:{'|'.join((*COLUMNS, *OF_LINES))})\b)",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"[A-Za-z_]\w*$")


def spans(line: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind (a key of `STYLES`) of what has a colour in one line."""
    for found in _TOKENS.finditer(line):
        yield found.start(), found.end(), str(found.lastgroup)


def coloured(sql: str) -> Text:
    text = Text(sql)
    for start, end, kind in spans(sql):
        text.stylize(STYLES[kind], start, end)
    return text


def completion(before: str) -> str:
    """What would finish the word that stands at the end of `before`: a column first, then SQL's own words."""
    found = _LAST_WORD.search(before)
    if found is None or before.count("'") % 2:
        return ""
    word = found.group(0)
    for known in (*COLUMNS, "memory", "about('')", *WORDS, *OF_LINES):
        if len(known) > len(word) and known.lower().startswith(word.lower()):
            rest = known[len(word) :]
            return rest.lower() if word[-1].islower() else rest
    return ""
