"""Learns what was put right, and nothing else: the objective of `chatmem train storage --from-journal`.

    mean over the completion's tokens of   -log p(token)     where the right SQL differs from what the agent wrote,
                                           KEEP KL(p0 || p)  everywhere else

p0 is the adapter that the run starts from, after the same tokens, over the whole vocabulary: what nobody put right has
to stay as it is (learning without forgetting, Li & Hoiem 2016). At the start the second part is zero, so that only the
corrections pull. No second model is held for it (see `policy/start_weights.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..loop.loop import Loop, RunConfig
from ..loop.stopping import PATIENCE
from ..policy.likelihood import targets
from ..policy.rows import TokenRow, batches, encode_one, fitting, read_rows
from ..policy.start_weights import Started

if TYPE_CHECKING:
    from torch import Tensor


MOMENTUM = 0.9
KEEP = 8.0
"""What is kept weighs so much: it is the topic of a line that moves, one word in twenty, where the agent is unsure."""


@dataclass(frozen=True, slots=True)
class Corrected(TokenRow):
    """`taught`: for each token of the completion, whether it is part of what was put right."""

    taught: tuple[bool, ...] = ()


def taught(was: Sequence[int], right: Sequence[int]) -> tuple[bool, ...]:
    """The tokens of `right` that differ from `was`, and the one after each difference, which says where it ends."""
    marks = [False] * len(right)
    for tag, _, _, begin, end in SequenceMatcher(None, was, right, autojunk=False).get_opcodes():
        if tag != "equal":
            marks[begin : end + 1] = [True] * len(marks[begin : end + 1])
    return tuple(marks)


class Correct(Loop):
    """Rows with `was`, the SQL that the agent wrote; without it, a row has nothing to teach and is kept as it is."""

    objective = "what was put right, and KL to the start on all other tokens of the completion"

    def __init__(self, config: RunConfig) -> None:
        super().__init__(config)
        self.watch.patience = PATIENCE  # a batch without corrections has no gradient at the start
        self._started = Started(self.model, self.parameters, config.start, config.resume)

    def make_optimizer(self) -> Any:
        """Plain gradient steps with momentum: Adam moves every weight as far, those that matter to other lines, too."""
        import torch

        return torch.optim.SGD(self.parameters, lr=self.config.lr, momentum=MOMENTUM)

    def read(self, path: Path) -> list[Any]:
        """The rows that fit."""
        return fitting([self._encode(one) for one in read_rows(path)], self.config.max_length)

    def _encode(self, one: dict[str, Any]) -> Corrected:
        right = encode_one(one["messages"], one["completion"], self.render, self.tokenizer)
        was = encode_one(one["messages"], one.get("was", one["completion"]), self.render, self.tokenizer)
        return Corrected(right.ids, right.start, taught=taught(was.ids[was.start :], right.ids[right.start :]))

    def loss(self, batch: Sequence[Any]) -> tuple[Tensor, dict[str, float]]:
        """Cross-entropy with what each token should be, less the entropy of that: 0 where nothing has moved."""
        import torch
        from torch.nn import functional as F

        with torch.no_grad(), self._started.policy():
            wanted = self.logits(batch).softmax(-1)
        marks = torch.tensor([mark for row in batch for mark in row.taught], device=wanted.device)
        right = torch.tensor(targets(batch), device=wanted.device)[marks]
        wanted[marks] = F.one_hot(right, wanted.shape[1]).to(wanted.dtype)
        entropy = torch.special.entr(wanted).sum(-1)
        losses = F.cross_entropy(self.logits(batch), wanted, reduction="none") - entropy
        parts = {"taught": losses[marks], "moved": losses[~marks]}
        weights = torch.where(marks, 1.0, KEEP)
        return (weights * losses).mean(), {
            name: float(part.detach().mean()) for name, part in parts.items() if len(part)
        }

    def validate(self) -> float | None:
        """The mean loss a token over the validation rows; None without any."""
        import torch

        if not self.valid:
            return None
        total = count = 0.0
        with torch.no_grad():
            for batch in batches(self.valid, self.config.batch_tokens, 0, 0):
                written = sum(row.written for row in batch)
                total, count = total + float(self.loss(batch)[0]) * written, count + written
        return total / count
