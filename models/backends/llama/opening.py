"""How llama.cpp is asked to open a model: its own defaults, without what crashes on some machines."""

from __future__ import annotations

from functools import cache
from typing import Any


def model_parameters() -> Any:
    """llama.cpp's parameters of a model; where it was built with AMX, without its buffers of repacked weights.

    Compiled with gcc before 13.2.1 its AMX kernels load an empty tile configuration (the compiler takes the bytes of it
    for unused) and die at the first product: SIGSEGV or SIGILL, on any Intel server since Sapphire Rapids
    (ggml-org/llama.cpp#20824; #26954 is to mend it). Without those buffers it multiplies by AVX-512.
    """
    import llama_cpp.llama_cpp as ll

    parameters = ll.llama_model_default_params()
    if _has_amx():
        parameters.use_extra_bufts = False
    return parameters


@cache
def _has_amx() -> bool:
    """Whether llama.cpp was compiled with AMX and finds it on this processor."""
    import llama_cpp.llama_cpp as ll

    return b"AMX_INT8 = 1" in ll.llama_print_system_info()
