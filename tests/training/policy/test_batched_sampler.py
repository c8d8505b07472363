"""Many sequences at once are what the model writes of each alone, and are drawn as often as it is sure of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chatmem.memory.errors import SettingsError
from tests.extras import needed

torch = needed("torch", "training is an extra")


LINES = ("Ana has two cats, and Ben has none.", "Hm.", "Hm.", "I moved to Porto in May with my sister Vera.")


@pytest.fixture
def policy(tiny_home: Path) -> Any:
    from peft import LoraConfig, get_peft_model

    from chatmem.training.policy.base import load_base

    torch.manual_seed(3)
    base, tokenizer, _ = load_base("embedded")
    lora = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", init_lora_weights=False)
    return get_peft_model(base, lora), tokenizer


def alone(model: Any, prompt: list[int], most: int, ending: int) -> list[int]:
    found = model.generate(input_ids=torch.tensor([prompt]), max_new_tokens=most, do_sample=False, eos_token_id=ending)
    written: list[int] = found[0][len(prompt) :].tolist()
    return written[: written.index(ending)] if ending in written else written


def test_greedy_completions_are_those_of_transformers_and_follow_the_adapter(policy: Any) -> None:
    from chatmem.training.policy.batched_sampler import BatchedSampler

    model, tokenizer = policy
    prompts = [tokenizer(line)["input_ids"] for line in LINES]
    never = len(tokenizer) - 1
    sampler = BatchedSampler(model, never, width=3, prompt=24, reply=6)  # four prompts: a second, half empty block
    first = sampler.draw(prompts, temperature=0.0)
    assert first == [alone(model, prompt, 6, never) for prompt in prompts]
    ended = BatchedSampler(model, first[0][3], width=4, prompt=24, reply=6).draw(prompts[:1], temperature=0.0)
    assert ended == [first[0][: first[0].index(first[0][3])]]
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "lora_B" in name:
                weights.mul_(-3)
    assert sampler.draw(prompts, temperature=0.0) == first
    sampler.refresh()
    changed = sampler.draw(prompts, temperature=0.0)
    assert changed == [alone(model, prompt, 6, never) for prompt in prompts] != first


def test_tokens_are_drawn_as_often_as_the_model_is_sure_of_them(policy: Any) -> None:
    from chatmem.training.policy.batched_sampler import BatchedSampler

    model, tokenizer = policy
    prompt = tokenizer(LINES[0])["input_ids"]
    with torch.no_grad():
        sure = (model(input_ids=torch.tensor([prompt])).logits[0, -1].float() / 0.7).softmax(-1)
    sampler = BatchedSampler(model, len(tokenizer) - 1, width=400, prompt=24, reply=1)
    torch.manual_seed(11)
    drawn = [one[0] for _ in range(3) for one in sampler.draw([prompt] * 400, temperature=0.7) if one]
    top = int(sure.argmax())
    spread = (float(sure[top]) * (1 - float(sure[top])) / len(drawn)) ** 0.5
    assert drawn.count(top) / len(drawn) == pytest.approx(float(sure[top]), abs=4 * spread)
    assert len(set(drawn)) > 3, "always the same"


def test_a_prompt_that_is_too_long_and_another_architecture_are_refused(policy: Any) -> None:
    from peft import LoraConfig, get_peft_model
    from transformers import Qwen2Config, Qwen2ForCausalLM

    from chatmem.training.policy.batched_sampler import BatchedSampler

    model, tokenizer = policy
    sampler = BatchedSampler(model, 2, width=2, prompt=5, reply=2)
    with pytest.raises(ValueError, match="made for 5"):
        sampler.draw([tokenizer(LINES[3])["input_ids"]])
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4}
    other = Qwen2ForCausalLM(Qwen2Config(vocab_size=50, num_key_value_heads=2, **sizes))
    with pytest.raises(SettingsError, match="qwen2; choose grpo"):
        BatchedSampler(
            get_peft_model(other, LoraConfig(r=2, target_modules="all-linear")), 2, width=1, prompt=4, reply=2
        )
