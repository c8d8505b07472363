"""Grammars (GBNF) that confine what the agents write: every completion parses, names a known subject, a known row."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...memory.guard.tokens import quote
from .messages import NOTHING

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


def rows_grammar(
    subjects: Sequence[str], speakers: Sequence[str], topics: Sequence[str], since: Sequence[str],
    until: Sequence[str], *, without: bool = True, lines_alone: bool = False, few: bool = True,
    newest: bool | None = None,
) -> str:  # fmt: skip
    """One SELECT of facts or of lines: of a subject or speaker, of topics, of days at or after one of `since` and
    before one of `until`, without some words (where `without`); ordered by what it is about or by day. What it may
    name, the prompt shows; a bound that there is, is kept. `lines_alone`: it is asked what a speaker said. `few`: less
    than ten rows may be wanted. `newest`: whether the newest rows come first; None: as the model wants.
    """
    sides = ((">=", since), ("<", until))
    bounds = [(f'" {way} " ({_one_of([quote(day) for day in days])})') for way, days in sides if days]
    facts = [(f'"subject = " ({_quoted(subjects)})', False)] if subjects else []
    facts += [('"topic IN (" topic (", " topic){0,2} ")"', False)] if topics else []
    facts += [(f"day {bound}", True) for bound in bounds]
    lines = [(f'"speaker = " ({_quoted(speakers)})', lines_alone)] if speakers else []
    lines += [(f'"said_at" {bound}', True) for bound in bounds]
    for column, parts in (("fact", facts), ("text", lines)):
        parts += [(f"""("{column} NOT LIKE '%" like "%'")""", False)] if without else []
    rules = [
        f'root ::= "SELECT * FROM " {"lines" if lines_alone else "(memory | lines)"} " LIMIT " limit ";"',
        'memory ::= "memory" factwhere0 " ORDER BY " (about | day way)',
        'lines ::= "lines" linewhere0 " ORDER BY " (about | "said_at" way)',
        'about ::= "about(" text ") DESC"',
        f'way ::= {_WAYS[newest]}',
        'day ::= "said_at" | "happened_on" | "coalesce(happened_on, said_at)"',
        'like ::= ([^\'%\\x00-\\x1f\\x7f] | "\'\'"){1,40}',
        f'limit ::= {"[1-9] | " if few else ""}"1" [0-9] | "20"',
        *(_where("fact", facts)), *(_where("line", lines)),
    ]  # fmt: skip
    rules += [f"topic ::= {_quoted(topics)}"] if topics else []
    return "\n".join(rules) + "\n" + _TEXT


_WAYS = {True: '" DESC"', False: '""', None: '(" DESC")?'}


def _quoted(values: Sequence[str]) -> str:
    return _one_of([quote(value) for value in values])


def _where(name: str, parts: Sequence[tuple[str, bool]]) -> list[str]:
    """Rules for conditions in this order, each once or (unless it must be there) left out."""
    rules = [f'{name}where{len(parts)} ::= ""', f'{name}and{len(parts)} ::= ""']
    for place, (part, must) in enumerate(parts):
        rest = f"{name}and{place + 1}"
        skipped = "" if must else f" | {name}where{place + 1}"
        rules.append(f'{name}where{place} ::= " WHERE " {part} {rest}{skipped}')
        rules.append(f'{name}and{place} ::= " AND " {part} {rest}' + ("" if must else f" | {rest}"))
    return rules


SQL_SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"sql": {"type": "string", "description": "the SQL, or '-- nothing'"}},
        "required": ["sql"],
        "additionalProperties": False,
    }
)
"""For endpoints, which know JSON schemas but no GBNF; the guard checks what comes back."""
