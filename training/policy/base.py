"""The base model that an adapter is trained on, and malloc settings that spare a CPU run its page faults."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from typing import Any

from ...memory.errors import SettingsError
from ...models.decoding.chat_template import ChatTemplate
from ...models.files.spec import Spec, parse
from ...models.lm import Message


class Render:
    """Messages as the base's own chat template writes them. `ending`: what the template puts after a reply."""

    def __init__(self, template: ChatTemplate) -> None:
        self.template = template
        asked = [Message("user", "a")]
        whole = template.render([*asked, Message("assistant", "b")], generation_prompt=False)
        before = template.render(asked)
        self.ending = whole.removeprefix(before).removeprefix("b").rstrip("\n") if whole.startswith(before) else ""

    def roles(self, rows: Sequence[tuple[Any, str]]) -> list[dict[str, str]]:
        """The messages as another library's chat takes them, in the roles that this template knows."""
        made = self.template.accepted([Message(role, text) for role, text in rows])
        return [{"role": message.role, "content": message.content} for message in made]

    def __call__(self, rows: Sequence[tuple[Any, str]]) -> str:
        return self.template.render([Message(role, text) for role, text in rows])


def trainable(spec: str) -> Spec:
    """The spec of a model that can be trained; nothing is loaded. Raises SettingsError."""
    chosen = parse(spec)
    if chosen.kind not in ("embedded", "hf") or chosen.adapter:
        raise SettingsError(f"{spec!r} can't be trained; give embedded, or hf:NAME or hf:FOLDER, without an adapter.")
    return chosen


def load_base(spec: str) -> tuple[Any, Any, Render]:
    """(model, tokenizer, render) of `embedded` or `hf:NAME_OR_FOLDER[:4bit]`. Raises SettingsError, ModelError."""
    from ...models.backends.hf import base

    chosen = trainable(spec)
    keep_memory()
    multiply_quickly()
    model, tokenizer = base.load_base(chosen.name or "embedded", chosen.quantization == "4bit")
    if not tokenizer.chat_template:
        raise SettingsError(f"{spec} has no chat template, so it knows no roles; train its instruction-tuned sibling.")
    render = Render(ChatTemplate(tokenizer.chat_template, tokenizer.bos_token or "", tokenizer.eos_token or ""))
    render.ending = render.ending or tokenizer.eos_token or ""
    return model, tokenizer, render


def multiply_quickly() -> None:
    """float32 products on a card's tensor cores (TF32: 10 bits of mantissa), which is far quicker; nothing on a CPU."""
    import torch

    if torch.cuda.is_available():
        torch.set_float32_matmul_precision("high")


def keep_memory() -> None:
    """Tell glibc to keep freed blocks: tensors of some MB are else mapped and unmapped at each operation."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        trim_threshold, mmap_max = -1, -4
        libc.mallopt(mmap_max, 0)
        libc.mallopt(trim_threshold, 2**31 - 1)
