"""The LoRA adapter of a run: new, or one to go on from."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from ...memory.errors import SettingsError


def attach(base: Any, rank: int, alpha: int, start: Path | None, dropout: float = 0.0) -> Any:
    """`base` with a LoRA on all linear layers; with `start`, that adapter's shape and weights. Raises SettingsError."""
    from peft import LoraConfig, get_peft_model, load_peft_weights, set_peft_model_state_dict

    modules: Any = "all-linear"
    if start is not None:
        saved = json.loads((start / "adapter_config.json").read_text(encoding="utf-8"))
        rank, alpha, modules = saved["r"], saved["lora_alpha"], saved["target_modules"]
    lora = LoraConfig(r=rank, lora_alpha=alpha, target_modules=modules, lora_dropout=dropout, task_type="CAUSAL_LM")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # PEFT calls what transformers has renamed
        model = get_peft_model(base, lora)
    if start is not None:
        try:
            found = set_peft_model_state_dict(model, load_peft_weights(str(start), device="cpu"))
        except RuntimeError as error:
            raise SettingsError(f"{start} was trained on another base; give its own with --base.") from error
        if found.unexpected_keys:
            raise SettingsError(f"{start} was trained on another base; give its own with --base.")
    return model
