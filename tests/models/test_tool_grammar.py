"""Calls as text: what the grammar lets the real model write is a call that the tools take."""

from __future__ import annotations

import pytest

from chatmem.memory.errors import InputError
from chatmem.memory.toolspec import checked, tool_specs
from chatmem.models.llamacpp import LlamaLM
from chatmem.models.lm import Message, Options, complete
from chatmem.models.tool_grammar import DONE, calls_grammar, read_call

ASK = "Memory 3: Ana has two cats. Memory 9: Ana's cats are two. Write the call that tidies this."


@pytest.mark.parametrize("seed", [1, 2])
def test_the_real_model_can_only_write_calls_that_fit(lm: LlamaLM, seed: int) -> None:
    options = Options(max_tokens=160, temperature=1.0, seed=seed, grammar=calls_grammar([3, 9]))
    text = complete(lm, [Message("user", ASK)], options)
    if text.endswith("}"):  # else the limit of tokens cut it
        call = read_call(text)
        assert call is not None
        checked(*call)


def test_calls_are_read_and_what_is_none_is_told() -> None:
    assert read_call(DONE) is None
    assert read_call('delete_memory {"memory_id": 3}') == ("delete_memory", {"memory_id": 3})
    for wrong in ("delete_memory {", "delete_memory [1]"):
        with pytest.raises(InputError):
            read_call(wrong)
    assert all(name in calls_grammar() for name in tool_specs())
