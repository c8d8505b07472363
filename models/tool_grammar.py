"""Calls of the editor's tools as text, `merge_memory {"memory_ids": [3, 9], "strategy": "summarize"}`, and their GBNF.

For models whose back end knows no tools: the grammar is made from the same page as the schemas (`memory/tools.yaml`),
so every line parses into arguments that fit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..memory.errors import InputError
from ..memory.toolspec import Schema, tool_specs

DONE = "done"
"""The line that ends a run."""
LONGEST = 300
"""Characters of a text that a grammar lets through, where its schema would allow more."""
_ANY_ID = "[1-9] [0-9]{0,8}"
_JSON = r"""char ::= [^"\\\x00-\x1f\x7f] | "\\" ["\\/bnt]
number ::= "0" ("." [0-9]{1,3})? | "1"
"""


def calls_grammar(ids: Sequence[int] = ()) -> str:
    """One call or `done`. With `ids`, no other memory can be named."""
    specs = tool_specs().values()
    rules = ["root ::= " + " | ".join([json.dumps(DONE), *(spec.name.replace("_", "-") for spec in specs)])]
    for spec in specs:
        rules.append(f'{spec.name.replace("_", "-")} ::= "{spec.name} " {_object(spec.parameters, spec.required)}')
    known = " | ".join(json.dumps(str(i)) for i in ids)
    return "\n".join([*rules, f"id ::= {known or _ANY_ID}"]) + "\n" + _JSON


def _object(schemas: Mapping[str, Schema], required: Sequence[str]) -> str:
    """Required members in order, then the others, each if wanted."""
    members = {name: f"{json.dumps(json.dumps(name) + ': ')} {_value(name, one)}" for name, one in schemas.items()}
    optional = [f'(", " {members[name]})?' for name in schemas if name not in required]
    if required:
        needed = ' ", " '.join(members[name] for name in schemas if name in required)
        return f'"{{" {needed} {" ".join(optional)} "}}"'
    first = next(iter(members.values()))
    return f'"{{" ({first} {" ".join(optional[1:])})? "}}"'


def _value(name: str, schema: Schema) -> str:
    if "enum" in schema:
        return "(" + " | ".join(json.dumps(json.dumps(value)) for value in schema["enum"]) + ")"
    if name == "memory_id":
        return "id"
    if schema["type"] == "array":
        return f'"[" id (", " id){{{schema["minItems"] - 1},{schema["maxItems"] - 1}}} "]"'
    if schema["type"] == "object":
        return _object(schema["properties"], ())
    if schema["type"] == "string":
        least, most = schema.get("minLength", 0), min(schema["maxLength"], LONGEST)
        return f'"\\"" char{{{least},{most}}} "\\""'
    if schema["type"] == "integer":
        return "(" + " | ".join(json.dumps(str(i)) for i in range(schema["minimum"], schema["maximum"] + 1)) + ")"
    return str(schema["type"])


def read_call(text: str) -> tuple[str, dict[str, Any]] | None:
    """The tool and its arguments; None for `done`. Raises InputError for what is neither."""
    text = text.strip()
    if text == DONE:
        return None
    name, _, rest = text.partition(" ")
    try:
        arguments = json.loads(rest or "{}")
    except ValueError as error:
        raise InputError(f"{text[:60]!r} is no call: write NAME and a JSON object, or {DONE}.") from error
    if not isinstance(arguments, dict):
        raise InputError(f"{text[:60]!r} is no call: the arguments are a JSON object.")
    return name, arguments
