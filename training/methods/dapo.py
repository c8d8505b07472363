"""What DAPO (Yu et al. 2025) adds to GRPO beside its loss: groups that differ, and a price for replies that run on.

*Dynamic sampling.* A group of completions that all earn the same has no gradient. Its prompt is replaced by another
one, drawn by the seed, at most `resample` times a step; what is flat after that stays and teaches nothing.

*Overlong penalty.* Over the last `buffer` tokens before the limit a completion loses up to 1, linearly in its length.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

FLAT = 1e-6
"""Rewards that differ by less are the same."""
LISTS = (0, 1, 2, 3, 4)
"""Of what TRL's `_generate` gives, the lists with an item a completion: ids of prompts and of completions, masks,
messages, log-likelihoods."""
Scores = Callable[[Sequence[Any], Sequence[Any], Sequence[Sequence[int]]], Sequence[float]]
"""Rewards of completions: the rows they answer, their messages, their tokens. NaN: it can't be scored."""


def overlong(tokens: int, most: int, buffer: int) -> float:
    """0 up to `most` - `buffer` tokens, then linearly down to -1 at `most` (formula 13 of the paper)."""
    if buffer <= 0:
        return 0.0
    return -min(1.0, max(0, tokens - (most - buffer)) / buffer)


def filled(rewards: Sequence[float], size: int) -> list[float]:
    """With the mean of its group for each NaN (0 where the whole group is lost)."""
    found: list[float] = []
    for at in range(0, len(rewards), size):
        group = rewards[at : at + size]
        known = [reward for reward in group if not math.isnan(reward)]
        mean = sum(known) / len(known) if known else 0.0
        found += [mean if math.isnan(reward) else reward for reward in group]
    return found


def flat(rewards: Sequence[float], size: int) -> list[int]:
    """The groups of `size` whose rewards don't differ, or of which fewer than two are known."""
    found = []
    for at in range(0, len(rewards), size):
        known = [reward for reward in rewards[at : at + size] if not math.isnan(reward)]
        if len(known) < 2 or max(known) - min(known) < FLAT:
            found.append(at // size)
    return found


class Dynamic:
    """Before TRL's trainer in a class: exchanges prompts in `_generate`, the only place where that can still be done.

    `resampled`: prompts exchanged so far.
    """

    resample: int
    scores: Scores
    seed: int
    resampled = 0
    _inputs: list[dict[str, Any]] | None = None

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> Any:
        self._inputs = inputs
        try:
            return super()._generate_and_score_completions(inputs)  # type: ignore[misc]
        finally:
            self._inputs = None

    def _generate(self: Any, prompts: list[Any]) -> Any:
        made = list(super()._generate(prompts))  # type: ignore[misc]
        if self.model.training and self._inputs is not None:
            for number in range(self.resample):
                if not self._exchanged(prompts, made, f"{self.seed}/{self.state.global_step}/{number}"):
                    break
        return tuple(made)

    def _exchanged(self: Any, prompts: list[Any], made: list[Any], drawn: str) -> bool:
        """Exchanges the flat groups' prompts, in place; whether any process had one. All of them draw together, since
        what TRL gathers over processes must be of one size: several draw whole batches."""
        from accelerate.utils import gather_object

        size = self.num_generations
        mine = flat(self.scores(self._inputs, made[3], made[1]), size)
        if not any(gather_object([len(mine)])):
            return False
        places = mine if self.accelerator.num_processes == 1 else list(range(len(prompts) // size))
        rng = random.Random(f"{drawn}/{self.accelerator.process_index}")
        some = [self.train_dataset[rng.randrange(len(self.train_dataset))] for _ in places]
        new = list(super()._generate([row["prompt"] for row in some for _ in range(size)]))  # type: ignore[misc]
        for place, row in enumerate(some):
            if places[place] in mine:
                self._put(prompts, made, new, (places[place] * size, place * size), row)
        return True

    def _put(
        self: Any, prompts: list[Any], made: list[Any], new: list[Any], at: tuple[int, int], row: dict[str, Any]
    ) -> None:
        """Puts a group of `new` where another one was."""
        into, out_of = at
        for number in range(self.num_generations):
            self._inputs[into + number] = dict(row)
            prompts[into + number] = row["prompt"]
            for part in LISTS:
                if made[part] is not None:
                    made[part][into + number] = new[part][out_of + number]
        self.resampled += 1


def dynamic(trainer: type, resample: int, scores: Scores, seed: int) -> type:
    """TRL's trainer with dynamic sampling."""
    return type("Dynamic", (Dynamic, trainer), {"resample": resample, "scores": staticmethod(scores), "seed": seed})


def rows_of(inputs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows behind TRL's inputs."""
    return [json.loads(one["row"]) for one in inputs]
