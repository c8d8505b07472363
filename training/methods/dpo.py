"""Direct preference optimisation (Rafailov et al. 2023) of the answer agent, with a likelihood term on the chosen side.

loss = -log sigmoid(beta * [(log p(c) - log p0(c)) - (log p(r) - log p0(r))]) - alpha * log p(c) / |c|

c is the chosen and r the rejected reply, p0 the policy that the run starts from: no second model is held, its log p
comes from the same base with the starting adapter's weights put in for a moment. The likelihood term (Pang et al. 2024)
keeps the chosen replies from becoming unlikely together with the rejected ones.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.errors import InputError
from ..loop.loop import Loop, Measure, RunConfig
from ..policy.likelihood import sums
from ..policy.rows import TokenRow, encode_one
from ..policy.start_weights import Started

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Pair:
    """Two replies to one prompt."""

    chosen: TokenRow
    rejected: TokenRow

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens of both, for counting."""
        return self.chosen.ids + self.rejected.ids


@dataclass(frozen=True, slots=True)
class DpoConfig:
    """`beta` holds the policy near its start; `alpha` weighs the likelihood of the chosen replies."""

    beta: float = 0.1
    alpha: float = 0.2


class Dpo(Loop):
    """Preference pairs, {"messages", "chosen", "rejected"} a line."""

    objective = "direct preference optimisation, with a likelihood term on the chosen replies"

    def __init__(self, config: RunConfig, how: DpoConfig | None = None, measure: Measure | None = None) -> None:
        self.how = how or DpoConfig()
        super().__init__(config, measure)
        self._started = Started(self.model, self.parameters, config.start, config.resume)
        self._known: dict[Pair, tuple[float, float]] = {}

    def read(self, path: Path) -> list[Any]:
        """The pairs that fit."""
        pairs = []
        for row in read_pairs(path):
            both = [encode_one(row["messages"], row[side], self.render, self.tokenizer) for side in SIDES]
            if max(len(one.ids) for one in both) <= self.config.max_length:
                pairs.append(Pair(*both))
        if not pairs:
            raise InputError(f"No pair fits into {self.config.max_length} tokens; raise --max-length.")
        return pairs

    def batches(self) -> Iterator[list[Any]]:
        """Pairs in random order, as many as the token budget holds."""
        epoch = 0
        while True:
            order = sorted(self.rows, key=lambda pair: len(pair.ids))
            out: list[list[Any]] = [[]]
            for pair in order:
                if out[-1] and 2 * max(len(pair.chosen.ids), len(pair.rejected.ids)) * (len(out[-1]) + 1) > (
                    self.config.batch_tokens
                ):
                    out.append([])
                out[-1].append(pair)
            random.Random(f"{self.config.seed}/{epoch}").shuffle(out)
            yield from out
            epoch += 1

    def loss(self, batch: Sequence[Pair]) -> tuple[Tensor, dict[str, float]]:
        from torch.nn import functional as F

        before = self._reference(batch)
        rows = [pair.chosen for pair in batch] + [pair.rejected for pair in batch]
        tokens = self.likelihood(rows)
        moved = sums(tokens, rows) - before.to(tokens.device)
        chosen, rejected = moved.chunk(2)
        margin = self.how.beta * (chosen - rejected)
        likely = -tokens[: sum(pair.chosen.written for pair in batch)].mean()
        loss = -F.logsigmoid(margin).mean() + self.how.alpha * likely
        mean = lambda values: float(values.detach().float().mean())  # noqa: E731
        terms = {
            "reward": mean(margin), "accuracy": mean((margin > 0).float()), "chosen": mean(chosen),
            "rejected": mean(rejected), "likelihood loss": mean(likely),
        }  # fmt: skip
        return loss, terms

    def validate(self) -> float | None:
        """Mean loss over at most 60 held-back pairs."""
        import torch

        if not self.valid:
            return None
        with torch.no_grad():
            losses = [float(self.loss([pair])[0]) for pair in self.valid[:60]]
        return sum(losses) / len(losses)

    def _reference(self, batch: Sequence[Pair]) -> Tensor:
        """log p0 of the chosen, then of the rejected replies; computed once for each pair."""
        import torch

        if new := [pair for pair in dict.fromkeys(batch) if pair not in self._known]:
            rows = [pair.chosen for pair in new] + [pair.rejected for pair in new]
            with torch.no_grad(), self._started.policy():
                found = sums(self.likelihood(rows), rows).tolist()
            for place, pair in enumerate(new):
                self._known[pair] = (found[place], found[len(new) + place])
        both = [self._known[pair] for pair in batch]
        return torch.tensor([c for c, _ in both] + [r for _, r in both])


SIDES = ("chosen", "rejected")


def read_pairs(path: Path) -> list[dict[str, Any]]:
    """The pairs of a JSON-lines file. Raises InputError that names the first bad line."""
    pairs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            messages = [(str(role), str(text)) for role, text in row["messages"]]
            pairs.append({"messages": messages, "chosen": str(row["chosen"]), "rejected": str(row["rejected"])})
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path.name}, line {number}: not a preference pair ({error}); mend or drop that line."
            ) from error
    if not pairs:
        raise InputError(f"{path.name} holds no preference pairs.")
    return pairs
