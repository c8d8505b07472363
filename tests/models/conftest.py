"""The real small model, loaded once; each test's folders apart from the person's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.files.model_files import embedded_path
from tests.conftest import KEPT

THREADS = 1
"""Beside other work on the machine, two threads that wait for each other are slower than one."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture(scope="session")
def model_path() -> Path:
    found = embedded_path()
    assert KEPT not in found.parents, "where the tiny model stands in its place, ask for `tiny_model`"
    return found


@pytest.fixture(scope="session")
def lm(model_path: Path) -> Iterator[LlamaLM]:
    lm = LlamaLM(model_path, threads=THREADS)
    yield lm
    lm.close()
