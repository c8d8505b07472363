"""Reward-weighted regression (Peters and Schaal 2007), offline and in rounds.

Each round: k samples of the policy as it is now for some prompts, each scored by running it; then likelihood weighted
by softmax(reward / tau) among a prompt's samples, so that what is better than its siblings is learned. Prompts whose
samples all earn the same teach nothing and are left out (counted as zero-variance groups). A share of the human targets
anchors the policy. What was sampled lies in `samples-N.jsonl`: a run that is broken off goes on there.
"""

from __future__ import annotations

import json
import math
import random
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...memory.errors import InputError
from ..loop.loop import Loop, Measure, RunConfig
from ..policy.likelihood import sums, weights
from ..policy.rows import TokenRow, encode, kept_as_made, read_rows, stream
from ..policy.sampling import Draws, Sample, Task, askable, at_step, draw, in_blocks, masked, policy

if TYPE_CHECKING:
    from torch import Tensor

LEAST = 0.05
"""Samples of less weight than this are not worth their tokens."""
DATED = 128
"""Rows of a round by which it is told how far the policy moved: each costs a reading of its own."""


@dataclass(frozen=True, slots=True)
class RwrConfig:
    """`samples` completions of `prompts` rows in each of `rounds` rounds; `tau` in units of the reward.

    `anchor`: the share of training rows that are human targets. `threads`: of llama.cpp while it samples.
    """

    rounds: int = 2
    prompts: int = 400
    samples: int = 4
    temperature: float = 1.0
    tau: float = 0.1
    anchor: float = 0.3
    threads: int | None = None


