"""Grammars for the transformers back end, through xgrammar where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ....memory.errors import InputError, ModelNotFound
from ...lm import Options

_compilers: dict[int, Any] = {}


class Constraint:
    """A grammar in one state over one tokenizer's vocabulary."""

    def __init__(self, compiled: Any, vocabulary: int) -> None:
        import xgrammar

        self._matcher = xgrammar.GrammarMatcher(compiled)
        self._mask = xgrammar.allocate_token_bitmask(1, vocabulary)

    def allowed(self, tokens: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Which of these tokens may come next, shape (n,)."""
        self._matcher.fill_next_token_bitmask(self._mask)
        words = self._mask[0].numpy().view(np.uint32)
        bits = (words[tokens // 32] >> (tokens % 32).astype(np.uint32)) & 1
        return np.asarray(bits.astype(np.bool_))

    def accept(self, token: int) -> None:
        """Move on over a token that `allowed` approved."""
        self._matcher.accept_token(token)


def constraint(tokenizer: Any, config: Any, options: Options) -> Constraint | None:
    """The constraint that the options ask for. Raises ModelNotFound without xgrammar, InputError for a bad grammar."""
    if options.grammar is None and options.json_schema is None:
        return None
    from importlib.util import find_spec

    if find_spec("xgrammar") is None:
        raise ModelNotFound("hf: models need xgrammar to follow a grammar; run `pip install xgrammar`.")
    import xgrammar

    if id(tokenizer) not in _compilers:
        info = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=config.vocab_size)
        _compilers[id(tokenizer)] = xgrammar.GrammarCompiler(info)
    compiler = _compilers[id(tokenizer)]
    try:
        if options.grammar is not None:
            compiled = compiler.compile_grammar(options.grammar)
        else:
            compiled = compiler.compile_json_schema(options.json_schema)
    except RuntimeError as error:
        first = " ".join(str(error).split())[-160:]
        raise InputError(f"The grammar can't be read ({first}); it needs valid GBNF with a rule named root.") from error
    return Constraint(compiled, config.vocab_size)
