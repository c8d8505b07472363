"""Writes a PEFT LoRA adapter as the LoRA file that llama.cpp loads.

    python -m chatmem.models.adapters.to_gguf [--q8_0] PEFT_DIR OUT

The file is what llama.cpp's own convert_lora_to_gguf.py makes: architecture of the base, `general.type` "adapter",
`adapter.type` "lora", `adapter.lora.alpha`, and for each adapted linear layer two float16 matrices named after the
base's tensor. The rows of B for q_proj and k_proj of llama models are reordered as the base's converter reorders
those weights, since llama.cpp pairs the rotary dimensions differently: (heads, 2, half) -> (heads, half, 2).

With `--q8_0` a matrix whose rows are blocks of 32 is stored in 8 bits (Q8_0), as in the adapters that ship: every A,
since its rows are as long as the layer's input, and B where the rank is a multiple of 32. ggml has no blocks of 16.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...memory.errors import ChatmemError, ModelBroken, ModelNotFound
from .facts import NAMES

Matrix = npt.NDArray[Any]

_TENSOR = re.compile(r"layers\.(\d+)\.(?:self_attn|mlp)\.(\w+)\.lora_([AB])(?:\.default)?\.weight$")
ARCHITECTURES = {
    "llama": "llama", "mistral": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "gemma": "gemma", "gemma2": "gemma2",
    "gemma3_text": "gemma3",
}  # fmt: skip
"""A model's `model_type` in transformers, and its architecture in llama.cpp."""
_PERMUTED = {"llama"}
BLOCK = 32
"""Numbers that share a scale in Q8_0."""


def write(
    peft_dir: Path | str, out_path: Path | str, base_config: Mapping[str, Any] | None = None, *, q8_0: bool = False
) -> int:
    """Write the adapter in `peft_dir` to `out_path`; the bytes written.

    `base_config` holds the base's `model_type`, `num_attention_heads` and `num_key_value_heads` (a transformers
    config as dict); without it, the config of the base that the adapter names is read, and SmolLM2-135M's when that is
    not on this disk. `q8_0`: in 8 bits what can be, else all in float16. Raises ModelNotFound or ModelBroken (not a
    LoRA, a kind that llama.cpp can't load).
    """
    source, out = Path(peft_dir), Path(out_path)
    adapter = read_config(source)
    base = dict(base_config or _base_config(adapter))
    architecture = ARCHITECTURES.get(str(base.get("model_type")))
    if architecture is None:
        raise ModelBroken(
            f"Adapters for {base.get('model_type')} models can't be written as GGUF; use the hf: back end."
        )
    tensors = dict(_tensors(source, base, architecture in _PERMUTED))
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_name(out.name + ".part")
    write_file(partial, architecture, float(adapter["lora_alpha"]) * scale_of(adapter), tensors, q8_0)
    partial.replace(out)
    return out.stat().st_size


def read_config(source: Path) -> dict[str, Any]:
    """The config of a plain LoRA in a PEFT folder. Raises ModelNotFound, ModelBroken."""
    path = source / "adapter_config.json"
    if not path.is_file():
        raise ModelNotFound(f"There is no adapter_config.json in {source}; give the folder that PEFT saved.")
    try:
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        kind, rank = config["peft_type"], int(config["r"])
        config["lora_alpha"] = float(config["lora_alpha"])
    except (ValueError, KeyError, TypeError) as error:
        raise ModelBroken(f"{path} is not a PEFT LoRA config ({error}); save the adapter again.") from error
    odd = [key for key in ("use_dora", "alpha_pattern", "rank_pattern", "modules_to_save") if config.get(key)]
    if kind != "LORA" or rank < 1 or odd or config.get("bias", "none") != "none":
        raise ModelBroken(f"{source} is not a plain LoRA ({', '.join([kind, *odd])}); llama.cpp can't load it.")
    return config


def scale_of(config: Mapping[str, Any]) -> float:
    """PEFT multiplies by alpha / r (rank-stabilised: alpha / sqrt(r)), llama.cpp by alpha / r."""
    return float(config["r"]) ** 0.5 if config.get("use_rslora") else 1.0


def _base_config(adapter: Mapping[str, Any]) -> dict[str, Any]:
    path = Path(str(adapter.get("base_model_name_or_path") or "")) / "config.json"
    if path.is_file():
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return config
    return {"model_type": "llama", "num_attention_heads": 9, "num_key_value_heads": 3, "head_dim": 64}


def _tensors(source: Path, base: Mapping[str, Any], permuted: bool) -> Iterator[tuple[str, Matrix]]:
    heads = {"q_proj": int(base["num_attention_heads"]), "k_proj": int(base["num_key_value_heads"])}
    for name, matrix in load_tensors(source).items():
        match = _TENSOR.search(name)
        if match is None or match[2] not in NAMES:
            raise ModelBroken(f"The adapter changes {name}, which llama.cpp can't; train the linear layers only.")
        layer, module, side = match.groups()
        if side == "B" and permuted and module in heads:
            if "head_dim" in base and matrix.shape[0] != heads[module] * int(base["head_dim"]):
                raise ModelBroken(f"{source} was trained on another base ({name}); give the base's config.json.")
            matrix = permute_rows(matrix, heads[module])
        yield f"blk.{layer}.{NAMES[module]}.weight.lora_{side.lower()}", matrix.astype(np.float16)


def permute_rows(matrix: Matrix, heads: int) -> Matrix:
    """Rows (heads, 2, half) in the order (heads, half, 2); shape (heads * 2 * half, columns) stays."""
    rows, columns = matrix.shape
    return matrix.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def load_tensors(source: Path) -> dict[str, Matrix]:
    """The matrices of a PEFT folder by their names. Raises ModelNotFound, ModelBroken."""
    path = source / "adapter_model.safetensors"
    if not path.is_file():
        raise ModelNotFound(f"There is no adapter_model.safetensors in {source}; save the adapter with safetensors.")
    from safetensors import SafetensorError, safe_open

    try:
        # Through torch where it is there, since numpy has no bfloat16.
        with safe_open(str(path), framework=_framework()) as file:
            return {name: _as_numpy(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, TypeError) as error:
        raise ModelBroken(f"{path} can't be read ({error}); save the adapter again.") from error


def _framework() -> str:
    from importlib.util import find_spec

    return "pt" if find_spec("torch") else "numpy"


def _as_numpy(tensor: Any) -> Matrix:
    if isinstance(tensor, np.ndarray):
        return tensor
    array: Matrix = tensor.float().numpy()
    return array


def write_file(path: Path, architecture: str, alpha: float, tensors: Mapping[str, Matrix], q8_0: bool) -> None:
    """A LoRA file of matrices named as llama.cpp names them, `NAME.lora_a` (rank, in) and `NAME.lora_b` (out, rank)."""
    import gguf

    kind = gguf.GGMLQuantizationType.Q8_0
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for name in sorted(tensors):
        matrix = np.ascontiguousarray(tensors[name])
        if q8_0 and matrix.shape[-1] % BLOCK == 0:
            writer.add_tensor(name, gguf.quants.quantize(matrix.astype(np.float32), kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main(arguments: list[str]) -> int:
    """The command: [--q8_0] PEFT_DIR OUT."""
    places = [word for word in arguments if word != "--q8_0"]
    if len(places) != 2:
        print("usage: python -m chatmem.models.adapters.to_gguf [--q8_0] PEFT_DIR OUT", file=sys.stderr)
        return 2
    try:
        size = write(places[0], places[1], q8_0=len(places) < len(arguments))
    except ChatmemError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"{places[1]}: {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
