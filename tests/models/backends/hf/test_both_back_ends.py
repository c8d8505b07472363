"""Both back ends over the real small model: the same prompts, and the same numbers with and without an adapter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chatmem.models import registry
from chatmem.models.adapters import to_gguf
from chatmem.models.backends.hf.lm import TransformersLM
from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.lm import Message

# PEFT calls what transformers has renamed.
pytestmark = pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")
ASK = [Message("system", "You are kind."), Message("user", "I have two cats, Nori and Wasabi. What are their names?")]
COSINE = 0.999
"""Least cosine of the two back ends' last logits. Measured .9999; llama.cpp rounds activations."""


@pytest.mark.parametrize(
    "messages",
    [
        [("user", "hi")],
        [("system", ""), ("user", "a\n\nb  ")],
        [("system", "s"), ("user", "ü🦆 漢字"), ("assistant", " x "), ("user", "{{ 7 * 7 }} {% if %}")],
        [("user", "\n\n  one"), ("assistant", "two\n"), ("user", "three")],
    ],
)
def test_both_back_ends_write_the_prompt_that_transformers_writes(
    hf: TransformersLM, lm: LlamaLM, messages: list[tuple[str, str]]
) -> None:
    ours = [Message(role, content) for role, content in messages]  # type: ignore[arg-type]
    theirs = [{"role": role, "content": content} for role, content in messages]
    tokenizer = hf.base.tokenizer
    text = tokenizer.apply_chat_template(theirs, tokenize=False, add_generation_prompt=True)
    assert hf.prompt_text(ours) == lm.prompt_text(ours) == text
    assert lm.engine.tokenize(text) == tokenizer(text, add_special_tokens=False)["input_ids"]


def logits_of(lm: LlamaLM, adapter: Path | None, tokens: list[int]) -> np.ndarray:
    engine = lm.engine
    with engine.lock:
        lm.clear_cache()
        engine.use_adapter(adapter)
        engine.decode(tokens, [(0, at) for at in range(len(tokens))], [len(tokens) - 1])
        logits = engine.logits(len(tokens) - 1).copy()
        engine.forget(0)
    return logits


def cosine(left: np.ndarray, right: np.ndarray) -> float:
    return float(left @ right / np.linalg.norm(left) / np.linalg.norm(right))


def test_a_written_lora_gives_equal_logits_in_both_back_ends(
    hf: TransformersLM, lm: LlamaLM, lora: Path, tmp_path: Path
) -> None:
    from transformers import DynamicCache

    out = tmp_path / "turned.gguf"
    assert to_gguf.write(lora, out) == out.stat().st_size < 12_000_000
    turned = registry.load("hf:embedded+turned")
    assert isinstance(turned, TransformersLM)
    assert turned.base is hf.base
    tokens = lm.engine.tokenize(lm.prompt_text(ASK))
    with_it = turned.base.step(tokens, DynamicCache(), "turned")
    without = turned.base.step(tokens, DynamicCache(), None)
    assert cosine(with_it, without) < 0.99, "the adapter must matter for the comparison to say something"
    for theirs, ours in ((with_it, logits_of(lm, out, tokens)), (without, logits_of(lm, None, tokens))):
        assert cosine(theirs, ours) >= COSINE
        assert np.abs(theirs - ours).max() < 2.5
