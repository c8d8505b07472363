"""GBNF grammars over llama.cpp's own grammar sampler."""

from __future__ import annotations

import ctypes

import llama_cpp.llama_cpp as ll
import numpy as np
import numpy.typing as npt

from ....memory.errors import InputError
from ...lm import Options
from .engine import Engine, clear_log, reason

_ITEM = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


def grammar_of(engine: Engine, options: Options) -> Grammar | None:
    """The grammar that the options ask for: their GBNF, else their JSON schema turned into GBNF."""
    if options.grammar is not None:
        return Grammar(engine, options.grammar)
    if options.json_schema is not None:
        return Grammar(engine, _from_schema(options.json_schema))
    return None


def _from_schema(schema: str) -> str:
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    try:
        text: str = json_schema_to_gbnf(schema)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"The JSON schema can't be used ({error}); mend it.") from error
    return text


class Grammar:
    """One grammar in one state. Only tokens that `allowed` approved may be accepted: llama.cpp aborts on others.

    Raises InputError when the text is no grammar; llama.cpp's parser then also writes its view to stderr.
    """

    def __init__(self, engine: Engine, text: str) -> None:
        clear_log()
        usable = bool(text.strip()) and "\0" not in text
        self._sampler = ll.llama_sampler_init_grammar(engine.vocab, text.encode(), b"root") if usable else None
        if not self._sampler:
            raise InputError(f"The grammar can't be read ({reason()}); it needs valid GBNF with a rule named root.")

    def allowed(self, tokens: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Which of these tokens may come next, shape (n,)."""
        items = np.zeros(len(tokens), dtype=_ITEM)
        items["id"] = tokens
        array = ll.llama_token_data_array(
            data=items.ctypes.data_as(ll.llama_token_data_p), size=len(items), selected=-1, sorted=False
        )
        ll.llama_sampler_apply(self._sampler, ctypes.byref(array))
        return np.asarray(items["logit"] == 0.0)

    def accept(self, token: int) -> None:
        """Move on over a token that `allowed` approved."""
        ll.llama_sampler_accept(self._sampler, token)

    def close(self) -> None:
        """Free the sampler."""
        if self._sampler:
            ll.llama_sampler_free(self._sampler)
            self._sampler = None
