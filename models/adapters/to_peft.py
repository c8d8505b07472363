"""Turns a llama.cpp LoRA file back into a PEFT folder, so that a shipped adapter also works with transformers.

What ships is the llama.cpp file alone; who needs the PEFT form (training that goes on from it, `hf:` models, merging)
gets it from `peft_folder`, made at first use.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...memory.errors import ModelBroken, ModelError
from ..files.model_files import AdapterInfo, cache_folder
from .facts import MODULES
from .to_gguf import Matrix

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
_TENSOR = re.compile(r"blk\.(\d+)\.(\w+)\.weight\.lora_([ab])$")
_HEAD = 64
"""Rotary dimensions of a head in the llama models of this size; rows are put back head by head."""


def peft_folder(info: AdapterInfo) -> Path:
    """The PEFT folder of an adapter; one that has only llama.cpp's file is turned back, once, into the cache.

    There it goes by the hash of that file, so another adapter of the same name never gets its weights. It appears whole
    or not at all, however many processes make it at once. Raises ModelBroken, ModelError when it can't be written.
    """
    if info.peft is not None:
        return info.peft
    assert info.path is not None
    with info.path.open("rb") as file:
        mark = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    folder = cache_folder() / "adapters" / mark / info.name / "peft"
    if not _whole(folder):
        try:
            _make(info.path, folder)
        except OSError as error:
            raise ModelError(f"{folder} can't be written ({error.strerror}); make room there.") from error
    return folder


def _whole(folder: Path) -> bool:
    return all((folder / name).is_file() for name in (CONFIG, WEIGHTS))


def _make(path: Path, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix="making-") as place:
        made = Path(place) / folder.name
        read(path, made)
        if not _whole(folder):  # else another process has finished first; its folder is as good
            shutil.rmtree(folder, ignore_errors=True)
            try:
                made.rename(folder)
            except OSError:
                if not _whole(folder):
                    raise


def read(path: Path, folder: Path) -> None:
    """Write `adapter_config.json` and `adapter_model.safetensors` (float32) of the LoRA in `path` into `folder`.

    Raises ModelBroken when the file is no LoRA of a llama model.
    """
    from safetensors.numpy import save_file

    alpha, found = read_matrices(path)
    tensors: dict[str, Matrix] = {}
    modules: set[str] = set()
    for name, matrix in found.items():
        match = _TENSOR.search(name)
        if match is None or match[2] not in MODULES:
            raise ModelBroken(f"{path} changes {name}, which has no counterpart in transformers; use llama.cpp for it.")
        module = MODULES[match[2]]
        if match[3] == "b" and module in ("q_proj", "k_proj"):
            matrix = unpermute_rows(matrix, matrix.shape[0] // _HEAD)
        part = "mlp" if module in ("gate_proj", "up_proj", "down_proj") else "self_attn"
        key = f"base_model.model.model.layers.{match[1]}.{part}.{module}.lora_{match[3].upper()}.weight"
        tensors[key] = np.ascontiguousarray(matrix)
        modules.add(module)
    rank = min(next(iter(tensors.values())).shape)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, str(folder / WEIGHTS), metadata={"format": "pt"})
    config = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": rank, "lora_alpha": alpha, "bias": "none"}
    config |= {"target_modules": sorted(modules), "inference_mode": True, "base_model_name_or_path": None}
    (folder / CONFIG).write_text(json.dumps(config, indent=2), encoding="utf-8")


def unpermute_rows(matrix: Matrix, heads: int) -> Matrix:
    """The inverse of `to_gguf.permute_rows`: (heads, half, 2) -> (heads, 2, half)."""
    rows, columns = matrix.shape
    return matrix.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def read_matrices(path: Path, architecture: str = "llama") -> tuple[float, dict[str, Matrix]]:
    """Alpha, and the matrices in float32 whatever form they are stored in. Raises ModelBroken for another file, or a
    LoRA of a model of another architecture."""
    import gguf

    try:
        reader = gguf.GGUFReader(path)
        kind = _value(reader, "adapter.type")
        alpha = float(_value(reader, "adapter.lora.alpha"))
    except (ValueError, KeyError, OSError) as error:
        raise ModelBroken(f"{path} is not a LoRA file; write it with chatmem.models.adapters.to_gguf.") from error
    if kind != "lora" or _value(reader, "general.architecture") != architecture:
        raise ModelBroken(f"{path} is not a LoRA of a {architecture} model; convert it from the PEFT folder instead.")
    return alpha, {t.name: gguf.quants.dequantize(t.data, t.tensor_type) for t in reader.tensors}


def _value(reader: Any, key: str) -> Any:
    field = reader.get_field(key)
    if field is None:
        raise KeyError(key)
    return field.contents()
