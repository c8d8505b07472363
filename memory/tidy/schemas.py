"""The editor's six tools as data, read from `tools.yaml`: schemas, checks of arguments, and the page about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import InputError

SOURCE = Path(__file__).with_name("tools.yaml")
Arguments = Mapping[str, Any]
Schema = Mapping[str, Any]
_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "a text"), "integer": ((int,), "a whole number"), "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"), "array": ((list,), "a list"), "object": ((dict,), "an object"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool; `parameters` are JSON Schemas by name, `writes`: it changes the memory."""

    name: str
    description: str
    parameters: Mapping[str, Schema]
    required: tuple[str, ...]
    writes: bool

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of all arguments."""
        return {
            "type": "object", "properties": {name: dict(one) for name, one in self.parameters.items()},
            "required": list(self.required), "additionalProperties": False,
        }  # fmt: skip

    @property
    def function(self) -> dict[str, Any]:
        """The tool as OpenAI's API, chat templates and TRL take it."""
        told = {"name": self.name, "description": self.description, "parameters": self.schema}
        return {"type": "function", "function": told}


@cache
def tool_specs() -> Mapping[str, ToolSpec]:
    """The tools by name, in the order of the file."""
    import yaml

    page = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    return {one["name"]: _spec(one) for one in page["tools"]}


def _spec(one: Mapping[str, Any]) -> ToolSpec:
    told = one["parameters"]
    required = tuple(name for name, schema in told.items() if schema.get("required"))
    plain = {name: {key: value for key, value in schema.items() if key != "required"} for name, schema in told.items()}
    return ToolSpec(one["name"], one["description"], plain, required, bool(one["writes"]))


def openai_tools() -> list[dict[str, Any]]:
    """All tools for `tools=` of OpenAI's API, of `apply_chat_template` and of TRL."""
    return [spec.function for spec in tool_specs().values()]


def checked(name: str, arguments: Arguments) -> tuple[ToolSpec, dict[str, Any]]:
    """The tool, and the arguments with their defaults. Raises InputError that names what is wrong."""
    spec = tool_specs().get(name)
    if spec is None:
        raise InputError(f"there is no tool {name[:40]!r}; there are {', '.join(tool_specs())}.")
    given = {key: value for key, value in arguments.items() if value is not None}
    check_arguments(name, given, spec.parameters, spec.required)
    defaults = {key: schema["default"] for key, schema in spec.parameters.items() if "default" in schema}
    return spec, defaults | given


def check_arguments(what: str, given: Arguments, schemas: Mapping[str, Schema], required: tuple[str, ...] = ()) -> None:
    """Raises InputError for an unknown, missing or misfit argument."""
    unknown = sorted(set(given) - set(schemas))
    if unknown:
        raise InputError(f"{what} takes no {unknown[0][:40]!r}; it takes {', '.join(schemas)}.")
    missing = [name for name in required if given.get(name) is None]
    if missing:
        raise InputError(f"{what} needs {missing[0]!r}; give it.")
    for name, value in given.items():
        check_value(name, value, schemas[name])


def check_value(name: str, value: object, schema: Schema) -> None:
    """Raises InputError when a value doesn't fit its JSON Schema (the keywords that are used here)."""
    types, words = _KINDS[schema["type"]]
    if type(value) not in types:
        raise InputError(f"{name!r} must be {words}.")
    choices = schema.get("enum")
    if choices and value not in choices:
        raise InputError(f"{name!r} must be one of {', '.join(choices)}.")
    if isinstance(value, dict):
        check_arguments(name, value, schema["properties"])
        return
    size = len(value) if isinstance(value, (str, list)) else value if isinstance(value, (int, float)) else 0
    least = schema.get("minimum", schema.get("minLength", schema.get("minItems", size)))
    most = schema.get("maximum", schema.get("maxLength", schema.get("maxItems", size)))
    if not least <= size <= most:
        what = " characters" if isinstance(value, str) else " items" if isinstance(value, list) else ""
        raise InputError(f"{name!r} must have {least} to {most}{what}." if what else f"{name!r} is {least} to {most}.")
    for item in value if isinstance(value, list) else ():
        check_value(f"{name} item", item, schema["items"])


def page() -> str:
    """The tools as Markdown, for the docs."""
    parts = []
    for spec in tool_specs().values():
        acts = "Changes the memory." if spec.writes else "Only reads."
        rows = [
            f"| `{name}{'*' * (name in spec.required)}` | {_type(one)} | {_default(one)} | {one['description']} |"
            for name, one in spec.parameters.items()
        ]
        head = "| parameter | type | default | meaning |\n|---|---|---|---|"
        parts.append(f"### `{spec.name}`\n\n{spec.description} {acts}\n\n{head}\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _type(schema: Schema) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] == "array":
        return f"{schema['minItems']} to {schema['maxItems']} ids"
    if schema["type"] == "object":
        return "object of " + ", ".join(f"`{name}`" for name in schema["properties"])
    limits = f" {schema['minimum']} to {schema['maximum']}" if schema.get("maximum", 1e9) <= 1000 else ""
    return f"{schema['type']}{limits}"


def _default(schema: Schema) -> str:
    return f"`{schema['default']}`" if "default" in schema else ""
