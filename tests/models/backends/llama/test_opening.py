"""What llama.cpp is asked to leave out, where it would crash."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import llama_cpp
import llama_cpp.llama_cpp as ll
import pytest

from chatmem.models.backends.llama import bf16_copy, opening
from chatmem.models.backends.llama.engine import Engine
from chatmem.models.embedder.minilm import load_embedder
from chatmem.models.registry import embedded_path


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    opening._has_amx.cache_clear()
    yield
    opening._has_amx.cache_clear()


@pytest.mark.parametrize(("amx", "repacked"), [(b"AMX_INT8 = 1 | ", False), (b"", True)])
def test_repacked_weights_are_left_out_where_amx_is_compiled_in(
    monkeypatch: pytest.MonkeyPatch, amx: bytes, repacked: bool
) -> None:
    monkeypatch.setattr(ll, "llama_print_system_info", lambda: b"CPU : AVX512_VNNI = 1 | " + amx + b"OPENMP = 1 | ")
    assert opening.model_parameters().use_extra_bufts is repacked


def test_this_machine_s_own_answer_is_one_of_both() -> None:
    amx = b"AMX_INT8 = 1" in ll.llama_print_system_info()
    assert opening.model_parameters().use_extra_bufts is not amx


def test_ctrl_c_while_a_copy_is_made_counts_once_it_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """llama.cpp logs each tensor of it: the run went on, after a traceback."""
    made = []

    def pressed(*_: Any) -> int:
        signal.raise_signal(signal.SIGINT)
        made.append(True)
        return 0

    monkeypatch.setattr(ll, "llama_model_quantize", pressed)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            bf16_copy._convert(embedded_path(), tmp_path / "copy.gguf")
        assert made
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "name", ["llama_model_load_from_file", "llama_init_from_model", "llama_model_load_from_splits"]
)
def test_ctrl_c_while_a_file_is_opened_counts_once_it_is_open(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """It comes where llama.cpp logs: an exception out of a callback of C would be lost."""
    really, opened = getattr(llama_cpp if "splits" in name else ll, name), []

    def pressed(*arguments: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        opened.append(really(*arguments))
        return opened[-1]

    monkeypatch.setattr(llama_cpp if "splits" in name else ll, name, pressed)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            load_embedder() if "splits" in name else Engine(embedded_path(), 512)
        assert opened and opened[0]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
