"""The embedded model in both back ends, and a random adapter for it.

A file whose tests use `tiny_model` gets all of this over that model; the others over the real one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chatmem.models import registry
from chatmem.models.backends.hf import lm as back_end
from chatmem.models.backends.hf.base import embedded_folder
from chatmem.models.backends.hf.lm import TransformersLM
from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.files.model_files import embedded_path


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, kept_cache: Callable[[Path], None]) -> Iterator[Path]:
    """A home of these tests' own; the transformers folder is where all tests have it."""
    home = tmp_path_factory.mktemp("home")
    kept_cache(home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHATMEM_HOME", str(home))
        patch.setattr(back_end, "_bases", {})  # the tiny model of other files goes by the same name
        yield home


@pytest.fixture(scope="module")
def lm(home: Path) -> Iterator[LlamaLM]:
    lm = LlamaLM(embedded_path(), threads=1)
    yield lm
    lm.close()


@pytest.fixture(scope="module")
def hf(home: Path) -> TransformersLM:
    lm = registry.load("hf:embedded")
    assert isinstance(lm, TransformersLM)
    return lm


@pytest.fixture(scope="module")
def lora(home: Path) -> Path:
    """A random LoRA, big enough to turn the model's words round, as PEFT saves it."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(1)
    base = AutoModelForCausalLM.from_pretrained(str(embedded_folder()), dtype=torch.float32)
    config = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", init_lora_weights=False)
    model = get_peft_model(base, config)
    folder = home / "data" / "adapters" / "turned" / "peft"
    model.save_pretrained(str(folder))
    return folder
