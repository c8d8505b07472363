"""GBNF grammars over llama.cpp's own grammar sampler."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass

import llama_cpp.llama_cpp as ll
import numpy as np
import numpy.typing as npt

from ....memory.errors import InputError
from ...lm import Options
from .engine import Engine, clear_log, reason

_ITEM = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
_ANY = 256
_TEXT = re.compile(r'"(\\.|[^"\\])*"|\[(\\.|[^\]\\])*\]')
"""A string or a set of characters within a grammar."""
_openings: dict[tuple[str, int, int], Openings] = {}


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


@dataclass(frozen=True, slots=True)
class Openings:
    """By which ASCII character each token of a vocabulary opens (`_ANY`: by no such one, or it ends the reply), and the
    tokens that are such a character alone: where one of these may not come next, no token may that opens by it."""

    of: npt.NDArray[np.int16]
    alone: npt.NDArray[np.int32]

    @classmethod
    def read(cls, engine: Engine) -> Openings:
        """Token by token, once for each model file."""
        pieces = [engine.piece(token, special=True) for token in range(engine.vocabulary)]
        of = np.array([piece[0] if piece and piece[0] < 128 else _ANY for piece in pieces], np.int16)
        of[[token for token in range(engine.vocabulary) if engine.ends(token)]] = _ANY
        alone = [token for token, piece in enumerate(pieces) if len(piece) == 1 and of[token] != _ANY]
        return cls(of, np.array(alone, np.int32))


def _openings_of(engine: Engine) -> Openings:
    stat = engine.path.stat()
    key = (str(engine.path), stat.st_size, stat.st_mtime_ns)
    if key not in _openings:
        _openings[key] = Openings.read(engine)
    return _openings[key]


class Grammar:
    """One grammar in one state. Only tokens that `allowed` approved may be accepted: llama.cpp aborts on others.

    Raises InputError when the text is no grammar; llama.cpp's parser then also writes its view to stderr.
    """

    def __init__(self, engine: Engine, text: str) -> None:
        self._engine = engine
        self._of_characters = "<" not in _TEXT.sub("", text)  # else it names tokens, whatever their characters
        clear_log()
        usable = bool(text.strip()) and "\0" not in text
        self._sampler = ll.llama_sampler_init_grammar(engine.vocab, text.encode(), b"root") if usable else None
        if not self._sampler:
            raise InputError(f"The grammar can't be read ({reason()}); it needs valid GBNF with a rule named root.")

    def allowed(self, tokens: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Which of these tokens may come next, shape (n,)."""
        if len(tokens) < self._engine.vocabulary or not self._of_characters:
            return self._asked(tokens)
        known = _openings_of(self._engine)
        may = np.ones(_ANY + 1, np.bool_)
        may[known.of[known.alone]] = self._asked(known.alone)
        left = np.flatnonzero(may[known.of[tokens]])
        found = np.zeros(len(tokens), np.bool_)
        found[left] = self._asked(tokens[left])
        return found

    def _asked(self, tokens: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Each of them looked at by llama.cpp, which takes as long as a small model's decode for a vocabulary."""
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
