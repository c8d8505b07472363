"""Supervised fine-tuning of a LoRA adapter: -w log p(completion | prompt), w = 1 unless a row says otherwise.

Logits exist only where the loss is, batches hold rows of like length up to a token budget (see `policy/rows.py` and
`loop/loop.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..loop.loop import Loop
from ..policy.likelihood import weights

if TYPE_CHECKING:
    from torch import Tensor


class Sft(Loop):
    """The mean over all completion tokens of the batch."""

    objective = "supervised, loss on the completion only"

    def loss(self, batch: Sequence[Any]) -> tuple[Tensor, dict[str, float]]:
        tokens = self.likelihood(batch)
        return -(tokens * weights(batch, tokens.device)).mean(), {}
