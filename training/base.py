"""The base model that an adapter is trained on, and malloc settings that spare a CPU run its page faults."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..models.chat_template import ChatTemplate
from ..models.lm import Message


def load_base(spec: str) -> tuple[Any, Any, Callable[[Sequence[tuple[str, str]]], str]]:
    """(model, tokenizer, render) of `embedded`, or of a folder or name that transformers knows (`:4bit` for NF4)."""
    keep_memory()
    model, tokenizer = _load(spec)
    template = ChatTemplate(tokenizer.chat_template)
    return model, tokenizer, lambda rows: template.render([Message(role, text) for role, text in rows])  # type: ignore[arg-type]


def _load(spec: str) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return AutoModelForCausalLM.from_pretrained(spec, dtype=torch.float32), AutoTokenizer.from_pretrained(spec)


def keep_memory() -> None:
    """Tell glibc to keep freed blocks: tensors of some MB are else mapped and unmapped at each operation."""
    if sys.platform != "linux" or not Path("/lib").is_dir():
        return
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        trim_threshold, mmap_max = -1, -4
        libc.mallopt(mmap_max, 0)
        libc.mallopt(trim_threshold, 2**31 - 1)
