"""Turns a llama.cpp LoRA file back into a PEFT folder, so that a shipped adapter also works with transformers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from ..memory.errors import ModelBroken
from .lora_gguf import NAMES, Matrix

_TENSOR = re.compile(r"blk\.(\d+)\.(\w+)\.weight\.lora_([ab])$")
_MODULES = {gguf_name: module for module, gguf_name in NAMES.items()}
_HEAD = 64
"""Rotary dimensions of a head in the llama models of this size; rows are put back head by head."""


def read(path: Path, folder: Path) -> None:
    """Write `adapter_config.json` and `adapter_model.safetensors` of the LoRA in `path` into `folder`.

    Raises ModelBroken when the file is no LoRA of a llama model.
    """
    from safetensors.numpy import save_file

    alpha, found = _read_gguf(path)
    tensors: dict[str, Matrix] = {}
    modules: set[str] = set()
    for name, matrix in found.items():
        match = _TENSOR.search(name)
        if match is None or match[2] not in _MODULES:
            raise ModelBroken(f"{path} changes {name}, which has no counterpart in transformers; use llama.cpp for it.")
        module = _MODULES[match[2]]
        if match[3] == "b" and module in ("q_proj", "k_proj"):
            matrix = unpermute_rows(matrix, matrix.shape[0] // _HEAD)
        part = "mlp" if module in ("gate_proj", "up_proj", "down_proj") else "self_attn"
        key = f"base_model.model.model.layers.{match[1]}.{part}.{module}.lora_{match[3].upper()}.weight"
        tensors[key] = np.ascontiguousarray(matrix)
        modules.add(module)
    rank = min(next(iter(tensors.values())).shape)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, str(folder / "adapter_model.safetensors"))
    config = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": rank, "lora_alpha": alpha, "bias": "none"}
    config |= {"target_modules": sorted(modules), "inference_mode": True, "base_model_name_or_path": None}
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")


def unpermute_rows(matrix: Matrix, heads: int) -> Matrix:
    """The inverse of `lora_gguf.permute_rows`: (heads, half, 2) -> (heads, 2, half)."""
    rows, columns = matrix.shape
    return matrix.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def _read_gguf(path: Path) -> tuple[float, dict[str, Matrix]]:
    import gguf

    try:
        reader = gguf.GGUFReader(path)
        kind = _value(reader, "adapter.type")
        alpha = float(_value(reader, "adapter.lora.alpha"))
    except (ValueError, KeyError, OSError) as error:
        raise ModelBroken(f"{path} is not a LoRA file; write it with chatmem.models.lora_gguf.") from error
    if kind != "lora" or _value(reader, "general.architecture") != "llama":
        raise ModelBroken(f"{path} is not a LoRA of a llama model; convert it from the PEFT folder instead.")
    return alpha, {tensor.name: np.array(tensor.data, dtype=np.float32) for tensor in reader.tensors}


def _value(reader: Any, key: str) -> Any:
    field = reader.get_field(key)
    if field is None:
        raise KeyError(key)
    return field.contents()
