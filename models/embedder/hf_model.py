"""A sentence-transformers model as an encoder, read with transformers: its pooling and prompts are two JSON files.

So it needs no package beside those of the extra `hf`, and nothing that a model's repository brings is run.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...memory.errors import ModelBroken, ModelNotFound
from ..backends.hf.base import needs, quiet
from .encoder import file_stamp

BATCH = 16
MAX_TOKENS = 512
_POOLINGS = {
    "pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "first", "pooling_mode_lasttoken": "last",
}  # fmt: skip
_MODULES = {"Transformer", "Pooling", "Normalize"}


class HfSource:
    """A `Source` over transformers, from a folder or the hub. Raises ModelNotFound, ModelBroken."""

    def __init__(self, name: str) -> None:
        needs("torch", "transformers")
        self.folder = _folder(name)
        self._pooling = _pooling(self.folder)
        self._model, self._tokenizer = _load(name, self.folder)
        told = getattr(self._model.config, "max_position_embeddings", MAX_TOKENS)
        self._most = min(MAX_TOKENS, _own_length(self.folder) or told or MAX_TOKENS)
        self._lock = threading.Lock()
        self.label = f"hf:{name}" if not Path(name).expanduser().is_dir() else f"hf:{self.folder.name}"
        weights = sorted(one for one in self.folder.iterdir() if one.suffix in (".safetensors", ".bin"))
        self.stamp = file_stamp(weights) + self._pooling

    def raw(self, texts: Sequence[str], *, asked: bool = False) -> np.ndarray:
        """As the model gives them, float32, shape (n, dimensions)."""
        with self._lock:
            parts = [self._batch(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
        return np.concatenate(parts)

    def close(self) -> None:
        self._model = None

    def _batch(self, texts: Sequence[str]) -> np.ndarray:
        import torch

        if self._model is None:
            raise ModelBroken("the embedder is closed: load it again")
        self._tokenizer.padding_side = "right"
        batch = self._tokenizer(
            list(texts), padding=True, truncation=True, max_length=self._most, return_tensors="pt"
        ).to(self._model.device)  # fmt: skip
        with torch.inference_mode():
            states = self._model(**batch).last_hidden_state.float()
        mask = batch["attention_mask"].unsqueeze(-1).float()
        if self._pooling == "first":
            pooled = states[:, 0]
        elif self._pooling == "last":
            pooled = states[torch.arange(len(texts)), batch["attention_mask"].sum(dim=1) - 1]
        else:
            pooled = (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
        found: np.ndarray = pooled.cpu().numpy()
        return found


def _folder(name: str) -> Path:
    """Where the model's files lie: a folder, or fetched from the hub without its code."""
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()  # a chat's screen may be there
    wanted = ["*.json", "*.safetensors", "*.txt", "*.model", "1_Pooling/*"]
    try:
        return Path(snapshot_download(name, allow_patterns=wanted, ignore_patterns=["onnx/*", "openvino/*"]))
    except (OSError, ValueError, HFValidationError, HfHubHTTPError, LocalEntryNotFoundError) as error:
        first = " ".join(str(error).split())[:120]
        raise ModelNotFound(
            f"There is no encoder {name} here and it can't be fetched ({first}); check the name."
        ) from None


def _pooling(folder: Path) -> str:
    """How the tokens' vectors become one. Raises ModelBroken for modules that this doesn't know."""
    try:
        modules = _json(folder / "modules.json", [])
        kinds = {str(one["type"]).rsplit(".", 1)[-1] for one in modules}
        place = next((one["path"] for one in modules if str(one["type"]).endswith("Pooling")), "1_Pooling")
        told = _json(folder / str(place) / "config.json", {})
        modes = {way for key, way in _POOLINGS.items() if told.get(key)}
        modes |= {told["pooling_mode"]} if isinstance(told.get("pooling_mode"), str) else set()
        ways = {{"cls": "first", "lasttoken": "last"}.get(way, way) for way in modes}
        odd = [
            key for key, on in told.items() if key.startswith("pooling_mode_") and on is True and key not in _POOLINGS
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelBroken(f"{folder} is not a sentence-transformers model ({error}); choose another.") from error
    if kinds - _MODULES or odd or len(ways) > 1 or ways - {"mean", "first", "last"}:
        strange = ", ".join(sorted(kinds - _MODULES) or odd or sorted(ways))
        raise ModelBroken(f"{folder} pools its vectors in a way that chatmem doesn't know ({strange}); choose another.")
    return ways.pop() if ways else "mean"


def _json(path: Path, default: Any) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else default


def _own_length(folder: Path) -> int | None:
    told = _json(folder / "sentence_bert_config.json", {}).get("max_seq_length")
    return told if isinstance(told, int) and told > 0 else None


def _load(name: str, folder: Path) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModel, AutoTokenizer

    quiet()
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder))
        model = AutoModel.from_pretrained(str(folder), dtype=torch.float32)
    except (OSError, ValueError, KeyError) as error:
        first = " ".join(str(error).split())[:120]
        raise ModelBroken(f"{name} is not an encoder that transformers reads ({first}); choose another.") from error
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return (model.to("cuda") if torch.cuda.is_available() else model).eval(), tokenizer
