"""A choice by number: the small model, with an adapter that was trained for it, says how likely each of a few numbered
texts is the one that is asked for, and how likely none is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..files.model_files import EMBEDDED_NAME, adapters
from ..lm import LM, Message, Weighs
from ..prompts.messages import NONE

ADAPTER = "choice"
SHOWN = 5
"""Most texts of a choice, as in training."""


@dataclass(frozen=True)
class Choosing:
    """Chooses with the adapter in place of the handle's own, if the model is the one that it was made for."""

    lm: LM

    @cached_property
    def adapter(self) -> Path | None:
        """The adapter's file; None where the model is another one, or there is no such adapter."""
        if self.lm.adapter is None or self.lm.name != EMBEDDED_NAME or not isinstance(self.lm, Weighs):
            return None
        return next((info.path for info in adapters() if info.name == ADAPTER), None)

    def chances(self, messages: Sequence[Message], count: int, *, background: bool = False) -> list[float]:
        """How likely each of `count` numbered texts is chosen, and last how likely none is; they add up to 1.

        Call it where there is an adapter. Raises ModelError.
        """
        assert isinstance(self.lm, Weighs)
        beginnings = [*map(str, range(1, count + 1)), NONE]
        return self.lm.weigh(messages, beginnings, adapter=self.adapter, background=background)
