"""REINFORCE with a leave-one-out baseline (RLOO; Kool et al. 2019, Ahmadian et al. 2024), online, in our own loop.

Each step: k samples of the policy as it is now for some prompts, each scored by running it; then the gradient of
mean(A log p), where a sample's advantage A is its reward minus the mean reward of its siblings. Samples are drawn many
at a time (`policy/batched_sampler.py`) and scored by several processes. The human targets anchor the policy.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..loop.loop import Loop, Progress, RunConfig
from ..loop.stopping import PATIENCE
from ..policy.rows import Rows, TokenRow, encode, encode_one, read_rows
from ..policy.sampling import Task, askable, masked
from ..policy.scoring import Scorers

if TYPE_CHECKING:
    from torch import Tensor

Group = tuple[dict[str, Any], list[dict[str, Any]]]
"""A row and its samples {"ids", "text", "clipped", "reward", ...}."""


@dataclass(frozen=True, slots=True)
class RlooConfig:
    """`groups` prompts a step, `samples` completions each, of at most `max_tokens` tokens. `anchor`: the weight of the
    human targets' likelihood beside the reward. `workers`: processes that score (0: this one)."""

    groups: int = 2
    samples: int = 4
    temperature: float = 1.0
    anchor: float = 0.3
    max_tokens: int = 224
    workers: int = 0


class Rloo(Loop):
    """-mean(A log p(sample | prompt)) - anchor * mean(log p(target | prompt))."""

    objective = "RLOO: policy gradient of an executable reward, leave-one-out baseline"

    def __init__(self, config: RunConfig, make: Callable[[], Task], how: RlooConfig, held: Rows) -> None:
        """`make` makes the task, once in each process; `held`: the rows that the agent is measured on, greedily."""
        self.scorers = Scorers(make, how.workers)  # before anything of a card is in memory: they are forks
        self.how, self.held = how, held
        self.seen: dict[str, float] = {}
        self.took: dict[str, float] = {}
        self._sampler: Any = None
        super().__init__(config, (lambda _: self._greedy()) if held else None)
        self.watch.patience = PATIENCE  # a few groups without a difference in a row are no wonder
        self.pool = self.rows = askable(read_rows(config.data), self.scorers.task, config.data)

    def train(self) -> Iterator[Progress]:
        """Runs to the end; the processes that score end with it."""
        try:
            yield from super().train()
        finally:
            self.scorers.close()

    def read(self, path: Any) -> list[Any]:
        """The validation rows as tokens; the training rows are prompts, read as they come."""
        return [] if path == self.config.data else super().read(path)

    def batches(self) -> Iterator[list[TokenRow]]:
        """A step's samples, drawn when it begins. Steps of before a resumed run's are not drawn again."""
        for number, rows in enumerate(self._prompts()):
            mine = number % self.ranks.world == self.ranks.rank
            yield self._batch(rows, number) if mine and number // self.ranks.world >= self.step else []

    def loss(self, batch: Sequence[TokenRow]) -> tuple[Tensor, dict[str, float]]:
        """Goes backward piece by piece, all but the last: a step's samples may not fit a card's memory at once."""
        import torch

        total = max(1, sum(row.written for row in batch))
        loss, spent = torch.zeros((), requires_grad=True), 0.0
        for piece in _pieces(batch, self.config.batch_tokens):
            if loss.grad_fn is not None:
                loss.backward()
                spent += float(loss.detach())
            tokens = self.likelihood(piece)
            weights = torch.tensor([row.weight for row in piece for _ in range(row.written)], device=tokens.device)
            loss = -(tokens * weights).sum() / total
        return loss + spent, self.seen

    def _prompts(self) -> Iterator[Rows]:
        """The pool in an order drawn from the seed, again and again."""
        epoch = 0
        while True:
            rows = random.Random(f"{self.config.seed}/{epoch}").sample(self.pool, len(self.pool))
            size = min(self.how.groups, len(rows))
            yield from (rows[at : at + size] for at in range(0, len(rows) - size + 1, size))
            epoch += 1

    def _batch(self, rows: Rows, number: int) -> list[TokenRow]:
        import torch

        torch.manual_seed(self.config.seed * 1_000_003 + number)
        step = number // self.ranks.world
        groups = self.drawn(rows, self.how.samples, self.how.temperature, step)
        self.seen = statistics(groups) | self.took
        made = [one for group in groups for one in self._weighted(*group)]
        if self.how.anchor:
            targets = encode(rows, self.render, self.tokenizer, self.config.max_length)
            made += [replace(row, weight=self.how.anchor) for row in targets]
        return made

    def _weighted(self, row: dict[str, Any], samples: list[dict[str, Any]]) -> Iterator[TokenRow]:
        """The group's samples that teach something: equal ones once, with the sum of their advantages."""
        prompt = self._prompt(row)
        together: dict[tuple[int, ...], float] = {}
        for sample, advantage in zip(samples, advantages([s["reward"] for s in samples]), strict=True):
            ids = (*sample["ids"], *(() if sample["clipped"] else (self._ending,)))
            together[ids] = together.get(ids, 0.0) + advantage
        for ids, weight in together.items():
            if abs(weight) > 1e-6 and len(prompt) + len(ids) <= self.config.max_length:
                yield TokenRow((*prompt, *ids), len(prompt), weight)

    def drawn(self, rows: Rows, samples: int, temperature: float, step: int | None = None) -> list[Group]:
        """Samples of each row by the policy as it is now, scored as of this step. What can't be scored is left out, and
        so is a row whose prompt leaves no room for a reply within --max-length."""
        sampler = self._sampling()
        sampler.refresh()
        longest = sampler.prompt
        rows = [row for row in rows if len(self._prompt(row)) <= longest]
        each = [row for row in rows for _ in range(samples)]
        began = time.monotonic()
        ids = sampler.draw([self._prompt(row) for row in each], temperature)
        texts = [self.tokenizer.decode(one, skip_special_tokens=True) for one in ids]
        drawn = time.monotonic()
        scores = self.scorers.score(list(zip(each, texts, strict=True)), step)
        self.took = {"seconds drawing": drawn - began, "seconds scoring": time.monotonic() - drawn}
        made = [
            {"ids": one, "text": text, "clipped": len(one) >= sampler.reply, "tokens": len(one), **terms}
            for one, text, terms in zip(ids, texts, scores, strict=True)
        ]
        groups = [(row, made[at * samples : (at + 1) * samples]) for at, row in enumerate(rows)]
        return [(row, [one for one in some if not masked(one)]) for row, some in groups]

    def _greedy(self) -> dict[str, float]:
        """What the agent's measure says of the held-back rows."""
        groups = self.drawn(self.held, 1, 0.0)
        keep = ("ids", "text", "clipped")
        return dict(
            self.scorers.task.summary(
                [{k: v for k, v in s.items() if k not in keep} for _, some in groups for s in some]
            )
        )

    def _prompt(self, row: dict[str, Any]) -> tuple[int, ...]:
        one = encode_one(row["messages"], "", self.render, self.tokenizer)
        return one.ids[: one.start]

    @property
    def _ending(self) -> int:
        return int(self.tokenizer(self.render.ending, add_special_tokens=False)["input_ids"][0])

    def _sampling(self) -> Any:
        from ..policy.batched_sampler import BatchedSampler

        if self._sampler is None:
            self._sampler = BatchedSampler(
                self.model, self._ending, width=self.how.groups * self.how.samples,
                prompt=self.config.max_length - self.how.max_tokens, reply=self.how.max_tokens,
            )  # fmt: skip
        return self._sampler


