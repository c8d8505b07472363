"""The profile of a model: how much it reads and writes, and whether it was trained here or reads ordinary words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from ....memory.errors import SettingsError

Prompts = Literal["trained", "plain"]
Structured = Literal["grammar", "json_schema", "tools", "none"]
Thinking = Literal["none", "tags", "field"]
Chooses = Literal["told back", "led", "itself"]
"""`told back`: the reader, in the model's place; `led`: the reader, and the model says it; `itself`: the model."""


@dataclass(frozen=True, slots=True)
class Profile:
    """How a model is used. The defaults are those of the embedded model and of all that carries an adapter of ours."""

    family: str = ""
    """The name in the table of families; empty: none of them."""
    parameters: float = 0.0
    """In billions; 0: it doesn't tell."""
    window: int = 4096
    """Tokens of prompt and reply together."""
    reply_tokens: int = 160
    """Most tokens of a reply, thinking included."""
    memory_words: int = 200
    """Most words of memory in a prompt."""
    talk_turns: int = 6
    """Most turns of the running talk in a prompt; 0: as many as `talk_tokens` hold."""
    talk_tokens: int = 0
    """Most tokens of the running talk; 0: as many as the window leaves."""
    line_chars: int = 8_000
    """Most characters of one message."""
    prompts: Prompts = "trained"
    """`trained`: those that our adapters were trained on, byte for byte; `plain`: instructions in ordinary words."""
    structured: Structured = "grammar"
    """By what a reply can be held to a form."""
    thinking: Thinking = "none"
    """Whether it thinks before it replies, and where that is: between `<think>` tags, or in a field of its own."""
    temperature: float = 0.0
    top_p: float = 1.0
    capable: bool = False
    """Whether it reads ordinary instructions: no small model with an adapter of ours, none too small to follow."""

    @property
    def small(self) -> bool:
        """Whether it is shown what is meant as well as told, and held against what it was shown."""
        return 0 < self.parameters < SMALL

    @property
    def chooses(self) -> Chooses:
        """Who says which of the told sentences answers a question."""
        if not self.capable or 0 < self.parameters < TOLD_BACK:
            return "told back"
        return "led" if self.small else "itself"


TOLD_BACK = 1.0
"""Billions of parameters below which a model picks the wrong one of a dozen told sentences too often."""
SMALL = 3.0
"""Billions of parameters below which a model slips: into the part of the one it speaks with, into what nobody told."""
SHIPPED = Profile()
"""The embedded model's."""


def profile_of(lm: object) -> Profile:
    """A model's profile; that of the embedded model for one that brings none, such as a package's of an earlier day."""
    found = getattr(lm, "profile", None)
    return found if isinstance(found, Profile) else replace(SHIPPED, window=int(getattr(lm, "context_tokens", 4096)))


def read_changes(text: str) -> dict[str, Any]:
    """`window=8192, capable=true` as values of a profile's fields. Raises SettingsError with the fields there are."""
    changes: dict[str, Any] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not equals or name not in _FIELDS:
            raise SettingsError(
                f"{part!r} changes nothing of a model's profile; write one of {', '.join(_FIELDS)} = ..."
            )
        changes[name] = _value(name, value)
    return changes


def _value(name: str, text: str) -> Any:
    choices = _CHOICES.get(name)
    if choices and text not in choices:
        raise SettingsError(f"{name} of a profile is {text!r}; write one of {', '.join(choices)}.")
    kind = type(getattr(SHIPPED, name))
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise SettingsError(f"{name} of a profile is {text!r}; write true or false.")
        return text.lower() == "true"
    try:
        value = kind(text)
    except ValueError:
        raise SettingsError(f"{name} of a profile is {text!r}; write a number.") from None
    if kind in (int, float) and not 0 <= value < 10**9:
        raise SettingsError(f"{name} of a profile is {text!r}; write a number from 0 on.")
    return value


def rows(profile: Profile) -> Mapping[str, Any]:
    """Each field with its value, for people and programs."""
    return {name: getattr(profile, name) for name in _FIELDS}


_FIELDS = tuple(field.name for field in fields(Profile))
_CHOICES = {"prompts": get_args(Prompts), "structured": get_args(Structured), "thinking": get_args(Thinking)}
