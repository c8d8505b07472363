"""The real small model, loaded once; each test's folders apart from the person's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.memory.store import Store
from chatmem.models.llamacpp import LlamaLM
from chatmem.models.places import embedded_path

THREADS = 1
"""Beside other work on the machine, two threads that wait for each other are slower than one."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture(scope="session")
def model_path() -> Path:
    return embedded_path()


@pytest.fixture(scope="session")
def lm(model_path: Path) -> Iterator[LlamaLM]:
    lm = LlamaLM(model_path, threads=THREADS)
    yield lm
    lm.close()


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home shared by the tests that need the embedded model as a transformers folder, which takes half a minute to
    make: `CHATMEM_TEST_HOME` keeps it from one run to the next."""
    kept = os.environ.get("CHATMEM_TEST_HOME")
    home = Path(kept) if kept else tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHATMEM_HOME", str(home))
        yield home


@pytest.fixture(scope="session")
def lora(home: Path) -> Path:
    """A random LoRA, big enough to turn the model's words round, as PEFT saves it."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    from chatmem.models.hf_base import embedded_folder

    torch.manual_seed(1)
    base = AutoModelForCausalLM.from_pretrained(str(embedded_folder()), dtype=torch.float32)
    config = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", init_lora_weights=False)
    model = get_peft_model(base, config)
    folder = home / "data" / "adapters" / "turned" / "peft"
    model.save_pretrained(str(folder))
    return folder
