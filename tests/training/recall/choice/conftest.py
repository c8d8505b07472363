"""MiniLM as the trainers of cross-encoders read it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from chatmem.models.embedder.minilm import DEFAULT_FILE, WORDS


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped MiniLM in sentence-transformers' form."""
    import gguf
    from gguf.quants import dequantize
    from safetensors.numpy import save_file

    folder, tensors, words = tmp_path_factory.mktemp("minilm"), dict[str, np.ndarray](), list[str]()
    names = {
        "token_embd": "embeddings.word_embeddings", "position_embd": "embeddings.position_embeddings",
        "token_types": "embeddings.token_type_embeddings", "token_embd_norm": "embeddings.LayerNorm",
        "attn_q": "attention.self.query", "attn_k": "attention.self.key", "attn_v": "attention.self.value",
        "attn_output": "attention.output.dense", "attn_output_norm": "attention.output.LayerNorm",
        "ffn_up": "intermediate.dense", "ffn_down": "output.dense", "layer_output_norm": "output.LayerNorm",
    }  # fmt: skip
    for path in (DEFAULT_FILE, DEFAULT_FILE.with_name(WORDS)):
        reader = gguf.GGUFReader(path)
        field = reader.get_field("tokenizer.ggml.tokens")
        words = words or (field.contents() if field is not None else [])
        for one in reader.tensors:
            *before, name, kind = one.name.split(".")
            layer = f"encoder.layer.{before[1]}." if before else ""
            tensors[f"{layer}{names[name]}.{kind}"] = np.ascontiguousarray(
                dequantize(one.data, one.tensor_type), np.float32
            )
    save_file(tensors, folder / "model.safetensors")
    config = {
        "model_type": "bert", "architectures": ["BertModel"], "hidden_size": 384, "num_hidden_layers": 6,
        "num_attention_heads": 12, "intermediate_size": 1536, "vocab_size": len(words), "max_position_embeddings": 512,
        "type_vocab_size": 2, "layer_norm_eps": 1e-12, "hidden_act": "gelu",
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    back = [
        word[1:] if word.startswith("\u2581") else word if word.startswith("[") and word.endswith("]") else f"##{word}"
        for word in words
    ]
    (folder / "vocab.txt").write_text("\n".join(back) + "\n", encoding="utf-8")
    return folder
