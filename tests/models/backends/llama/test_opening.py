"""What llama.cpp is asked to leave out, where it would crash."""

from __future__ import annotations

from collections.abc import Iterator

import llama_cpp.llama_cpp as ll
import pytest

from chatmem.models.backends.llama import opening


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
