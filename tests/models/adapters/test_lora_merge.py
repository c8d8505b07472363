"""Averaging adapters: the merged update is the mean of the updates, and the logits are those of that mean."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.errors import InputError, ModelBroken

pytest.importorskip("safetensors", reason="writing weights is an extra")

from safetensors.numpy import save_file

from chatmem.models.adapters.merge import Lora, merge, read

LAYER = "base_model.model.model.layers.{}.self_attn.q_proj"


def make(folder: Path, seed: int, rank: int, alpha: int, wide: int = 24, **more: object) -> Path:
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True)
    tensors = {}
    for number in range(2):
        a, b = rng.normal(size=(rank, wide)), rng.normal(size=(18, rank))
        tensors[LAYER.format(number) + ".lora_A.weight"] = a.astype(np.float32)
        tensors[LAYER.format(number) + ".lora_B.weight"] = b.astype(np.float32)
    save_file(tensors, str(folder / "adapter_model.safetensors"))
    config = {"peft_type": "LORA", "r": rank, "lora_alpha": alpha, "target_modules": ["q_proj"], "bias": "none"}
    (folder / "adapter_config.json").write_text(json.dumps({**config, **more}))
    return folder


def update(lora: Lora, number: int = 0) -> np.ndarray:
    a, b = lora.pairs[LAYER.format(number)]
    return lora.scale * (b @ a)


def test_the_merged_update_is_the_weighted_mean_of_the_updates(tmp_path: Path) -> None:
    folders = [
        make(tmp_path / "a", 1, 4, 8),
        make(tmp_path / "b", 2, 6, 6),
        make(tmp_path / "c", 3, 4, 8, use_rslora=True),
    ]
    merged = merge(folders, tmp_path / "out", [1, 1, 2])
    assert (merged.rank, merged.kept) == (14, pytest.approx(1.0))
    for number in range(2):
        first, second, third = (update(read(folder), number) for folder in folders)
        mean = (first + second + 2 * third) / 4
        np.testing.assert_allclose(update(read(tmp_path / "out"), number), mean, atol=1e-4)


def test_a_smaller_rank_is_the_nearest_one_and_says_what_it_lost(tmp_path: Path) -> None:
    one, two = make(tmp_path / "a", 1, 4, 4), make(tmp_path / "b", 2, 4, 4)
    merged = merge([one, two], tmp_path / "out", rank=5)
    mean = (update(read(one)) + update(read(two))) / 2
    u, sizes, v = np.linalg.svd(mean)
    nearest = (u[:, :5] * sizes[:5]) @ v[:5]
    np.testing.assert_allclose(update(read(tmp_path / "out")), nearest, atol=1e-4)
    assert 0.5 < merged.kept < 1


def test_an_adapter_merged_with_itself_is_itself(tmp_path: Path) -> None:
    one = make(tmp_path / "a", 1, 4, 8)
    merged = merge([one, one, one], tmp_path / "out", rank=4)
    assert merged.kept == pytest.approx(1.0)
    np.testing.assert_allclose(update(read(tmp_path / "out")), update(read(one)), atol=1e-4)


def test_what_does_not_fit_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    one, other = make(tmp_path / "a", 1, 4, 8), make(tmp_path / "b", 2, 4, 8, wide=30)
    with pytest.raises(ModelBroken, match="different models"):
        merge([one, other], tmp_path / "out")
    with pytest.raises(InputError, match="2 weights"):
        merge([one, one], tmp_path / "out", [1, -1])
    assert not (tmp_path / "out").exists()


def test_logits_of_the_merged_adapter_are_those_of_the_mean_update(tiny_model: Path, tmp_path: Path) -> None:
    """Through PEFT: weights with the mean of the two updates added give the same logits."""
    torch = pytest.importorskip("torch", reason="training is an extra")
    from peft import LoraConfig, PeftModel, get_peft_model

    from chatmem.training.policy.base import load_base

    base, tokenizer, _ = load_base("embedded")
    folders = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        config = LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "down_proj"], init_lora_weights=False)
        model = get_peft_model(base, config)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if "lora_" in name:
                    parameter.mul_(0.3)
        model.save_pretrained(str(tmp_path / str(seed)), save_embedding_layers=False)
        folders.append(tmp_path / str(seed))
        base = model.unload()
    merge(folders, tmp_path / "out")
    ids = torch.tensor([tokenizer("Ana has two cats, and Ben has none.")["input_ids"]])
    with torch.no_grad():
        merged = PeftModel.from_pretrained(base, str(tmp_path / "out"))
        ours = merged(ids).logits
        base = merged.unload()
        plain = base(ids).logits
        loras = [read(folder) for folder in folders]
        for layer in loras[0].pairs:
            mean = sum(lora.scale * (lora.pairs[layer][1] @ lora.pairs[layer][0]) for lora in loras) / 2
            weight = base.get_submodule(layer.removeprefix("base_model.model.")).weight
            weight.add_(torch.tensor(mean, dtype=weight.dtype))
        theirs = base(ids).logits
    assert (ours - theirs).abs().max() < 2e-3 * theirs.abs().max()
    assert (ours - plain).abs().max() > 100 * (ours - theirs).abs().max()