class Rwr(Loop):
    """-w log p(sample | prompt), rounds of sampling and of learning in turn."""

    objective = "reward-weighted likelihood of the policy's own samples"

    def __init__(self, config: RunConfig, task: Task, how: RwrConfig, measure: Measure | None = None) -> None:
        super().__init__(config, measure)
        self.task, self.how = task, how
        self.pool = askable(read_rows(config.data), task, config.data)
        self.seen: dict[str, float] = {}

    def batches(self) -> Iterator[list[TokenRow]]:
        """Each round's own rows, in an order drawn from the seed."""
        each = -(-self.config.steps // self.how.rounds)
        for number in range(self.how.rounds):
            rows = self.round(number)
            yield from islice(stream(rows, self.config.batch_tokens, self.config.seed + number), each)

    def loss(self, batch: Sequence[TokenRow]) -> tuple[Tensor, dict[str, float]]:
        tokens = self.likelihood(batch)
        loss = -(tokens * weights(batch, tokens.device)).mean()
        moved = [
            (row.before - float(now)) / row.written
            for row, now in zip(batch, sums(tokens.detach(), batch), strict=True)
            if math.isfinite(row.before)
        ]
        return loss, {**self.seen, "kl": sum(moved) / len(moved) if moved else 0.0}

    def round(self, number: int) -> list[TokenRow]:
        """The weighted rows of a round; what is on disk is read, what is missing is sampled."""
        path = self.config.out / f"round-{number}.jsonl"
        if not path.is_file():
            self.save()  # so that an interrupted round goes on with the policy that began it
            with self.ranks.first() as mine:
                if mine:
                    self._begin(number, path)
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        self.seen = json.loads(head)["seen"]
        return encode([json.loads(line) for line in lines], self.render, self.tokenizer, self.config.max_length)

    def _begin(self, number: int, path: Path) -> None:
        """Samples and weighs."""
        groups = self._sampled(number)
        if not any(group["samples"] for group in groups):
            raise InputError(
                "No sample could be scored, so there is nothing to learn from: see that the model behind the reward "
                f"answers, remove {self.config.out / f'samples-{number}.jsonl'}, then --resume."
            )
        rows = weighted(groups, self.how, random.Random(f"{self.config.seed}/{number}"))
        if not any("reward" in row for row in rows):
            raise InputError(
                "All samples of every prompt earn the same reward, so the gradients would be zero; raise "
                "--temperature or --samples."
            )
        self._date(rows)
        _write_whole(path, [{"seen": statistics(groups)}, *rows])

    def _sampled(self, number: int) -> list[dict[str, Any]]:
        """Groups {"row", "samples": [{"text", "clipped", "tokens", "reward", ...}]}, kept as they come."""
        path = self.config.out / f"samples-{number}.jsonl"
        rng = random.Random(f"{self.config.seed}/{number}")
        rows = rng.sample(self.pool, min(self.how.prompts, len(self.pool)))
        at_step(self.task, self.step)
        until = time.monotonic() + self._sampling_seconds()

        def groups(begin: int) -> Generator[dict[str, Any], None, None]:
            with policy(self.config.base, self.config.out / "checkpoint", self.how.threads) as lm:
                for at, block in in_blocks(rows, begin):
                    if at > begin and time.monotonic() > until:
                        return  # the other half of the round is for learning from what there is
                    drawn = draw(lm, *(self._wanted(row, number, place) for place, row in enumerate(block, at)))
                    for place, (row, samples) in enumerate(zip(block, drawn, strict=True), at):
                        if place >= begin:
                            yield self._group(row, samples)

        return kept_as_made(path, len(rows), groups, lambda done: _tell(number, len(done), len(rows), done))

    def _sampling_seconds(self) -> float:
        """How long a round may sample: half of it, where the clock ends the run."""
        return math.inf if self.config.minutes is None else self.config.minutes * 60 / self.how.rounds / 2

    def _wanted(self, row: dict[str, Any], number: int, place: int) -> Draws:
        how, seed = self.how, f"{self.config.seed}/{number}/{place}"
        return Draws(row["messages"], self.task.options(row), how.samples, how.temperature, seed)

    def _group(self, row: dict[str, Any], drawn: Sequence[Sample]) -> dict[str, Any]:
        scored: list[dict[str, Any]] = [
            {"text": s.text, "clipped": s.clipped, "tokens": s.tokens, **self.task.score(row, s.text)} for s in drawn
        ]
        kept = [one for one in scored if not masked(one)]
        return {"row": row, "samples": kept, "masked": len(scored) - len(kept)}

    def _date(self, rows: list[dict[str, Any]]) -> None:
        """Notes log p of some rows as it is before the round, so that the log can tell how far the policy moved."""
        import torch

        dated = random.Random(self.config.seed).sample(rows, min(DATED, len(rows)))
        made = [encode([row], self.render, self.tokenizer, 10**9)[0] for row in dated]
        with torch.no_grad():
            for row, one in zip(dated, made, strict=True):
                row["before"] = float(self.likelihood([one]).sum())


def weighted(groups: Sequence[dict[str, Any]], how: RwrConfig, rng: random.Random) -> list[dict[str, Any]]:
    """Training rows of samples that earn more than their siblings, and human targets as anchors."""
    rows: list[dict[str, Any]] = []
    for group in groups:
        rewards = [sample["reward"] for sample in group["samples"]]
        if not rewards or max(rewards) - min(rewards) < 1e-6:
            continue
        together: dict[str, float] = {}
        for sample, weight in zip(group["samples"], softmax(rewards, how.tau), strict=True):
            if not sample["clipped"]:
                together[sample["text"]] = together.get(sample["text"], 0.0) + weight
        best = {sample["text"]: sample["reward"] for sample in group["samples"]}
        rows += [
            {"messages": group["row"]["messages"], "completion": text, "weight": weight, "reward": best[text]}
            for text, weight in together.items()
            if weight >= LEAST
        ]
    wanted = round(len(rows) * how.anchor / (1 - how.anchor))
    anchors = rng.sample(list(groups), min(wanted, len(groups)))
    return rows + [{**group["row"], "weight": 1.0} for group in anchors]


def softmax(rewards: Sequence[float], tau: float) -> list[float]:
    """Weights that sum to 1: exp(reward / tau), normalised."""
    top = max(rewards)
    raised = [math.exp((reward - top) / tau) for reward in rewards]
    return [value / sum(raised) for value in raised]


def statistics(groups: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Means over all samples: reward and its terms, tokens, how many were clipped; groups without a difference."""
    samples = [sample for group in groups for sample in group["samples"]]
    names = dict.fromkeys(name for sample in samples for name in sample if name != "text")
    held = {name: [float(s[name]) for s in samples if name in s] for name in names}
    flat = [len({round(s["reward"], 6) for s in group["samples"]}) < 2 for group in groups]
    seen = {name: sum(v) / len(v) for name, v in held.items()} | {"zero variance": sum(flat) / len(flat)}
    lost = sum(group.get("masked", 0) for group in groups)
    return seen | ({"masked": lost / (lost + len(samples))} if lost else {})


def _write_whole(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    beside = path.with_suffix(".new")
    try:
        beside.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path.name} could not be written ({error.strerror}); free some space, then --resume."
        ) from error
    beside.replace(path)


def _tell(number: int, done: int, total: int, groups: Sequence[dict[str, Any]]) -> None:
    if done % 25 and done != total:
        return
    reward = statistics(groups[-100:]).get("reward", math.nan)  # none where all of them are masked
    print(f"round {number + 1}: sampled {done} of {total} prompts, reward {reward:.3f}", file=sys.stderr)
