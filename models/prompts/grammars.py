"""Grammars (GBNF) that confine what the agents write: every completion parses, names a known subject, a known row."""

from __future__ import annotations

import json
from collections.abc import Sequence

from .messages import NOTHING, quote

MAX_ROWS = 6
"""Facts that one line may give: more is the model running in circles."""

_MORE = f"{{0,{MAX_ROWS - 1}}}"
_TEXT = r"""text ::= "'" char+ "'"
char ::= [^'\x00-\x1f\x7f] | "''"
"""


def _one_of(values: Sequence[str]) -> str:
    return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)


def storage_grammar(subjects: Sequence[str], ids: Sequence[int] = (), dates: Sequence[str] = ()) -> str:
    """INSERTs about these subjects on these dates, UPDATEs and DELETEs of these rows, or nothing."""
    statements = "insert | update | delete" if ids else "insert"
    rules = [
        f'root ::= "{NOTHING}" | statement (" " statement){{0,2}}',
        f"statement ::= {statements}",
        f'insert ::= "INSERT INTO memory (subject, topic, fact, happened_on) VALUES " row (", " row){_MORE} ";"',
        'row ::= "(" subject ", " text ", " text ", " when ")"',
        f"when ::= {_one_of(['NULL', *(quote(words) for words in dates)])}",
        f"subject ::= {_one_of([quote(subject) for subject in subjects])}",
    ]
    if ids:
        rules += [
            'update ::= "UPDATE memory SET fact = " text " WHERE id = " id ";"',
            'delete ::= "DELETE FROM memory WHERE id = " id ";"',
            f"id ::= {_one_of([str(i) for i in ids])}",
        ]
    return "\n".join(rules) + "\n" + _TEXT


def retrieval_grammar(subjects: Sequence[str]) -> str:
    """One SELECT: facts of one subject or of all, or lines of one speaker or of all, about some words."""
    of = {name: f'(" WHERE {name} = " someone)?' if subjects else "" for name in ("subject", "speaker")}
    rules = [
        'root ::= "SELECT * FROM " table " ORDER BY about(" text ") DESC LIMIT " limit ";"',
        f'table ::= "memory" {of["subject"]} | "lines" {of["speaker"]}',
        'limit ::= [1-9] | "1" [0-9] | "20"',
    ]
    if subjects:
        rules.append(f"someone ::= {_one_of([quote(subject) for subject in subjects])}")
    return "\n".join(rules) + "\n" + _TEXT


SQL_SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"sql": {"type": "string", "description": "the SQL, or '-- nothing'"}},
        "required": ["sql"],
        "additionalProperties": False,
    }
)
"""For endpoints, which know JSON schemas but no GBNF; the guard checks what comes back."""
