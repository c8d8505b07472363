"""A profile from what a model says of itself, the table of families, and the person's settings, in that order."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from .profile import SHIPPED, Profile, Structured, Thinking

LEAST_PARAMETERS = 0.4
"""Billions below which a model is not asked to follow instructions: those of the embedded one's size don't."""
LOCAL_WINDOW = 16_384
"""Tokens that a model on this machine is given room for, where it was made for more: each costs memory."""
UNKNOWN_WINDOW = 8_192
"""Where neither a model nor the table tells; a server that says nothing refuses what is longer, with a sentence."""
REPLY, THOUGHT = 1_024, 4_096
"""Tokens of a capable model's reply, and of one that thinks before it."""
LOCAL_WORDS, REMOTE_WORDS = 200, 600
"""Words of memory: this machine reads some hundred tokens a second, a server thousands."""
CHARS_PER_TOKEN = 3
FRAME = 400
"""Tokens left for instructions and the template."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a model, or the server it runs on, says of itself; 0 and "" where it says nothing.

    `window`: what can be used now; `trained_window`: what it was made for. `room`: tokens that this machine has memory
    for. `adapter`: it carries one of ours. `local`: it runs in this process.
    """

    name: str
    architecture: str = ""
    parameters: float = 0.0
    window: int = 0
    trained_window: int = 0
    room: int = 0
    structured: Structured = "grammar"
    thinking: Thinking | None = None
    adapter: bool = False
    local: bool = True


def make(told: Told, changes: Mapping[str, Any] | None = None) -> Profile:
    """The profile; `changes` are fields that the person has set, which also decide what follows from them."""
    changes = dict(changes or {})
    family = family_of(told)
    capable = changes.get("capable", not told.adapter and (told.parameters or LEAST_PARAMETERS) >= LEAST_PARAMETERS)
    window = int(changes.get("window") or _window(told, family, bool(capable)))
    parts: dict[str, Any] = {
        "family": str(family.get("name", "")), "parameters": told.parameters, "window": window,
        "structured": told.structured,
    }  # fmt: skip
    if capable:
        parts |= _capable(told, family, window, changes)
    return replace(SHIPPED, **{**parts, **changes, "window": window, "capable": bool(capable)})


def _capable(told: Told, family: Mapping[str, Any], window: int, changes: Mapping[str, Any]) -> dict[str, Any]:
    thinking = changes.get("thinking", told.thinking or family.get("thinking", "none"))
    reply = int(changes.get("reply_tokens") or min(REPLY if thinking == "none" else THOUGHT, window // 4))
    words = int(changes.get("memory_words", LOCAL_WORDS if told.local else REMOTE_WORDS))
    words = min(words, window // 6)
    talk = max(window - reply - 2 * words - FRAME, 0)
    return {
        "reply_tokens": reply, "memory_words": words, "talk_turns": 0, "talk_tokens": talk,
        "line_chars": max(SHIPPED.line_chars if window > 4096 else 2_000, talk * CHARS_PER_TOKEN // 2),
        "prompts": "plain", "thinking": thinking,
        "temperature": float(family.get("temperature", 0.0)), "top_p": float(family.get("top_p", 1.0)),
    }  # fmt: skip


def _window(told: Told, family: Mapping[str, Any], capable: bool) -> int:
    if not capable and told.local:
        return min(told.trained_window or SHIPPED.window, SHIPPED.window)
    most = told.window or told.trained_window or int(family.get("window", 0)) or UNKNOWN_WINDOW
    return min(most, LOCAL_WINDOW, told.room or LOCAL_WINDOW) if told.local else most


def family_of(told: Told) -> Mapping[str, Any]:
    """The row of the table that the model's name fits, or else its architecture; empty: none."""
    for name in (told.name.lower(), told.architecture.lower()):
        for family in families():
            if name and re.search(family["pattern"], name):
                return family
    return {}


@cache
def families() -> tuple[Mapping[str, Any], ...]:
    """The table, in its order."""
    text = Path(__file__).with_name("families.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["family"])
