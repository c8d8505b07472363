"""What an adapter's own files tell of it: shape, size, base, how it was trained and what was measured."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .places import EMBEDDED_NAME, AdapterInfo

NOTE = "made.json"
"""Beside the card: what a program needs to know of how the adapter was made."""
_STEPS = re.compile(r"([\d,]+) steps")
_TOKENS = re.compile(r"([\d,]+) tokens in")


@dataclass(frozen=True, slots=True)
class AdapterFacts:
    """None where its files don't tell. `bytes` of each form; `measured` as its card has it: measure -> value."""

    base: str | None = None
    rank: int | None = None
    alpha: float | None = None
    layers: tuple[str, ...] = ()
    bytes: dict[str, int] = field(default_factory=dict)
    steps: int | None = None
    tokens: int | None = None
    measured: dict[str, str] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)


def facts_of(info: AdapterInfo) -> AdapterFacts:
    """Read from the PEFT config, the card and the note; nothing heavy is loaded."""
    config = _json(info.peft / "adapter_config.json") if info.peft else {}
    text = card(info)
    modules = config.get("target_modules") or ()
    base = config.get("base_model_name_or_path")
    return AdapterFacts(
        base=_base_name(base) if config else None,
        rank=config.get("r"),
        alpha=config.get("lora_alpha"),
        layers=(modules,) if isinstance(modules, str) else tuple(sorted(modules)),
        bytes={form: path.stat().st_size for form, path in _files(info).items() if path.is_file()},
        steps=_number(_STEPS, text),
        tokens=_number(_TOKENS, text),
        measured=_measured(text),
        made=_json(info.folder / NOTE),
    )


def card(info: AdapterInfo) -> str:
    """The model card; empty when there is none."""
    paths = (info.folder / name for name in ("README.md", "card.md"))
    return next((path.read_text(encoding="utf-8") for path in paths if path.is_file()), "")


def _base_name(base: str | None) -> str:
    """Trainers note a folder of their own; its name begins with that of the model."""
    name = Path(base).name if base else EMBEDDED_NAME
    return EMBEDDED_NAME if name.startswith(EMBEDDED_NAME) else str(base)


def _files(info: AdapterInfo) -> dict[str, Path]:
    files = {"llama.cpp": info.path, "transformers": info.peft / "adapter_model.safetensors" if info.peft else None}
    return {form: path for form, path in files.items() if path}


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    """The largest, where a card tells of several."""
    found = [int(one.replace(",", "")) for one in pattern.findall(text) if one.replace(",", "")]
    return max(found) if found else None


def _measured(text: str) -> dict[str, str]:
    """The first two columns of the tables under "Measured"."""
    section = text.partition("\n## Measured")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    return {row[0]: row[1] for row in rows if len(row) > 1 and row[0] not in ("", "measure") and set(row[0]) != {"-"}}