def advantages(rewards: Sequence[float]) -> list[float]:
    """r_i minus the mean of the others; zeros for one sample alone."""
    if len(rewards) < 2:
        return [0.0] * len(rewards)
    total = sum(rewards)
    return [reward - (total - reward) / (len(rewards) - 1) for reward in rewards]


def statistics(groups: Sequence[Group]) -> dict[str, float]:
    """Means over all samples of the reward and its terms; groups without a difference; samples cut off."""
    samples = [sample for _, some in groups for sample in some]
    names = dict.fromkeys(name for sample in samples for name in sample if name not in ("ids", "text"))
    held = {name: [float(s[name]) for s in samples if name in s] for name in names}
    flat = [len({round(s["reward"], 6) for s in some}) < 2 for _, some in groups]
    return {name: sum(v) / len(v) for name, v in held.items()} | {"zero variance": sum(flat) / max(1, len(flat))}


def _pieces(batch: Sequence[TokenRow], budget: int) -> Iterator[list[TokenRow]]:
    """The rows by length, so many together that padded they stay within the budget of tokens."""
    piece: list[TokenRow] = []
    for row in sorted(batch, key=lambda one: len(one.ids)):
        if piece and len(row.ids) * (len(piece) + 1) > budget:
            yield piece
            piece = []
        piece.append(row)
    if piece:
        yield piece
