"""A choice by number: whom it asks, and that the real model weighs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from chatmem.models.backends.llama.lm import LlamaLM
from chatmem.models.decoding.choosing import Choosing
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.files.model_files import EMBEDDED_NAME
from chatmem.models.lm import Message, Weighs
from chatmem.models.prompts.messages import NONE, NOTHING, Line, over_messages

CAST = "Ana has her left wrist in a plaster cast."
LINE = "they sawed the plaster off this morning, my arm looks like a plucked chicken"


class Weighing(ScriptedLM):
    """One that weighs, each beginning alike. A scripted model."""

    def weigh(
        self, messages: Sequence[Message], beginnings: Sequence[str], *, adapter: Path | None = None,
        background: bool = False,
    ) -> list[float]:  # fmt: skip
        return [1 / len(beginnings)] * len(beginnings)


def test_only_the_model_that_the_adapter_was_made_for_is_asked() -> None:
    assert Choosing(ScriptedLM([NOTHING], adapter="storage", name=EMBEDDED_NAME)).adapter is None
    ours, other = (Weighing([NOTHING], adapter="storage", name=name) for name in (EMBEDDED_NAME, "another"))
    assert Choosing(ours).adapter is not None
    assert Choosing(other).adapter is None


def test_the_real_model_weighs_beginnings(lm: LlamaLM) -> None:
    assert isinstance(lm, Weighs)
    messages = over_messages([CAST, "Ana likes figs."], Line("Ana", LINE))
    chances = lm.weigh(messages, ["1", "2", NONE])
    assert sum(chances) == pytest.approx(1.0)
    assert chances == lm.weigh(messages, ["1", "2", NONE], background=True)  # from the cache, in the background
    swapped = lm.weigh(messages, [NONE, "2", "1"])
    assert swapped == pytest.approx(chances[::-1])
    with pytest.raises(ValueError, match="same token"):
        lm.weigh(messages, ["1", "1 and 2"])
