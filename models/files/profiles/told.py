"""What a GGUF file and a transformers config say of themselves, read without loading either."""

from __future__ import annotations

import math
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from ....memory.errors import ModelBroken
from ..gguf_header import read_facts
from .make import LOCAL_WINDOW, Told

BYTES_PER_PARAMETER = 0.62
"""Of a GGUF file at four and a half bits, for files that don't tell how many parameters they hold."""
SHARE = 8
"""A model's cache may take this part of the machine's memory."""
_SIZE = re.compile(r"(?<![\d.a-z])(\d+(?:\.\d+)?)\s?([bm])(?![a-z])", re.IGNORECASE)


def of_gguf(path: Path, adapter: bool = False) -> Told:
    """What a GGUF file says. A file that can't be read says nothing: loading it tells why."""
    facts: dict[str, Any] = {}
    with suppress(OSError, ModelBroken):
        facts = read_facts(path)
    kind = str(facts.get("general.architecture", ""))
    name = str(facts.get("general.name") or facts.get("general.basename") or "")
    size = parameters_in(str(facts.get("general.size_label", ""))) or parameters_in(path.stem)
    if not size and path.is_file():
        size = round(path.stat().st_size / BYTES_PER_PARAMETER / 1e9, 2)
    cell = bytes_per_token(facts, kind)
    room = max(memory_bytes() // SHARE // cell, 2048) if cell and memory_bytes() else LOCAL_WINDOW
    return Told(
        f"{name} {path.stem}".strip(), kind, size,
        trained_window=_number(facts, f"{kind}.context_length"), room=room, adapter=adapter,
    )  # fmt: skip


def of_config(name: str, config: Any, parameters: int = 0, template: str = "", adapter: bool = False) -> Told:
    """What a transformers config says; `parameters`: counted in the loaded model."""
    window = getattr(config, "max_position_embeddings", 0)
    kind = str(getattr(config, "model_type", ""))
    size = round(parameters / 1e9, 3) if parameters else parameters_in(name)
    thinking = "tags" if "<think>" in template else None
    return Told(
        name, kind, size, trained_window=window if isinstance(window, int) else 0, adapter=adapter,
        thinking=thinking,  # type: ignore[arg-type]
    )  # fmt: skip


def parameters_in(text: str) -> float:
    """Billions of parameters that a name tells: 1.5 of "Qwen2.5-1.5B", 0.135 of "SmolLM2-135M"; 0: it tells none."""
    found = _SIZE.findall(re.sub(r"[-_/:]", " ", text))
    sizes = [float(number) / (1000 if unit in "mM" else 1) for number, unit in found]
    return max(sizes, default=0.0)


def bytes_per_token(facts: dict[str, Any], kind: str) -> int:
    """Bytes of cache that one token takes, keys and values at 16 bits: 2 x layers x (key + value width) x KV heads."""
    layers, wide = _number(facts, f"{kind}.block_count"), _number(facts, f"{kind}.embedding_length")
    heads = _number(facts, f"{kind}.attention.head_count") or 1
    shared = _number(facts, f"{kind}.attention.head_count_kv") or heads
    key = _number(facts, f"{kind}.attention.key_length") or math.ceil(wide / heads)
    value = _number(facts, f"{kind}.attention.value_length") or math.ceil(wide / heads)
    return 2 * layers * shared * (key + value)


def memory_bytes() -> int:
    """Bytes of this machine's memory; 0 where it doesn't tell."""
    try:
        return int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return 0


def _number(facts: dict[str, Any], key: str) -> int:
    value = facts.get(key, 0)
    return max(value) if isinstance(value, list) and value else value if isinstance(value, int) else 0
