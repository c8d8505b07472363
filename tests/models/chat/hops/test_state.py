"""What is noted on the way stays within its budget of tokens: condensed by the model, never cut in silence."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.chat.hops.state import LEAST, State
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.lm import Message, Options

BUDGET = 20_000


def test_a_state_of_more_than_twenty_thousand_tokens_is_condensed_by_the_model(
    tiny_model: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatmem.models.chat.hops.state.LEAST", 8)
    monkeypatch.setattr("chatmem.models.chat.hops.state.SHARE", 60)
    lm = LlamaLM(tiny_model, threads=1)
    try:
        notes = [
            f"Step {step}, search: bees\n" + "\n".join(_line(step, at) for at in range(40)) for step in range(1, 15)
        ]
        state = State(lm, "Where does Ana keep bees?", BUDGET, notes)
        before = state.tokens
        assert before > BUDGET
        with caplog.at_level(logging.INFO, "chatmem.models.chat.hops.state"):
            done = list(state.fit())
        assert done[0].before == before and done[-1].after == state.tokens <= BUDGET
        assert all(one.after < one.before for one in done)
        assert f"from {before} to {done[0].after} tokens" in caplog.text
        assert state.notes[-1] == notes[-1]  # the newest stay as they were
    finally:
        lm.close()


def _line(step: int, at: int) -> str:
    return (
        f"l{step * 40 + at} 2023-05-08 User: Ana of house {at} told of {step} hives that stand beside the river in Graz"
    )


def test_each_piece_fits_the_window_and_what_matters_comes_from_the_model() -> None:
    def condensed(messages: Sequence[Message], options: Options) -> str:
        assert sum(len(one.content.split()) for one in messages) + options.max_tokens <= lm.context_tokens
        return f"about {messages[-1].content.split()[6]}"

    lm = ScriptedLM([condensed], context_tokens=1_000)
    lm.count_tokens = lambda text: len(text.split())  # type: ignore[method-assign]
    state = State(lm, "Who has bees?", 600, [" ".join(f"w{number}" for number in range(9_000)), "last note"])
    done = list(state.fit())
    assert state.tokens <= 600 and sum(one.dropped for one in done) == 0
    assert state.notes[-1] == "last note" and "about w" in state.notes[0]


def test_what_the_model_makes_no_shorter_is_left_out_and_told() -> None:
    lm = ScriptedLM(["" for _ in range(3)])
    lm.count_tokens = lambda text: len(text.split())  # type: ignore[method-assign]
    state = State(lm, "Who?", 300, ["word " * 400, "the end"])
    done = list(state.fit())
    assert done and sum(one.dropped for one in done) >= 1 and state.tokens <= 300
    assert LEAST > 8
