"""What an adapter's own files tell of it: shape, size, base, how it was trained and what was measured."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...memory.errors import ModelBroken
from ..files.gguf_header import read_header
from ..files.model_files import EMBEDDED_NAME, AdapterInfo

NOTE = "made.json"
"""Beside the card: what a program needs to know of how the adapter was made."""
NAMES = {
    "q_proj": "attn_q",
    "k_proj": "attn_k",
    "v_proj": "attn_v",
    "o_proj": "attn_output",
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "down_proj": "ffn_down",
}
"""The linear layers as transformers and as llama.cpp call them."""
EMBEDDED_WIDTHS = {576, 1536}
"""What the layers of the embedded model read; llama.cpp's file doesn't name its base."""
MODULES = {gguf_name: module for module, gguf_name in NAMES.items()}
_STEPS = re.compile(r"([\d,]+) steps")
_LORA_A = re.compile(r"blk\.\d+\.(\w+)\.weight\.lora_a$")
_TOKENS = re.compile(r"([\d,]+) tokens in")


@dataclass(frozen=True, slots=True)
class AdapterFacts:
    """None where its files don't tell. `bytes` of the forms there are; `measured` as the card says: name -> value."""

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
    """Read from the PEFT config (else the head of llama.cpp's file), the card and the note; nothing heavy is loaded."""
    config = _json(info.peft / "adapter_config.json") if info.peft else _head(info.path)
    text = card(info)
    modules = config.get("target_modules") or ()
    base = config.get("base_model_name_or_path")
    return AdapterFacts(
        base=_base_name(base) if info.peft and config else base,
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


def forms(info: AdapterInfo) -> tuple[str, ...]:
    """The back ends that run it from the files that it has; transformers' form of a llama's LoRA is made when asked."""
    turned = info.peft is not None or _head(info.path).get("model") == "llama"
    return (*(["llama.cpp"] if info.path else []), *(["transformers"] if turned else []))


def _head(path: Path | None) -> dict[str, Any]:
    """What PEFT's config would say, out of the head of a llama.cpp file; empty where that is broken."""
    try:
        head = read_header(path) if path else None
    except (ModelBroken, OSError):
        return {}
    if head is None or head.values.get("adapter.type") != "lora":
        return {}
    alpha = head.values.get("adapter.lora.alpha")
    layers = {match[1]: shape for name, shape in head.shapes.items() if (match := _LORA_A.search(name))}
    ranks, widths = {shape[0] for shape in layers.values()}, {shape[1] for shape in layers.values()}
    return {
        "model": head.values.get("general.architecture"),
        "r": max(ranks, default=None),
        "base_model_name_or_path": EMBEDDED_NAME if widths <= EMBEDDED_WIDTHS else None,
        "lora_alpha": int(alpha) if alpha is not None and alpha == int(alpha) else alpha,
        "target_modules": [MODULES.get(name, name) for name in layers],
    }


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
